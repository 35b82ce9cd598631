// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "analyze/rules/modern_data.h"
#include "analyze/stats/quantile.h"
#include "model/finding_kinds.h"

// GPUs as the rules of the mode modern see them: sampled or, in a profile, by all that they did.
namespace steptrace::analyze {

namespace finding = model::finding;

namespace {

double PercentOfTime(int64_t part_ns, int64_t whole_ns) {
  return 100 * static_cast<double>(part_ns) / static_cast<double>(whole_ns);
}

}  // namespace

std::vector<SignalSeries> ActivityOf(const RulesInput& input, const SystemSignals& sampled) {
  std::set<int32_t> nodes;
  for (const SignalSeries* gpu : sampled.Of(Signal::kGpu)) nodes.insert(gpu->node);
  std::vector<SignalSeries> activity;
  for (const DeviceUse& use : input.device_use) {
    if (nodes.contains(use.node) || use.parts.empty()) continue;
    SignalSeries& series = activity.emplace_back();
    series.signal = Signal::kGpu;
    series.node = use.node;
    series.device = use.device;
    series.rank = use.rank;
    for (const DeviceUse::Part& part : use.parts) {
      series.times_ns.push_back(part.ts_ns);
      series.ends_ns.push_back(part.ts_ns + part.dur_ns);
      series.values.push_back(PercentOfTime(part.busy_ns, part.dur_ns));
      if (use.by_step) series.waits.push_back(PercentOfTime(part.data_ns, part.dur_ns));
    }
  }
  return activity;
}

std::vector<SignalSeries> AllocatedOf(const RulesInput& input, const SystemSignals& sampled) {
  std::set<int32_t> nodes;
  for (const SignalSeries* gpu : sampled.Of(Signal::kGpuMemory)) nodes.insert(gpu->node);
  std::vector<SignalSeries> allocated;
  for (const DeviceMemory& memory : input.device_memory) {
    if (nodes.contains(memory.node) || memory.parts.empty() || memory.capacity_bytes <= 0) continue;
    SignalSeries& series = allocated.emplace_back();
    series.signal = Signal::kGpuMemory;
    series.above_begin = memory.above_begin;
    series.node = memory.node;
    series.device = memory.device;
    series.rank = memory.rank;
    for (const DeviceMemory::Part& part : memory.parts) {
      series.times_ns.push_back(part.ts_ns);
      series.ends_ns.push_back(part.ts_ns + part.dur_ns);
      series.values.push_back(100 * static_cast<double>(part.peak_bytes) /
                              static_cast<double>(memory.capacity_bytes));
    }
  }
  return allocated;
}

model::Finding NoGpu(const ModernData& data) {
  return Unmeasured<finding::ReasonNoGpuMetric>(data, Signal::kGpu);
}

model::Finding UnknownAllocation(const ModernData& data) {
  constexpr Signal kMemory = Signal::kGpuMemory;
  const auto sizeless = std::any_of(data.input.device_memory.begin(),
                                    data.input.device_memory.end(), [](const DeviceMemory& memory) {
                                      return !memory.parts.empty() && memory.capacity_bytes <= 0;
                                    });
  if (sizeless) return Unmeasured<finding::ReasonGpuMemorySizeUnknown>(data, kMemory);
  if (!data.input.device_memory.empty()) {
    return Unmeasured<finding::ReasonMemoryInNoStep>(data, kMemory);
  }
  return data.activity.empty() ? Unmeasured<finding::ReasonNoGpuMemory>(data, kMemory)
                               : Unmeasured<finding::ReasonNoMemoryRecords>(data, kMemory);
}

GpuName NameOf(const SignalSeries& gpu) {
  if (gpu.rank < 0) return {gpu.device, std::nullopt, gpu.node, false};
  return {gpu.device, gpu.rank, std::nullopt, gpu.signal == Signal::kGpuMemory};
}

model::Rows GpuRows(const SignalSeries& gpu, IndexRange range) {
  const int64_t from_ns = gpu.times_ns[range.begin];
  if (gpu.rank < 0) {
    model::Conditions times = model::Between(from_ns, gpu.times_ns[range.end - 1]);
    return {"counters", gpu.track < 0 ? times : OnTrack(gpu.track, std::move(times))};
  }
  // Its values are of the rank's steps, or one of all of its time.
  if (!gpu.by_step() && gpu.signal != Signal::kGpuMemory) return {};
  model::Conditions steps = model::Within(from_ns, gpu.ends_ns[range.end - 1]);
  steps.insert(steps.begin(), {"rank", model::Compare::kEqual, gpu.rank});
  return {"steps", std::move(steps)};
}

void ModernActiveBottleneck(const ModernData& data, RuleResult& result) {
  constexpr RuleId kRule = RuleId::kCpuBottleneck;
  const auto get = [&](ParameterId parameter) { return data.settings.Number(parameter); };
  for (const SignalSeries& gpu : data.activity) {
    if (!gpu.by_step()) continue;
    result.datapoints += static_cast<int64_t>(gpu.values.size());
    for (const IndexRange& range :
         Windows(gpu.values.size(), data.settings.Count({kRule, "window"}), 0)) {
      int64_t idle = 0, found = 0;
      for (size_t i = range.begin; i < range.end; ++i) {
        if (!(gpu.values[i] < get({kRule, "gpu_threshold"}))) continue;
        ++idle;
        found += gpu.waits[i] > get({kRule, "max_wait"});
      }
      const auto count = static_cast<int64_t>(range.end - range.begin);
      if (!(100.0 * static_cast<double>(found) >
            get({kRule, "threshold"}) * static_cast<double>(count))) {
        continue;
      }
      ++result.triggered;
      const GpuName name = NameOf(gpu);
      AddEvidence(result, Make(finding::RuleStepsStarveGpu{.device = name.device,
                                                           .rank = name.rank,
                                                           .node = name.node,
                                                           .allocations = name.allocations,
                                                           .idle = idle,
                                                           .steps = count,
                                                           .found = found,
                                                           .rows = GpuRows(gpu, range)}));
    }
  }
}

}  // namespace steptrace::analyze
