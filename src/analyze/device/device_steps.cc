// SPDX-License-Identifier: Apache-2.0
#include "analyze/device/device_steps.h"

#include <algorithm>
#include <limits>

namespace steptrace::analyze {
namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

bool IsWork(const TraceEvent& event) {
  return event.kind == EventKind::kKernel || event.kind == EventKind::kMemcpy ||
         event.kind == EventKind::kMemset;
}

// The host's own steps: as marked, or one over all operators.
std::vector<DeviceStep> HostSteps(const RankTrace& trace) {
  std::vector<DeviceStep> steps;
  for (size_t i = 0; i < trace.steps.size(); ++i) {
    const TraceStep& step = trace.steps[i];
    steps.push_back({step.number, step.ts_ns, step.dur_ns, static_cast<int32_t>(i), 0});
  }
  if (!steps.empty()) return steps;
  for (bool operators_alone : {true, false}) {
    int64_t begin = kMax;
    int64_t end = kMin;
    for (const TraceEvent& event : trace.host) {
      if (event.kind == EventKind::kOverhead) continue;
      if (operators_alone && event.kind != EventKind::kOperator) continue;
      begin = std::min(begin, event.ts_ns);
      end = std::max(end, event.end_ns());
    }
    if (begin <= end) return {{0, begin, end - begin, kNone, 0}};
  }
  return {};
}

// The device work of the calls that lie within a step as a whole.
struct Matched {
  int64_t count = 0;
  int64_t begin_ns = kMax;
  int64_t end_ns = kMin;
};

// Index of the step that a launch lies in as a whole; kNone: in none.
int32_t StepOfLaunch(const std::vector<DeviceStep>& steps, const TraceEvent& launch) {
  auto after = std::upper_bound(steps.begin(), steps.end(), launch.ts_ns,
                                [](int64_t ts, const DeviceStep& step) { return ts < step.ts_ns; });
  if (after == steps.begin()) return kNone;
  auto step = std::prev(after);
  // A moment at the boundary of two steps is the end of the first.
  if (launch.dur_ns == 0 && step != steps.begin() && std::prev(step)->end_ns() == launch.ts_ns) {
    return static_cast<int32_t>(step - steps.begin()) - 1;
  }
  if (launch.dur_ns == 0 && step->end_ns() == launch.ts_ns) {
    return static_cast<int32_t>(step - steps.begin());
  }
  if (launch.ts_ns >= step->end_ns() || launch.end_ns() > step->end_ns()) return kNone;
  return static_cast<int32_t>(step - steps.begin());
}

}  // namespace

DeviceSteps FindDeviceSteps(const RankTrace& trace) {
  DeviceSteps result;
  std::vector<DeviceStep>& steps = result.steps;
  steps = HostSteps(trace);
  std::vector<Matched> matched(steps.size());
  std::vector<int64_t> unmatched_ends;
  int64_t all = 0;
  for (const TraceEvent& event : trace.device) {
    if (!IsWork(event)) continue;
    const int32_t index = event.launch == kNone
                              ? kNone
                              : StepOfLaunch(steps, trace.host[static_cast<size_t>(event.launch)]);
    if (index == kNone) {
      unmatched_ends.push_back(event.end_ns());
      continue;
    }
    Matched& one = matched[static_cast<size_t>(index)];
    ++one.count;
    ++all;
    one.begin_ns = std::min(one.begin_ns, event.ts_ns);
    one.end_ns = std::max(one.end_ns, event.end_ns());
  }
  if (all == 0) return result;

  int64_t previous_end = steps.front().ts_ns;
  for (int64_t end : unmatched_ends) {
    if (matched.front().count > 0 && end < matched.front().begin_ns) {
      previous_end = std::max(previous_end, end);
    }
  }
  for (size_t i = 0; i < steps.size(); ++i) {
    const int64_t begin = std::max(previous_end, steps[i].ts_ns);
    const int64_t end = std::max({steps[i].end_ns(), matched[i].end_ns, begin});
    steps[i].ts_ns = begin;
    steps[i].dur_ns = end - begin;
    steps[i].device_events = matched[i].count;
    previous_end = end;
  }
  if (steps.size() < 2) return result;
  size_t keep = steps.size();
  while (matched[keep - 1].count == 0) --keep;
  // 0.8 in whole numbers.
  if (keep > 1 && matched[keep - 2].count * 4 > matched[keep - 1].count * 5) --keep;
  result.dropped = static_cast<int64_t>(steps.size() - keep);
  steps.resize(keep);
  return result;
}

}  // namespace steptrace::analyze
