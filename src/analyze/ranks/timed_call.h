// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace steptrace::analyze {

// A call of one rank, by its own clock.
struct TimedCall {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
};

// By index in either list.
using MayBeOne = std::function<bool(int32_t, int32_t)>;

}  // namespace steptrace::analyze
