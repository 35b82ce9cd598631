// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyze/ranks/timed_call.h"

// What two clocks may differ by, from lists of calls of which some are missing: at the right
// difference many calls of one list end when one of the other ends, wherever they stand in it.
namespace steptrace::analyze {

// Differences (b ahead of a) that most pairs of like calls speak for, the likeliest first; a few.
// Each call of some time ranges of a is compared to calls of b, so that the cost is bounded.
// `gap_ns`: between ends of following calls.
std::vector<int64_t> OffsetsByVote(std::span<const TimedCall> a, std::span<const TimedCall> b,
                                   const MayBeOne& alike, int64_t gap_ns);

}  // namespace steptrace::analyze
