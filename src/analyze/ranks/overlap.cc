// SPDX-License-Identifier: Apache-2.0
#include "analyze/ranks/overlap.h"

#include <algorithm>

namespace steptrace::analyze {

std::vector<TimeRange> StepTimeRanges(const RankTrace& rank) {
  std::vector<int64_t> device_end(rank.steps.size(), INT64_MIN);
  for (const TraceEvent& event : rank.device) {
    if (event.step == kNone || event.role == DeviceRole::kNone) continue;
    auto& end = device_end[static_cast<size_t>(event.step)];
    end = std::max(end, event.end_ns());
  }
  std::vector<TimeRange> time_ranges;
  int64_t previous_end = INT64_MIN;
  for (size_t i = 0; i < rank.steps.size(); ++i) {
    const int64_t begin = std::max(previous_end, rank.steps[i].ts_ns);
    const int64_t end = std::max({begin, rank.steps[i].end_ns(), device_end[i]});
    time_ranges.push_back({begin, end});
    previous_end = end;
  }
  return time_ranges;
}

OverlapOf::OverlapOf(const RankTrace& rank) {
  std::vector<TimeRange> computation;
  std::vector<TimeRange> communication;
  window_ = {INT64_MAX, INT64_MIN};
  for (const TraceEvent& event : rank.device) {
    if (event.role == DeviceRole::kNone) continue;
    window_.begin_ns = std::min(window_.begin_ns, event.ts_ns);
    window_.end_ns = std::max(window_.end_ns, event.end_ns());
    if (event.role == DeviceRole::kCompute) computation.push_back({event.ts_ns, event.end_ns()});
    if (event.role == DeviceRole::kCommunication) {
      communication.push_back({event.ts_ns, event.end_ns()});
    }
  }
  if (window_.begin_ns > window_.end_ns) window_ = {};
  computation_ = Union(std::move(computation));
  communication_ = Union(std::move(communication));
  both_ = Intersection(computation_, communication_);
}

OverlapTimes OverlapOf::Within(const TimeRange& window) const {
  OverlapTimes times;
  times.total_ns = window.length_ns();
  times.overlap_ns = LengthWithin(both_, window);
  times.computation_ns = LengthWithin(computation_, window) - times.overlap_ns;
  times.exposed_ns = LengthWithin(communication_, window) - times.overlap_ns;
  times.other_ns = times.total_ns - times.computation_ns - times.overlap_ns - times.exposed_ns;
  return times;
}

}  // namespace steptrace::analyze
