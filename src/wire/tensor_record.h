// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "wire/record.h"

// What a tensor was at a step: one kTensor, and its parts right behind it, all with its name
// (category kTensor of vocabulary.h). They are stored together or not at all.
//
//   kTensor      tsc: when;  a: step | TensorRole << 40 | ElementType << 48 | parts << 56;  b:
//   elements kTensorPart  tsc, a, b:  three words, of which there are, in this order,
//                  counts      NaN, +Inf, -Inf, zeros
//                  doubles     min, max (of no finite element: +Inf, -Inf), sum, sum of |x|, sum of
//                  x² bins        each that is not empty: its number << 56 | count; 0: no more
//
// Steps are numbered as windows are (CaptureControl). Sums, min, max and bins are of finite
// elements, bins of those that are not zero: bin i has exponents floor(log2 |x|) of i - 40, the
// first and the last also what lies beyond.
namespace steptrace::wire {

inline constexpr uint32_t kTensorBins = 64;
inline constexpr int32_t kTensorLowestExponent = -40;

inline constexpr uint32_t kTensorStepBits = 40;
inline constexpr uint32_t kTensorCountBits = 56;  // of a bin
inline constexpr uint32_t kTensorWordsOfPart = 3;
inline constexpr uint32_t kTensorCounts = 4;
inline constexpr uint32_t kTensorDoubles = 5;
inline constexpr uint32_t kTensorFixedWords = kTensorCounts + kTensorDoubles;
inline constexpr uint32_t kTensorFixedParts = kTensorFixedWords / kTensorWordsOfPart;
static_assert(kTensorFixedWords % kTensorWordsOfPart == 0);
inline constexpr uint32_t kMostTensorParts =
    kTensorFixedParts + (kTensorBins + kTensorWordsOfPart - 1) / kTensorWordsOfPart;

constexpr uint64_t TensorHeader(uint64_t step, uint8_t role, uint8_t type, uint8_t parts) {
  const uint64_t kept = step & ((uint64_t{1} << kTensorStepBits) - 1);
  return kept | uint64_t{role} << 40 | uint64_t{type} << 48 | uint64_t{parts} << 56;
}
constexpr int64_t TensorStep(uint64_t a) {
  return static_cast<int64_t>(a & ((uint64_t{1} << kTensorStepBits) - 1));
}
constexpr uint8_t TensorRoleOf(uint64_t a) {
  return static_cast<uint8_t>(a >> 40);
}
constexpr uint8_t TensorTypeOf(uint64_t a) {
  return static_cast<uint8_t>(a >> 48);
}
constexpr uint32_t TensorParts(uint64_t a) {
  return static_cast<uint32_t>(a >> 56);
}

constexpr uint64_t TensorBin(uint32_t bin, uint64_t count) {
  return uint64_t{bin} << kTensorCountBits | (count & ((uint64_t{1} << kTensorCountBits) - 1));
}

}  // namespace steptrace::wire
