// SPDX-License-Identifier: Apache-2.0
#include "analyze/critical_path/what_if.h"

#include <algorithm>

#include "analyze/critical_path/replay.h"

namespace steptrace::analyze {
namespace {

Stretch StretchOf(const PathOf& path) {
  return {path.begin_ns, path.begin_ns + path.dur_ns};
}

int64_t GainOf(int64_t ns, int32_t left_halves) {
  return left_halves == 0 ? ns : ns - ns / 2;
}

int64_t PartOf(const PathOf& path, PathCause cause) {
  for (const PathShare& share : path.causes) {
    if (share.cause == cause) return share.ns;
  }
  return 0;
}

class WhatIfFinder {
 public:
  WhatIfFinder(const PathGraph& graph, const PathOf& window, const std::vector<PathOf>& steps)
      : graph_(graph), window_(window), steps_(steps) {
    window_span_ = MakeReplaySpans(graph, {StretchOf(window)});
    std::vector<Stretch> spans;
    for (const PathOf& step : steps) spans.push_back(StretchOf(step));
    if (!spans.empty()) step_spans_ = MakeReplaySpans(graph, std::move(spans));
  }

  std::vector<WhatIf> Find() {
    constexpr size_t kMostStages = 4;
    size_t stages = 0;
    std::vector<WhatIf> changes;
    for (const PathShare& share : window_.causes) {
      if (IsKept(share.cause)) continue;
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
    change.window_ns = Replay(graph_, window_span_, halves, at_).front() - window_.begin_ns;
    change.at_most_ns = window_.dur_ns - GainOf(share.ns, left_halves);
    change.causes =
        SharesOf(ReplayedCauses(graph_, StretchOf(window_), halves, at_), change.window_ns);
    if (change.window_ns > 0) {
      change.speedup = static_cast<double>(window_.dur_ns) / static_cast<double>(change.window_ns);
    }
    if (!steps_.empty()) OfSteps(share.cause, halves, left_halves, change);
    return change;
  }

  void OfSteps(PathCause cause, const Halves& halves, int32_t left_halves, WhatIf& change) {
    const std::vector<int64_t> ends = Replay(graph_, step_spans_, halves, at_);
    int64_t replayed = 0;
    int64_t at_most = 0;
    for (size_t s = 0; s < steps_.size(); ++s) {
      replayed += ends[s] - steps_[s].begin_ns;
      at_most += steps_[s].dur_ns - GainOf(PartOf(steps_[s], cause), left_halves);
    }
    const auto count = static_cast<int64_t>(steps_.size());
    change.step_ns = replayed / count;
    change.step_at_most_ns = at_most / count;
  }

  const PathGraph& graph_;
  const PathOf& window_;
  const std::vector<PathOf>& steps_;
  ReplaySpans window_span_;
  ReplaySpans step_spans_;
  std::vector<int64_t> at_;  // by node, of the last replay
};

}  // namespace

std::vector<WhatIf> FindWhatIfs(const PathGraph& graph, const PathOf& window,
                                const std::vector<PathOf>& steps) {
  return WhatIfFinder(graph, window, steps).Find();
}

}  // namespace steptrace::analyze
