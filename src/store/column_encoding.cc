// SPDX-License-Identifier: Apache-2.0
#include "store/column_encoding.h"

#include <arrow/array.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "store/arrow_support.h"

namespace steptrace::store {
namespace {

constexpr int64_t kSampleRows = 4096;
constexpr int64_t kMiniblock = 32;  // values of DELTA_BINARY_PACKED that share a width
constexpr int kZstdLevel = 1;

template <class ArrayType>
std::vector<int64_t> Sample(const arrow::Array& array) {
  const auto& numbers = static_cast<const ArrayType&>(array);
  std::vector<int64_t> values;
  int64_t end = std::min(array.length(), kSampleRows);
  for (int64_t i = 0; i < end; ++i) {
    if (numbers.IsValid(i)) values.push_back(numbers.Value(i));
  }
  return values;
}

int64_t DeltaBits(const std::vector<int64_t>& values) {
  int64_t bits = 0;
  for (size_t begin = 1; begin < values.size(); begin += kMiniblock) {
    size_t end = std::min(begin + kMiniblock, values.size());
    auto lowest = std::numeric_limits<int64_t>::max();
    auto highest = std::numeric_limits<int64_t>::min();
    for (size_t i = begin; i < end; ++i) {
      // Differences wrap around, as they do in Parquet.
      auto delta = static_cast<int64_t>(static_cast<uint64_t>(values[i]) -
                                        static_cast<uint64_t>(values[i - 1]));
      lowest = std::min(lowest, delta);
      highest = std::max(highest, delta);
    }
    uint64_t range = static_cast<uint64_t>(highest) - static_cast<uint64_t>(lowest);
    bits += 8 + static_cast<int64_t>(std::bit_width(range)) * kMiniblock;
  }
  return bits;
}

int64_t CountDistinct(const std::vector<int64_t>& values) {
  constexpr int kPlaceBits = 14;  // twice the sample: an empty place is near
  static_assert(int64_t{1} << kPlaceBits >= 2 * kSampleRows);
  constexpr uint64_t kSpread = 0x9E3779B97F4A7C15;
  std::vector<int64_t> places(size_t{1} << kPlaceBits);  // 0: empty
  bool has_zero = false;
  int64_t distinct = 0;
  for (int64_t value : values) {
    if (value == 0) {
      has_zero = true;
      continue;
    }
    size_t at = static_cast<uint64_t>(value) * kSpread >> (64 - kPlaceBits);
    while (places[at] != 0 && places[at] != value) at = (at + 1) & (places.size() - 1);
    distinct += places[at] == 0;
    places[at] = value;
  }
  return distinct + has_zero;
}

// A dictionary of all values and an index a value; runs of one value cost next to nothing.
int64_t DictionaryBits(const std::vector<int64_t>& values, int value_bits) {
  int64_t distinct = CountDistinct(values);
  int64_t changes = 0;
  for (size_t i = 1; i < values.size(); ++i) changes += values[i] != values[i - 1];
  auto width = static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(distinct)));
  auto packed = static_cast<int64_t>(values.size()) * width;
  int64_t runs = changes * (8 + width);
  return distinct * value_bits + std::min(packed, runs);
}

bool DeltaIsSmaller(const arrow::Array& array) {
  bool wide = array.type_id() == arrow::Type::INT64;
  auto values = wide ? Sample<arrow::Int64Array>(array) : Sample<arrow::Int32Array>(array);
  return DeltaBits(values) < DictionaryBits(values, wide ? 64 : 32);
}

}  // namespace

std::shared_ptr<parquet::WriterProperties> ChooseEncodings(const arrow::RecordBatch& batch) {
  parquet::WriterProperties::Builder builder;
  builder.memory_pool(Pool())
      ->compression(parquet::Compression::ZSTD)
      ->enable_page_checksum()
      ->max_row_group_length(std::max<int64_t>(batch.num_rows(), 1))
      ->created_by("steptrace");
  for (int i = 0; i < batch.num_columns(); ++i) {
    const arrow::Array& column = *batch.column(i);
    const std::string& name = batch.schema()->field(i)->name();
    auto type = column.type_id();
    // The least and the greatest name of a stretch of time skip nothing, and cost a tenth of it
    // all.
    if (type == arrow::Type::STRING || type == arrow::Type::DICTIONARY) {
      builder.disable_statistics(name);
    }
    builder.compression_level(name, kZstdLevel);
    if (type != arrow::Type::INT64 && type != arrow::Type::INT32) continue;
    if (column.null_count() == column.length() || !DeltaIsSmaller(column)) continue;
    builder.disable_dictionary(name)->encoding(name, parquet::Encoding::DELTA_BINARY_PACKED);
  }
  return builder.build();
}

}  // namespace steptrace::store
