// SPDX-License-Identifier: Apache-2.0
#include "analyze/device/device_section.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "analyze/device/device_work.h"
#include "analyze/device/precision.h"
#include "analyze/trace/device_facts.h"
#include "analyze/trace/tensor_cores.h"

namespace steptrace::analyze {
namespace {

std::optional<double> Share(int64_t part, int64_t whole) {
  if (whole <= 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

// What names of kernels tell: each is read once.
class NameOfKernel {
 public:
  struct NameFacts {
    bool tensor_cores = false;
    Precision precision = Precision::kNotStated;
  };
  NameOfKernel(const store::StringTable& strings, const TensorCorePatterns& patterns)
      : strings_(strings), patterns_(patterns) {}
  const NameFacts& Of(store::StringId name) {
    auto [found, added] = by_name_.try_emplace(name);
    if (added) {
      const std::string& text = strings_.Text(name);
      found->second = {UsesTensorCores(text, patterns_), PrecisionOf(text)};
    }
    return found->second;
  }

 private:
  const store::StringTable& strings_;
  const TensorCorePatterns& patterns_;
  std::unordered_map<store::StringId, NameFacts> by_name_;
};

TensorCoreUse MakeTensorCores(const DeviceWork& work, NameOfKernel& names) {
  TensorCoreUse use;
  for (const TraceEvent* event : work.events) {
    if (event->kind != EventKind::kKernel) continue;
    use.kernel_ns += event->dur_ns;
    if (event->role == DeviceRole::kCompute) use.compute_kernel_ns += event->dur_ns;
    if (names.Of(event->name).tensor_cores) use.tensor_core_ns += event->dur_ns;
  }
  use.share = Share(use.tensor_core_ns, use.kernel_ns);
  use.compute_share = Share(use.tensor_core_ns, use.compute_kernel_ns);
  return use;
}

std::vector<PrecisionTime> MakePrecisions(const DeviceWork& work, NameOfKernel& names) {
  std::array<std::optional<int64_t>, kPrecisionCount> sums;
  int64_t all_ns = 0;
  for (const TraceEvent* event : work.events) {
    if (event->kind != EventKind::kKernel || event->role != DeviceRole::kCompute) continue;
    auto& sum = sums[static_cast<size_t>(names.Of(event->name).precision)];
    sum = sum.value_or(0) + event->dur_ns;
    all_ns += event->dur_ns;
  }
  std::vector<PrecisionTime> times;
  for (size_t i = 0; i < kPrecisionCount; ++i) {
    if (sums[i]) times.push_back({static_cast<Precision>(i), *sums[i], Share(*sums[i], all_ns)});
  }
  std::stable_sort(times.begin(), times.end(),
                   [](const auto& a, const auto& b) { return a.ns > b.ns; });
  return times;
}

void CountLaunches(const DeviceWork& work, const store::StringTable& strings, DeviceTimes& times) {
  std::unordered_set<int32_t> graphs;
  for (const TraceEvent* event : work.events) {
    if (event->launch == kNone) {
      ++times.without_launch;
      continue;
    }
    const TraceEvent& call = work.rank->host[static_cast<size_t>(event->launch)];
    if (!IsGraphLaunch(strings.Text(call.name))) continue;
    graphs.insert(event->launch);
    ++times.graph_kernels;
  }
  times.graph_launches = static_cast<int64_t>(graphs.size());
}

void MeasureSteps(const DeviceWork& work, const BusySets& sets,
                  const std::vector<DeviceStep>& steps, int64_t sms, KernelFactsReader& facts,
                  DeviceTimes& times) {
  for (const DeviceStep& step : steps) {
    times.steps.push_back(
        {step.number, step.ts_ns, TimesWithin(sets, {step.ts_ns, step.end_ns()})});
  }
  if (steps.empty()) return;
  const TimeRange window = {steps.front().ts_ns, steps.back().end_ns()};
  times.steps_span_ns = window.length_ns();
  times.kernel_busy_ns = sets.kernels.LengthWithin(window);
  times.utilization = Share(times.kernel_busy_ns, times.steps_span_ns);
  times.est_sm_efficiency = SmEfficiency(work, window, sms, facts);
  times.est_achieved_occupancy = AchievedOccupancy(work, window, facts);
}

}  // namespace

DevicesSection BuildDevices(const Trace& trace, const TensorCorePatterns& patterns) {
  DevicesSection section;
  const DeviceFacts device_facts(trace);
  KernelFactsReader kernel_facts(*trace.strings);
  NameOfKernel names(*trace.strings, patterns);
  for (const RankTrace& rank : trace.ranks) {
    const std::vector<DeviceStep> steps = FindDeviceSteps(rank).steps;
    for (const DeviceWork& work : SplitByDevice(rank)) {
      const DeviceFact& fact = device_facts.Of(rank.rank, work.device);
      const BusySets sets = MakeBusySets(work.events);
      int64_t end = work.events.front()->end_ns();
      for (const TraceEvent* event : work.events) end = std::max(end, event->end_ns());
      DeviceTimes times;
      times.node = rank.node;
      times.rank = rank.rank;
      times.device = work.device;
      times.name = fact.name;
      times.uuid = fact.uuid;
      times.events = static_cast<int64_t>(work.events.size());
      times.ts_ns = work.events.front()->ts_ns;
      times.window = TimesWithin(sets, {times.ts_ns, end});
      MeasureSteps(work, sets, steps, fact.sms, kernel_facts, times);
      times.idle = FindIdleCauses(rank, work.events);
      times.tensor_cores = MakeTensorCores(work, names);
      times.precisions = MakePrecisions(work, names);
      CountLaunches(work, *trace.strings, times);
      times.streams = MakeStreams(work);
      times.copies = MakeCopies(work, *trace.strings);
      times.launches = MakeLaunches(work, *trace.strings);
      section.devices.push_back(std::move(times));
    }
    const auto roles = MakeRoles(rank, steps, *trace.strings);
    section.roles.insert(section.roles.end(), roles.begin(), roles.end());
  }
  return section;
}

}  // namespace steptrace::analyze
