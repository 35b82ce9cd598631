// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "probe/tensor_each.h"
#include "probe/tensor_sums.h"
#include "probe/tensor_vectors.h"

// The inner loops of tensor_stats.cc, written once in the compiler's vectors and compiled for each
// kind of processor: whatever stands here is inlined into a function that says which.
//
// A block is taken as if all in it were finite, which shows at its end: else it is taken again, one
// by one. The histogram is the dear part. Two neighbours are one increment of a table of pairs, and
// two tables take turns, so that an increment seldom waits for the one before. Zeros fall into the
// first bin and are subtracted at the end.
namespace steptrace::probe {

inline constexpr uint32_t kPairs = kExponentBins * kExponentBins;
inline constexpr uint64_t kBlocksBeforeFull = 0xffff / (kBlock / 4);  // of a table's counters

struct PairTables {
  uint16_t even[kPairs];
  uint16_t odd[kPairs];
};

// What a block brings, if all of it is finite.
struct BlockSums {
  double min, max, sum, abs_sum, square_sum;
  uint64_t zeros;
};

inline void AddBlock(const BlockSums& block, TensorStats* stats) {
  if (block.min < stats->min) stats->min = block.min;
  if (block.max > stats->max) stats->max = block.max;
  stats->sum += block.sum;
  stats->abs_sum += block.abs_sum;
  stats->square_sum += block.square_sum;
  stats->zeros += block.zeros;
  stats->exponents[0] -= block.zeros;  // until the tables are added
}

template <class Vector>
[[gnu::always_inline]] inline double Total(const Vector& lanes, size_t count) {
  double total = 0;
  for (size_t i = 0; i < count; ++i) total += lanes[i];
  return total;
}

// What stands in the lanes at the end of a block. False: not all of it was finite.
template <class Float, class Values, class Bits>
[[gnu::always_inline]] inline bool FinishBlock(const Values& low, const Values& high,
                                               const Bits& largest, const Bits& zeros, size_t lanes,
                                               BlockSums* out) {
  auto most = largest[0];
  *out = {low[0], high[0], 0, 0, 0, 0};
  for (size_t lane = 0; lane < lanes; ++lane) {
    most = largest[lane] > most ? largest[lane] : most;
    out->zeros += static_cast<uint64_t>(zeros[lane]);
    out->min = low[lane] < out->min ? low[lane] : out->min;
    out->max = high[lane] > out->max ? high[lane] : out->max;
  }
  return static_cast<typename Layout<Float>::Bits>(most) < Layout<Float>::kInf;
}

// False: there is something in it that is not finite, and the tables are as they were.
template <size_t kBytes>
[[gnu::always_inline]] inline bool TakeBlock(const float* values, PairTables* tables,
                                             BlockSums* out) {
  using V = Vectors<kBytes>;
  using Int = typename V::Int;
  using Float = typename V::Float;
  using Double = typename V::Double;
  using Long = typename V::Long;
  constexpr int32_t kMagnitude = 0x7fffffff;
  uint64_t pairs[kBlock / 2];
  Int largest{}, zeros{};
  Float low;
  Load(values, &low);
  Float high = low;
  Double sum{}, other_sum{}, abs_sum{}, other_abs_sum{}, square_sum{}, other_square_sum{};
  for (size_t i = 0; i < kBlock; i += V::kFloats) {
    Int bits;
    Float value;
    Load(values + i, &bits);
    Load(values + i, &value);
    low = value < low ? value : low;
    high = value > high ? value : high;
    const Int magnitude = bits & kMagnitude;
    largest = magnitude > largest ? magnitude : largest;
    zeros -= magnitude == 0;
    Int bin = (magnitude >> 23) - (127 + kLowestExponent);
    bin = bin > 0 ? bin : Int{};
    bin = bin < kExponentBins - 1 ? bin : Int{} + (kExponentBins - 1);
    const Long both = __builtin_bit_cast(Long, bin);
    const Long pair = (both & (kExponentBins - 1)) | (both >> (32 - 6));
    memcpy(pairs + i / 2, &pair, sizeof pair);
    typename V::HalfFloat narrow, other_narrow;
    Load(values + i, &narrow);
    Load(values + i + V::kDoubles, &other_narrow);
    const Double wide = __builtin_convertvector(narrow, Double);
    const Double other = __builtin_convertvector(other_narrow, Double);
    sum += wide;
    other_sum += other;
    square_sum += wide * wide;
    other_square_sum += other * other;
    abs_sum += __builtin_bit_cast(Double, __builtin_bit_cast(Long, wide) & INT64_MAX);
    other_abs_sum += __builtin_bit_cast(Double, __builtin_bit_cast(Long, other) & INT64_MAX);
  }
  if (!FinishBlock<float>(low, high, largest, zeros, V::kFloats, out)) return false;
  for (size_t i = 0; i < kBlock / 2; i += 2) {
    ++tables->even[pairs[i]];
    ++tables->odd[pairs[i + 1]];
  }
  out->sum = Total(sum + other_sum, V::kDoubles);
  out->abs_sum = Total(abs_sum + other_abs_sum, V::kDoubles);
  out->square_sum = Total(square_sum + other_square_sum, V::kDoubles);
  return true;
}

template <size_t kBytes>
[[gnu::always_inline]] inline bool TakeBlock(const double* values, PairTables* tables,
                                             BlockSums* out) {
  using V = Vectors<kBytes>;
  using Double = typename V::Double;
  using Long = typename V::Long;
  int64_t bins[kBlock];
  Long largest{}, zeros{};
  Double low;
  Load(values, &low);
  Double high = low;
  Double sum{}, abs_sum{}, square_sum{};
  for (size_t i = 0; i < kBlock; i += V::kDoubles) {
    Long bits;
    Double value;
    Load(values + i, &bits);
    Load(values + i, &value);
    low = value < low ? value : low;
    high = value > high ? value : high;
    const Long magnitude = bits & INT64_MAX;
    largest = magnitude > largest ? magnitude : largest;
    zeros -= magnitude == 0;
    Long bin = (magnitude >> 52) - (1023 + kLowestExponent);
    bin = bin > 0 ? bin : Long{};
    bin = bin < kExponentBins - 1 ? bin : Long{} + (kExponentBins - 1);
    memcpy(bins + i, &bin, sizeof bin);
    sum += value;
    square_sum += value * value;
    abs_sum += __builtin_bit_cast(Double, magnitude);
  }
  if (!FinishBlock<double>(low, high, largest, zeros, V::kDoubles, out)) return false;
  for (size_t i = 0; i < kBlock; i += 4) {
    ++tables->even[bins[i] | bins[i + 1] << 6];
    ++tables->odd[bins[i + 2] | bins[i + 3] << 6];
  }
  out->sum = Total(sum, V::kDoubles);
  out->abs_sum = Total(abs_sum, V::kDoubles);
  out->square_sum = Total(square_sum, V::kDoubles);
  return true;
}

}  // namespace steptrace::probe
