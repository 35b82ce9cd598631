// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "analyze/trace/trace.h"

namespace steptrace::analyze {

// How many ranks the job has, as its profiles say; none: they do not.
std::optional<int64_t> WorldSizeOf(const Trace& trace);

// Whether it has more than these profiles are of. Then what they spend in communication is waiting
// for the absent ones, too, and nothing tells how much of it.
bool LacksRanks(const Trace& trace);

}  // namespace steptrace::analyze
