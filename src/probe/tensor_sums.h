// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// What is kept of a tensor.
//
// All of it merges exactly, over shards as over ranks: counts and sums add up, min and max are
// those of the parts. Sums, min, max and exponents are of what is finite; what is not is counted.
// Sums are made in double precision: of float32 and less each term is exact.
namespace steptrace::probe {

inline constexpr int kExponentBins = 64;
// Of the first bin, which also has what is smaller; the last one has what is larger. Zeros are in
// none.
inline constexpr int kLowestExponent = -40;

struct TensorStats {
  uint64_t numel = 0;
  uint64_t nan = 0;
  uint64_t positive_inf = 0;
  uint64_t negative_inf = 0;
  uint64_t zeros = 0;
  double min = __builtin_inf();   // of nothing finite: so
  double max = -__builtin_inf();  // and so
  double sum = 0;
  double abs_sum = 0;
  double square_sum = 0;
  uint64_t exponents[kExponentBins] = {};  // floor(log2(|x|)) - kLowestExponent
};

}  // namespace steptrace::probe
