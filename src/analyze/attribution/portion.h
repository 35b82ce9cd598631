// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace steptrace::analyze {

// That part of `ns`, to the nearest; of less than nothing nothing.
inline int64_t Portion(double share, int64_t ns) {
  return std::llround(std::clamp(share, 0.0, 1.0) * static_cast<double>(std::max<int64_t>(ns, 0)));
}

}  // namespace steptrace::analyze
