// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "probe/tensor_sums.h"

namespace steptrace::probe {

template <class Float>
struct Layout;
template <>
struct Layout<float> {
  using Bits = uint32_t;
  static constexpr Bits kSign = 0x80000000u;
  static constexpr Bits kInf = 0x7f800000u;
  static constexpr int kMantissaBits = 23;
  static constexpr int kBias = 127;
};
template <>
struct Layout<double> {
  using Bits = uint64_t;
  static constexpr Bits kSign = 0x8000000000000000u;
  static constexpr Bits kInf = 0x7ff0000000000000u;
  static constexpr int kMantissaBits = 52;
  static constexpr int kBias = 1023;
};

template <class Float>
constexpr int BinOf(typename Layout<Float>::Bits magnitude) {
  const int exponent = static_cast<int>(magnitude >> Layout<Float>::kMantissaBits);
  const int bin = exponent - (Layout<Float>::kBias + kLowestExponent);
  return bin < 0 ? 0 : bin >= kExponentBins ? kExponentBins - 1 : bin;
}

// One by one: what is not finite, and what is too little for a block.
template <class Float>
void AddEach(const Float* values, size_t count, TensorStats* stats) {
  using L = Layout<Float>;
  for (size_t i = 0; i < count; ++i) {
    typename L::Bits bits;
    memcpy(&bits, values + i, sizeof bits);
    const typename L::Bits magnitude = bits & ~L::kSign;
    if (magnitude > L::kInf) {
      ++stats->nan;
    } else if (magnitude == L::kInf) {
      ++((bits & L::kSign) != 0 ? stats->negative_inf : stats->positive_inf);
    } else {
      double value = 0;
      Float narrow;
      memcpy(&narrow, values + i, sizeof narrow);
      value = narrow;
      const double absolute = value < 0 ? -value : value;
      if (value < stats->min) stats->min = value;
      if (value > stats->max) stats->max = value;
      stats->sum += value;
      stats->abs_sum += absolute;
      stats->square_sum += value * value;
      if (magnitude == 0) {
        ++stats->zeros;
      } else {
        ++stats->exponents[BinOf<Float>(magnitude)];
      }
    }
  }
}

}  // namespace steptrace::probe
