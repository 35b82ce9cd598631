// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "probe/tensor_block.h"
#include "probe/tensor_each.h"
#include "probe/tensor_vectors.h"

// A block of bfloat16: what it is, is said by lanes of 16 bits, of which there are twice as many as
// of floats; only sums are made of doubles.
namespace steptrace::probe {

template <size_t kBytes>
struct HalfVectors {
  typedef int16_t Short __attribute__((vector_size(kBytes)));
  static constexpr size_t kShorts = kBytes / sizeof(int16_t);
};

// The first or the second half of the lanes.
[[gnu::always_inline]] inline auto HalfOf(const Vectors<32>::Float& all, bool second) {
  return second ? __builtin_shufflevector(all, all, 4, 5, 6, 7)
                : __builtin_shufflevector(all, all, 0, 1, 2, 3);
}
[[gnu::always_inline]] inline auto HalfOf(const Vectors<16>::Float& all, bool second) {
  return second ? __builtin_shufflevector(all, all, 2, 3) : __builtin_shufflevector(all, all, 0, 1);
}

inline double BFloat16(uint16_t bits) {
  const uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

// As signed numbers these are in the order of the floats that they stand for; twice gives the bits.
inline int16_t InOrder(int16_t bits) {
  return static_cast<int16_t>(bits ^ ((bits >> 15) & 0x7fff));
}

// False: there is something in it that is not finite, and the tables are as they were.
template <size_t kBytes>
[[gnu::always_inline]] inline bool TakeBFloat16Block(const uint8_t* data, PairTables* tables,
                                                     BlockSums* out) {
  using V = Vectors<kBytes>;
  using Int = typename V::Int;
  using Long = typename V::Long;
  using Float = typename V::Float;
  using Double = typename V::Double;
  using Short = typename HalfVectors<kBytes>::Short;
  constexpr size_t kShorts = HalfVectors<kBytes>::kShorts;
  constexpr int16_t kMagnitude = 0x7fff;
  constexpr int16_t kInf = 0x7f80;
  uint32_t pairs[kBlock / 2];
  Short largest{}, zeros{}, low{}, high{};
  low += INT16_MAX;
  high += INT16_MIN;
  Double sum{}, other_sum{}, abs_sum{}, other_abs_sum{}, square_sum{}, other_square_sum{};
  for (size_t i = 0; i < kBlock; i += kShorts) {
    Short bits;
    Load(data + i * sizeof(int16_t), &bits);
    const Short magnitude = bits & kMagnitude;
    largest = magnitude > largest ? magnitude : largest;
    zeros -= magnitude == 0;
    const Short key = bits ^ ((bits >> 15) & kMagnitude);
    low = key < low ? key : low;
    high = key > high ? key : high;
    Short bin = (magnitude >> 7) - static_cast<int16_t>(127 + kLowestExponent);
    bin = bin > 0 ? bin : Short{};
    bin = bin < kExponentBins - 1 ? bin : Short{} + static_cast<int16_t>(kExponentBins - 1);
    const Int both = __builtin_bit_cast(Int, bin);
    const Int pair = (both & (kExponentBins - 1)) | (both >> (16 - 6));
    memcpy(pairs + i / 2, &pair, sizeof pair);
    const Int two = __builtin_bit_cast(Int, bits);
    const Float even = __builtin_bit_cast(Float, two << 16);
    const Float odd = __builtin_bit_cast(Float, two & static_cast<int32_t>(0xffff0000u));
    const Double a = __builtin_convertvector(HalfOf(even, false), Double);
    const Double b = __builtin_convertvector(HalfOf(even, true), Double);
    const Double c = __builtin_convertvector(HalfOf(odd, false), Double);
    const Double d = __builtin_convertvector(HalfOf(odd, true), Double);
    sum += a + c;
    other_sum += b + d;
    square_sum += a * a;
    other_square_sum += b * b;
    square_sum += c * c;
    other_square_sum += d * d;
    abs_sum += __builtin_bit_cast(Double, __builtin_bit_cast(Long, a) & INT64_MAX);
    other_abs_sum += __builtin_bit_cast(Double, __builtin_bit_cast(Long, b) & INT64_MAX);
    abs_sum += __builtin_bit_cast(Double, __builtin_bit_cast(Long, c) & INT64_MAX);
    other_abs_sum += __builtin_bit_cast(Double, __builtin_bit_cast(Long, d) & INT64_MAX);
  }
  int16_t most = 0, least_key = INT16_MAX, most_key = INT16_MIN;
  uint64_t zero_count = 0;
  for (size_t lane = 0; lane < kShorts; ++lane) {
    most = largest[lane] > most ? largest[lane] : most;
    least_key = low[lane] < least_key ? low[lane] : least_key;
    most_key = high[lane] > most_key ? high[lane] : most_key;
    zero_count += static_cast<uint64_t>(zeros[lane]);
  }
  if (most >= kInf) return false;
  for (size_t i = 0; i < kBlock / 2; i += 2) {
    ++tables->even[pairs[i]];
    ++tables->odd[pairs[i + 1]];
  }
  *out = {BFloat16(static_cast<uint16_t>(InOrder(least_key))),
          BFloat16(static_cast<uint16_t>(InOrder(most_key))),
          Total(sum + other_sum, V::kDoubles),
          Total(abs_sum + other_abs_sum, V::kDoubles),
          Total(square_sum + other_square_sum, V::kDoubles),
          zero_count};
  return true;
}

}  // namespace steptrace::probe
