// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analyze/critical_path/path_graph.h"

namespace steptrace::analyze {

// For each cause how much of its time is left: in halves, 2 is all of it.
using Halves = std::array<int32_t, kPathCauses>;
inline constexpr Halves kUnchanged = {2, 2, 2, 2, 2, 2, 2, 2, 2};

// When each node would come. With kUnchanged: when it came.
std::vector<int64_t> Replay(const PathGraph& graph, const Halves& halves);

}  // namespace steptrace::analyze
