// SPDX-License-Identifier: Apache-2.0
#include "analyze/rules/device_use.h"

#include <algorithm>
#include <tuple>

#include "analyze/input/step_selection.h"

namespace steptrace::analyze {
namespace {

using PartsOfRanks = std::map<int32_t, std::vector<DeviceUse::Part>>;

PartsOfRanks SteadySteps(const store::PackedSteps& steps, const store::StringTable& strings) {
  PartsOfRanks parts;
  const StepKinds kinds(strings);
  for (const store::StepRow& row : steps) {
    if (!IsPlausible(row) || !kinds.IsSteady(row)) continue;
    parts[row.rank].push_back(
        {row.ts_ns, row.dur_ns, 0, std::clamp<int64_t>(row.data_ns, 0, row.dur_ns)});
  }
  for (auto& [rank, of_rank] : parts) {
    std::sort(of_rank.begin(), of_rank.end(),
              [](const auto& a, const auto& b) { return a.ts_ns < b.ts_ns; });
  }
  return parts;
}

}  // namespace

void DeviceUseBuilder::Add(int32_t node, int32_t rank, int32_t device, TimeRange work) {
  constexpr int64_t kFar = int64_t{1} << 61;  // that a run can hold: lengths are numbers yet
  if (too_much_ || work.begin_ns >= work.end_ns) return;
  if (work.begin_ns <= -kFar || work.end_ns >= kFar) return;
  Work& of = work_[{rank, device}];
  of.node = node;
  if (!of.time_ranges.empty()) {  // as work comes by time, mostly
    TimeRange& last = of.time_ranges.back();
    if (work.begin_ns >= last.begin_ns && work.begin_ns <= last.end_ns) {
      last.end_ns = std::max(last.end_ns, work.end_ns);
      return;
    }
  }
  of.time_ranges.push_back(work);
  if (++held_ <= kMostRanges) return;
  for (auto& [key, one] : work_) Merge(one);
  // Merging again and again what hardly gets less would take for ever.
  too_much_ = held_ > kMostRanges / 2;
}

void DeviceUseBuilder::Merge(Work& work) {
  held_ -= work.time_ranges.size();
  work.time_ranges = Union(std::move(work.time_ranges));
  held_ += work.time_ranges.size();
}

std::vector<DeviceUse> DeviceUseBuilder::Finish(const store::PackedSteps& steps,
                                                const store::StringTable& strings) {
  std::vector<DeviceUse> uses;
  if (too_much_) return uses;
  PartsOfRanks steady = SteadySteps(steps, strings);
  size_t parts = 0;
  for (const auto& [key, work] : work_) parts += steady[key.first].size();
  if (parts > kMostParts) steady.clear();
  for (auto& [key, work] : work_) {
    Merge(work);
    DeviceUse& use = uses.emplace_back();
    use.node = work.node;
    std::tie(use.rank, use.device) = key;
    const auto found = steady.find(use.rank);
    use.by_step = found != steady.end() && found->second.size() >= DeviceUse::kLeastSteps;
    if (use.by_step) {
      use.parts = found->second;
    } else {
      const int64_t begin = work.time_ranges.front().begin_ns;
      use.parts.push_back({begin, work.time_ranges.back().end_ns - begin, 0, 0});
    }
    const MeasuredIntervals busy(work.time_ranges);  // more may be added
    for (DeviceUse::Part& part : use.parts) {
      part.busy_ns = busy.LengthWithin({part.ts_ns, part.ts_ns + part.dur_ns});
    }
  }
  return uses;
}

std::vector<DeviceUse> DeviceUseOf(const Trace& trace, const store::PackedSteps& steps,
                                   const store::StringTable& strings) {
  DeviceUseBuilder builder;
  for (const RankTrace& rank : trace.ranks) {
    for (const TraceEvent& event : rank.device) {
      if (!IsDeviceWork(event)) continue;
      const int32_t device = rank.lanes[static_cast<size_t>(event.lane)].device;
      builder.Add(rank.node, rank.rank, device, {event.ts_ns, event.end_ns()});
    }
  }
  return builder.Finish(steps, strings);
}

}  // namespace steptrace::analyze
