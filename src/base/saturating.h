// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace steptrace {

// Sums of durations and bytes: damage must not wrap round to a plausible number.
inline int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return b > 0 ? INT64_MAX : INT64_MIN;
  return sum;
}

inline void AddSaturating(int64_t& sum, int64_t value) {
  sum = SaturatingAdd(sum, value);
}

}  // namespace steptrace
