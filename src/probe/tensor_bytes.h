// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "probe/tensor_each.h"
#include "probe/tensor_sums.h"
#include "wire/vocabulary.h"

// Types of one byte: how often each of the 256 values is there says everything.
namespace steptrace::probe {

// Several, so that an increment seldom waits for the one before.
struct ByteCounts {
  uint64_t of[4][256];
};

inline void CountBytes(const uint8_t* data, size_t count, ByteCounts* counts) {
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    uint64_t eight;
    memcpy(&eight, data + i, sizeof eight);
#pragma GCC unroll 8
    for (int byte = 0; byte < 8; ++byte) ++counts->of[byte & 3][eight >> (8 * byte) & 0xff];
  }
  for (; i < count; ++i) ++counts->of[0][data[i]];
}

// A float of 8 bits by its parts: `bits` of them mantissa, and what the exponent is less by.
constexpr double DecodeFloat8(uint32_t byte, int mantissa_bits, int bias) {
  const uint32_t magnitude = byte & 0x7f;
  const auto exponent = static_cast<int>(magnitude >> mantissa_bits);
  const auto mantissa = static_cast<double>(magnitude & ((1u << mantissa_bits) - 1));
  const double scale = 1u << mantissa_bits;
  double value = exponent == 0 ? mantissa / scale * 2 : 1 + mantissa / scale;
  for (int i = exponent; i < bias; ++i) value /= 2;
  for (int i = bias; i < exponent; ++i) value *= 2;
  return (byte & 0x80) != 0 ? -value : value;
}

// What a byte of that type stands for: NaN and infinities as such.
constexpr double ValueOfByte(wire::ElementType type, uint32_t byte) {
  const uint32_t magnitude = byte & 0x7f;
  const double sign = (byte & 0x80) != 0 ? -1.0 : 1.0;
  switch (type) {
    case wire::ElementType::kFloat8E4m3fn:
      return magnitude == 0x7f ? __builtin_nan("") : DecodeFloat8(byte, 3, 7);
    case wire::ElementType::kFloat8E5m2:
      if (magnitude > 0x7c) return __builtin_nan("");
      return magnitude == 0x7c ? sign * __builtin_inf() : DecodeFloat8(byte, 2, 15);
    case wire::ElementType::kFloat8E4m3fnuz:
      return byte == 0x80 ? __builtin_nan("") : DecodeFloat8(byte, 3, 8);
    case wire::ElementType::kFloat8E5m2fnuz:
      return byte == 0x80 ? __builtin_nan("") : DecodeFloat8(byte, 2, 16);
    case wire::ElementType::kInt8:
      return static_cast<int8_t>(byte);
    default:
      return byte;
  }
}

inline void AddByteCounts(wire::ElementType type, const ByteCounts& counts, TensorStats* stats) {
  for (uint32_t byte = 0; byte < 256; ++byte) {
    const uint64_t count =
        counts.of[0][byte] + counts.of[1][byte] + counts.of[2][byte] + counts.of[3][byte];
    if (count == 0) continue;
    TensorStats one;
    const double value = ValueOfByte(type, byte);
    AddEach(&value, 1, &one);
    const auto times = static_cast<double>(count);
    stats->nan += one.nan * count;
    stats->positive_inf += one.positive_inf * count;
    stats->negative_inf += one.negative_inf * count;
    stats->zeros += one.zeros * count;
    if (one.min < stats->min) stats->min = one.min;
    if (one.max > stats->max) stats->max = one.max;
    stats->sum += one.sum * times;
    stats->abs_sum += one.abs_sum * times;
    stats->square_sum += one.square_sum * times;
    for (int bin = 0; bin < kExponentBins; ++bin) {
      stats->exponents[bin] += one.exponents[bin] * count;
    }
  }
}

}  // namespace steptrace::probe
