// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

// Two ranks' lists of calls in order, of which some may be missing on either side, set side by
// side.
namespace steptrace::analyze {

struct TimedCall {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
};

enum class OrderTrust : uint8_t {
  kAlone,      // equal counts of like calls are enough
  kWithClocks  // the times must bear it out
};

// Pairs (index in a, index in b), ascending in both. `alike(i, j)`: whether the two may be one.
std::vector<std::pair<int32_t, int32_t>> AlignCalls(
    std::span<const TimedCall> a, std::span<const TimedCall> b,
    const std::function<bool(int32_t, int32_t)>& alike, OrderTrust trust);

}  // namespace steptrace::analyze
