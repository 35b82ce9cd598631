// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analyze/critical_path/path_graph.h"
#include "analyze/trace/intervals.h"

// What would come when, if causes took less time. A stretch of the profile is replayed by itself:
// whatever came up to its begin stays, and of what was under way then only the rest is changed. So
// a stretch without a change lasts as long as it did, less of a cause never makes it longer, and
// it gets shorter by no more than the cause's part of the path through it.
namespace steptrace::analyze {

// For each cause how much of its time is left: in halves, 2 is all of it. Causes of which nobody
// knows what would shorten them (IsKept) are left whole.
using Halves = std::array<int32_t, kPathCauses>;
inline constexpr Halves kUnchanged = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2};

// The stretches that are replayed, with what is under way at their ends: as far as it had come, it
// has to be done by then too.
struct ReplaySpans {
  std::vector<Stretch> spans;                    // by begin, disjoint; each ends at a node
  std::vector<std::vector<PathEdge>> under_way;  // by span
};
ReplaySpans MakeReplaySpans(const PathGraph& graph, std::vector<Stretch> spans);

// When all that came within each span would have come. `at` is by node: of those within a span when
// it would come, of others what it held before.
std::vector<int64_t> Replay(const PathGraph& graph, const ReplaySpans& spans, const Halves& halves,
                            std::vector<int64_t>& at);

// What then fills a replayed span that has nothing under way at its end, by cause: from its last
// node back, always to what it waited for.
PathSums ReplayedCauses(const PathGraph& graph, const Stretch& span, const Halves& halves,
                        const std::vector<int64_t>& at);

}  // namespace steptrace::analyze
