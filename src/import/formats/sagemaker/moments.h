// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace steptrace::import::sagemaker {

// Moments that are stored lie within 146 years of 1970: distances of any two fit in int64.
inline constexpr int64_t kMaxTimeNs = int64_t{1} << 62;
inline bool IsTime(int64_t ns) {
  return ns > -kMaxTimeNs && ns < kMaxTimeNs;
}

}  // namespace steptrace::import::sagemaker
