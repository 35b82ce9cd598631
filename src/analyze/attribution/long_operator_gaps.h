// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "analyze/trace/trace.h"

namespace steptrace::analyze {

// Shorter ways from one operator to the next are the framework's, or arithmetic on tensors in plain
// functions (1 to 5 us). Up to kMaxOperatorGapNs (analyze/derive) they are what modules in modules
// take (10 to 50 us), which samples tell by their stacks, or the script's own code.
inline constexpr int64_t kLongWayNs = 15'000;

// Of windows of operators, by rank: ns a step in ways so long between outermost operators of one
// thread, though none too long to be a way. Ranks without a whole step are left out.
std::map<int32_t, double> LongOperatorGaps(const Trace& operators);

}  // namespace steptrace::analyze
