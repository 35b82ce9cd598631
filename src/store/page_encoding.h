// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

// Values as the bytes of Parquet's encodings
// (github.com/apache/parquet-format, Encodings.md). All append to `out`.
namespace steptrace::store {

using PageBytes = std::vector<uint8_t>;

// Definition levels of a column that may hold nulls, with their length before them: a bit a row, 1
// where there is a value, the lowest bit of a byte first. Bits behind the last row are not read.
void AppendLevels(const uint8_t* valid, int64_t rows, PageBytes* out);
// The same where all rows, or none, have a value.
void AppendLevels(bool valid, int64_t rows, PageBytes* out);

// Indices of a dictionary of so many values. Whole bytes each: what repeats in them begins at a
// byte then, where compression finds it.
void AppendIndices(std::span<const int32_t> indices, int64_t dictionary_size, PageBytes* out);

// How wide a difference of DELTA_BINARY_PACKED may be stored.
enum class DeltaWidths : uint8_t {
  kBits,   // as narrow as possible: of differences that repeat little
  kBytes,  // whole bytes: compression then finds what repeats
};
template <class T>
void AppendDeltas(std::span<const T> values, DeltaWidths widths, PageBytes* out);

// BYTE_STREAM_SPLIT: all lowest bytes, then all second ones, and so on.
template <class T>
void AppendSplit(std::span<const T> values, PageBytes* out);

template <class T>
void AppendPlain(std::span<const T> values, PageBytes* out);

}  // namespace steptrace::store
