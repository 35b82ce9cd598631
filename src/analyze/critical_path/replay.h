// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analyze/critical_path/path_graph.h"
#include "analyze/trace/intervals.h"

// What would come when, if causes took less time. Time ranges of the profile are replayed as if
// nothing were between them: what came up to the first's begin stays, and of what was under way
// then only the rest is changed. So time ranges without a change last as long as they did, less of
// a cause never makes them longer, and they get shorter by no more than the cause's part of the
// path through them.
namespace steptrace::analyze {

// For each cause how much of its time is left: in halves, 2 is all of it. Causes of which nobody
// knows what would shorten them (IsKept) are left whole.
using Halves = std::array<int32_t, kPathCauses>;
inline constexpr Halves kUnchanged = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2};

// Goes in the time ranges alone: 0 at the first's begin, and it stands between them.
class TimeRangeClock {
 public:
  // By begin, disjoint, one at least.
  explicit TimeRangeClock(std::vector<TimeRange> time_ranges);

  int64_t begin_ns() const { return time_ranges_.front().begin_ns; }
  int64_t end_ns() const { return time_ranges_.back().end_ns; }
  int64_t length_ns() const { return At(end_ns()); }
  // What it shows at a moment of the profile.
  int64_t At(int64_t ns) const;
  const std::vector<TimeRange>& time_ranges() const { return time_ranges_; }

 private:
  std::vector<TimeRange> time_ranges_;
  std::vector<int64_t> before_ns_;  // by time range: of all before it
};

// How long all takes that came within the time ranges; what is under way at the last one's end is
// done as far as it had come. `at` is by node: by the clock, when those within would come; of the
// others what it held before.
int64_t Replay(const PathGraph& graph, const TimeRangeClock& clock, const Halves& halves,
               std::vector<int64_t>& at);

// What then fills time ranges that end with the profile, by cause: from the last node back, always
// to what it waited for.
PathSums ReplayedCauses(const PathGraph& graph, const TimeRangeClock& clock, const Halves& halves,
                        const std::vector<int64_t>& at);

// What fills time ranges that end at a node as they were.
PathSums PathCauses(const PathGraph& graph, const TimeRangeClock& clock);

}  // namespace steptrace::analyze
