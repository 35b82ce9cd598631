// SPDX-License-Identifier: Apache-2.0
#include "analyze/critical_path/what_if.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "analyze/critical_path/replay.h"

namespace steptrace::analyze {
namespace {

TimeRange TimeRangeOf(const PathOf& path) {
  return {path.begin_ns, path.begin_ns + path.dur_ns};
}

TimeRangeClock ClockOf(const std::vector<PathOf>& paths) {
  std::vector<TimeRange> time_ranges;
  for (const PathOf& path : paths) time_ranges.push_back(TimeRangeOf(path));
  return TimeRangeClock(std::move(time_ranges));
}

int64_t GainOf(int64_t ns, int32_t left_halves) {
  return left_halves == 0 ? ns : ns - ns / 2;
}

class WhatIfFinder {
 public:
  WhatIfFinder(const PathGraph& graph, const PathOf& window, const std::vector<PathOf>& steps)
      : graph_(graph), window_(window), window_clock_({TimeRangeOf(window)}) {
    if (steps.empty()) return;
    step_clock_ = ClockOf(steps);
    of_steps_ = PathCauses(graph, *step_clock_);
    steps_ = static_cast<int64_t>(steps.size());
  }

  std::vector<WhatIf> Find() {
    constexpr size_t kMostStages = 4;
    constexpr double kLeastShare = 0.005;  // its removal gains no more: 1.0x
    size_t stages = 0;
    std::vector<WhatIf> changes;
    for (const PathShare& share : window_.causes) {
      if (IsKept(share.cause)) continue;
      if (share.share < kLeastShare) break;
      if (stages++ == kMostStages) break;
      for (int32_t left_halves : {0, 1}) changes.push_back(Changed(share, left_halves));
    }
    std::stable_sort(changes.begin(), changes.end(),
                     [](const auto& a, const auto& b) { return a.window_ns < b.window_ns; });
    return changes;
  }

 private:
  WhatIf Changed(const PathShare& share, int32_t left_halves) {
    Halves halves = kUnchanged;
    halves[static_cast<size_t>(share.cause)] = left_halves;
    WhatIf change;
    change.stage = NameOf(share.cause);
    change.change = left_halves == 0 ? "removed" : "halved";
    change.window_ns = Replay(graph_, window_clock_, halves, at_);
    change.at_most_ns = window_.dur_ns - GainOf(share.ns, left_halves);
    change.causes = SharesOf(ReplayedCauses(graph_, window_clock_, halves, at_), change.window_ns);
    if (change.window_ns > 0) {
      change.speedup = static_cast<double>(window_.dur_ns) / static_cast<double>(change.window_ns);
    }
    if (step_clock_) {
      const int64_t gain = GainOf(of_steps_[static_cast<size_t>(share.cause)], left_halves);
      change.step_ns = Replay(graph_, *step_clock_, halves, at_) / steps_;
      change.step_at_most_ns = (step_clock_->length_ns() - gain) / steps_;
    }
    return change;
  }

  const PathGraph& graph_;
  const PathOf& window_;
  TimeRangeClock window_clock_;
  std::optional<TimeRangeClock> step_clock_;
  PathSums of_steps_{};  // of the path through them
  int64_t steps_ = 0;
  std::vector<int64_t> at_;  // by node, of the last replay
};

}  // namespace

std::vector<WhatIf> FindWhatIfs(const PathGraph& graph, const PathOf& window,
                                const std::vector<PathOf>& steps) {
  return WhatIfFinder(graph, window, steps).Find();
}

}  // namespace steptrace::analyze
