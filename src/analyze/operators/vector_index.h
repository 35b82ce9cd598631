// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace steptrace::analyze {

// The place in a vector of an index that is known to be none of the absent ones (-1).
inline size_t At(int32_t index) {
  return static_cast<size_t>(index);
}

}  // namespace steptrace::analyze
