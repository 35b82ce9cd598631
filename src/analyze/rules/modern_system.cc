// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>

#include "analyze/rules/modern_data.h"
#include "analyze/stats/quantile.h"
#include "model/finding_kinds.h"

namespace steptrace::analyze {

namespace finding = model::finding;

namespace {

double Get(const ModernData& data, ParameterId parameter) {
  return data.settings.Number(parameter);
}
size_t Count(const ModernData& data, ParameterId parameter) {
  return data.settings.Count(parameter);
}

std::span<const double> Part(const SignalSeries& one, IndexRange range) {
  return std::span(one.values).subspan(range.begin, range.end - range.begin);
}

// Windows of one device in which the same was found, and the figures and rows of the first.
struct FoundWindows {
  int64_t count = 0;
  IndexRange first;
  double p95 = 0, p5 = 0;
};

// Of a device whose use is one figure, or all of whose steps are one window, that is said.
template <typename OverProfile, typename OverSteps, typename InWindows>
void AddGpuEvidence(RuleResult& result, const SignalSeries& gpu, const FoundWindows& found,
                    size_t windows) {
  if (found.count == 0) return;
  const GpuName name = NameOf(gpu);
  model::Rows rows = GpuRows(gpu, found.first);
  if (gpu.rank >= 0 && !gpu.by_step()) {
    AddEvidence(result, Make(OverProfile{.device = name.device,
                                         .rank = name.rank,
                                         .node = name.node,
                                         .allocations = name.allocations,
                                         .busy = found.p95,
                                         .rows = std::move(rows)}));
  } else if (gpu.rank >= 0 && windows == 1) {
    AddEvidence(result, Make(OverSteps{.device = name.device,
                                       .rank = name.rank,
                                       .node = name.node,
                                       .allocations = name.allocations,
                                       .steps = gpu.values.size(),
                                       .p95 = found.p95,
                                       .p5 = found.p5,
                                       .rows = std::move(rows)}));
  } else {
    AddEvidence(result, Make(InWindows{.device = name.device,
                                       .rank = name.rank,
                                       .node = name.node,
                                       .allocations = name.allocations,
                                       .found = found.count,
                                       .windows = windows,
                                       .p95 = found.p95,
                                       .p5 = found.p5,
                                       .rows = std::move(rows)}));
  }
}

using SeriesOfDevices = std::map<std::pair<int32_t, int32_t>, const SignalSeries*>;
SeriesOfDevices ByDevice(const std::vector<const SignalSeries*>& all) {
  SeriesOfDevices devices;
  for (const SignalSeries* one : all) devices.emplace(std::pair(one->node, one->device), one);
  return devices;
}

std::span<const double> ValuesBetween(const SignalSeries& one, int64_t from_ns, int64_t to_ns) {
  const auto begin = std::lower_bound(one.times_ns.begin(), one.times_ns.end(), from_ns);
  const auto end = std::upper_bound(begin, one.times_ns.end(), to_ns);
  return std::span(one.values)
      .subspan(static_cast<size_t>(begin - one.times_ns.begin()), static_cast<size_t>(end - begin));
}

bool HasNoGpu(const ModernData& data, RuleResult& result) {
  if (!data.Gpus().empty()) return false;
  result = NotApplicable(std::move(result), NoGpu(data));
  return true;
}

}  // namespace

std::vector<IndexRange> Windows(size_t count, size_t size, size_t least) {
  std::vector<IndexRange> windows;
  size = std::max<size_t>(size, 1);
  for (size_t at = 0; at < count; at += size) {
    const size_t end = std::min(at + size, count);
    if (end - at < std::min(size, std::max<size_t>(least, 1)) && !windows.empty()) {
      windows.back().end = end;
    } else {
      windows.push_back({at, end});
    }
  }
  return windows;
}

RuleResult ModernLowGpuUtilization(const ModernData& data) {
  constexpr RuleId kRule = RuleId::kLowGpuUtilization;
  RuleResult result = EmptyResult(kRule, data.settings);
  if (HasNoGpu(data, result)) return result;
  bool enough = false;
  for (const SignalSeries* gpu : data.Gpus()) {
    const size_t patience = data.PatienceFor({kRule, "patience"}, *gpu);
    result.datapoints += static_cast<int64_t>(gpu->values.size());
    if (gpu->values.size() <= patience) continue;
    enough = true;
    if (*std::max_element(gpu->values.begin(), gpu->values.end()) <= 0) {
      ++result.triggered;  // once: it is not a matter of time
      const GpuName name = NameOf(*gpu);
      AddEvidence(result,
                  Make(finding::RuleGpuNotUsed{.device = name.device,
                                               .rank = name.rank,
                                               .node = name.node,
                                               .allocations = name.allocations,
                                               .rows = GpuRows(*gpu, {0, gpu->values.size()})}));
      continue;
    }
    const auto windows = Windows(gpu->values.size(), Count(data, {kRule, "window"}), patience);
    FoundWindows under, fluctuating;
    for (const IndexRange& range : windows) {
      const double p95 = Quantile(Part(*gpu, range), 0.95);
      const double p5 = Quantile(Part(*gpu, range), 0.05);
      const bool low = p95 < Get(data, {kRule, "threshold_p95"});
      if (!low && !(p5 < Get(data, {kRule, "threshold_p5"}))) continue;
      FoundWindows& found = low ? under : fluctuating;
      if (found.count++ == 0) found = {1, range, p95, p5};
      ++result.triggered;
    }
    AddGpuEvidence<finding::RuleGpuUnderUtilisedOverProfile, finding::RuleGpuUnderUtilisedOverSteps,
                   finding::RuleGpuUnderUtilised>(result, *gpu, under, windows.size());
    AddGpuEvidence<finding::RuleGpuFluctuatesOverProfile, finding::RuleGpuFluctuatesOverSteps,
                   finding::RuleGpuFluctuates>(result, *gpu, fluctuating, windows.size());
  }
  if (!enough) return NotApplicable(std::move(result), Make(finding::ReasonFewSamples{}));
  return Judged(std::move(result));
}

RuleResult ModernBatchSize(const ModernData& data) {
  constexpr RuleId kRule = RuleId::kBatchSize;
  RuleResult result = EmptyResult(kRule, data.settings);
  if (HasNoGpu(data, result)) return result;
  if (!data.signals.Has(Signal::kGpuMemory) || !data.signals.Has(Signal::kCpu)) {
    const Signal missing = data.signals.Has(Signal::kGpuMemory) ? Signal::kCpu : Signal::kGpuMemory;
    return NotApplicable(std::move(result),
                         Unmeasured<finding::ReasonNoGpuMemoryOrCpu>(data, missing));
  }
  std::map<int32_t, SignalSeries> cpu;  // mean of the node's own cores
  for (const auto& [node, snapshots] : data.snapshots) {
    for (const NodeSnapshot& one : snapshots) {
      if (!one.cpu) continue;
      cpu[node].times_ns.push_back(one.ts_ns);
      cpu[node].values.push_back(*one.cpu);
    }
  }
  const SeriesOfDevices memories = ByDevice(data.signals.Of(Signal::kGpuMemory));
  const size_t patience = Count(data, {kRule, "patience"});
  bool enough = false;
  for (const SignalSeries* gpu : data.signals.Of(Signal::kGpu)) {
    const auto memory = memories.find({gpu->node, gpu->device});
    result.datapoints += static_cast<int64_t>(gpu->values.size());
    if (memory == memories.end() || !cpu.contains(gpu->node) || gpu->values.size() <= patience) {
      continue;
    }
    enough = true;
    for (const IndexRange& range :
         Windows(gpu->values.size(), Count(data, {kRule, "window"}), patience)) {
      const int64_t from = gpu->times_ns[range.begin], to = gpu->times_ns[range.end - 1];
      const auto cpu_part = ValuesBetween(cpu[gpu->node], from - kSnapshotNs, to + kSnapshotNs);
      const auto memory_part = ValuesBetween(*memory->second, from - kSnapshotNs, to + kSnapshotNs);
      if (cpu_part.empty() || memory_part.empty()) continue;
      const double p95[] = {Quantile(cpu_part, 0.95), Quantile(Part(*gpu, range), 0.95),
                            Quantile(memory_part, 0.95)};
      if (!(p95[0] < Get(data, {kRule, "cpu_threshold_p95"})) ||
          !(p95[1] < Get(data, {kRule, "gpu_threshold_p95"})) ||
          !(p95[2] < Get(data, {kRule, "gpu_memory_threshold_p95"}))) {
        continue;
      }
      ++result.triggered;
      const GpuName name = NameOf(*gpu);
      AddEvidence(result, Make(finding::RuleBatchTooSmall{.device = name.device,
                                                          .rank = name.rank,
                                                          .node = name.node,
                                                          .allocations = name.allocations,
                                                          .cpu = p95[0],
                                                          .busy = p95[1],
                                                          .memory = p95[2],
                                                          .rows = GpuRows(*gpu, range)}));
    }
  }
  if (!enough) return NotApplicable(std::move(result), Make(finding::ReasonFewSamples{}));
  return Judged(std::move(result));
}

namespace {

// The share of each step that went into waiting for data, looked up by time.
class DataWaits {
 public:
  explicit DataWaits(const ModernData& data) {
    for (const store::StepRow& row : data.input.steps) {
      if (row.dur_ns <= 0) continue;
      const int64_t wait = std::clamp<int64_t>(row.data_ns, 0, row.dur_ns);
      steps_[row.node].push_back(
          {row.ts_ns, row.ts_ns + row.dur_ns,
           100 * static_cast<double>(wait) / static_cast<double>(row.dur_ns)});
    }
    for (auto& [node, steps] : steps_) {
      std::sort(steps.begin(), steps.end(),
                [](const Step& a, const Step& b) { return a.end_ns < b.end_ns; });
    }
  }

  // In per cent; 0 where no step of the node goes on.
  double At(int32_t node, int64_t ts_ns) const {
    const auto found = steps_.find(node);
    if (found == steps_.end()) return 0;
    const auto step =
        std::upper_bound(found->second.begin(), found->second.end(), ts_ns,
                         [](int64_t time, const Step& one) { return time < one.end_ns; });
    return step == found->second.end() || step->begin_ns > ts_ns ? 0 : step->wait;
  }

 private:
  struct Step {
    int64_t begin_ns, end_ns;
    double wait;
  };
  std::map<int32_t, std::vector<Step>> steps_;
};

bool LoadsData(const ModernData& data) {
  return !data.facts.loaders.empty() ||
         std::any_of(data.input.steps.begin(), data.input.steps.end(),
                     [](const store::StepRow& row) { return row.data_ns > 0 || row.waits > 0; });
}

}  // namespace

// A snapshot of a node is a bottleneck when its GPUs, all together, have nothing to do and what
// feeds them is busy: the CPU as a whole, or a step that waits for data (CPUBottleneck); storage,
// by the sum over the cores: one thread that waits all the time is 100 % (IOBottleneck).
static RuleResult JudgeBottleneck(RuleId rule, const ModernData& data) {
  const bool cpu = rule == RuleId::kCpuBottleneck;
  RuleResult result = EmptyResult(rule, data.settings);
  if (HasNoGpu(data, result)) return result;
  const bool active = std::any_of(data.activity.begin(), data.activity.end(),
                                  [](const SignalSeries& one) { return one.by_step(); });
  if (cpu && active && LoadsData(data)) {
    ModernActiveBottleneck(data, result);
    if (!data.signals.Has(Signal::kGpu)) return Judged(std::move(result));
  }
  if (!data.signals.Has(cpu ? Signal::kCpu : Signal::kIoWait)) {
    return NotApplicable(std::move(result), NotMeasured(data, rule));
  }
  const DataWaits waits(data);
  const size_t patience = Count(data, BottleneckParameter("patience").Of(rule));
  bool enough = false;
  for (const auto& [node, all] : data.snapshots) {
    std::vector<NodeSnapshot> snapshots = all;
    std::erase_if(snapshots, [](const NodeSnapshot& one) { return !one.gpu; });
    result.datapoints += static_cast<int64_t>(snapshots.size());
    if (snapshots.size() <= patience) continue;
    enough = true;
    for (const IndexRange& range :
         Windows(snapshots.size(), Count(data, BottleneckParameter("window").Of(rule)), patience)) {
      int64_t idle = 0, found = 0;
      for (size_t i = range.begin; i < range.end; ++i) {
        const NodeSnapshot& one = snapshots[i];
        if (!(*one.gpu < Get(data, BottleneckParameter("gpu_threshold").Of(rule)))) continue;
        ++idle;
        found +=
            cpu ? one.cpu.value_or(0) > Get(data, {RuleId::kCpuBottleneck, "cpu_threshold"}) ||
                      waits.At(node, one.ts_ns) > Get(data, {RuleId::kCpuBottleneck, "max_wait"})
                : one.io_wait_sum > Get(data, {RuleId::kIoBottleneck, "io_threshold"});
      }
      const auto count = static_cast<int64_t>(range.end - range.begin);
      if (!(100.0 * static_cast<double>(found) >
            Get(data, BottleneckParameter("threshold").Of(rule)) * static_cast<double>(count))) {
        continue;
      }
      ++result.triggered;
      model::Rows rows = {"counters", model::Between(snapshots[range.begin].ts_ns,
                                                     snapshots[range.end - 1].ts_ns + kSnapshotNs)};
      AddEvidence(result, cpu ? Make(finding::RuleCpuBottleneck{.node = node,
                                                                .idle = idle,
                                                                .snapshots = count,
                                                                .found = found,
                                                                .rows = std::move(rows)})
                              : Make(finding::RuleIoBottleneck{.node = node,
                                                               .idle = idle,
                                                               .snapshots = count,
                                                               .found = found,
                                                               .rows = std::move(rows)}));
    }
  }
  if (!enough) return NotApplicable(std::move(result), Make(finding::ReasonFewSnapshots{}));
  return Judged(std::move(result));
}

RuleResult ModernCpuBottleneck(const ModernData& data) {
  return JudgeBottleneck(RuleId::kCpuBottleneck, data);
}
RuleResult ModernIoBottleneck(const ModernData& data) {
  return JudgeBottleneck(RuleId::kIoBottleneck, data);
}

RuleResult ModernGpuMemoryIncrease(const ModernData& data) {
  constexpr RuleId kRule = RuleId::kGpuMemoryIncrease;
  RuleResult result = EmptyResult(kRule, data.settings);
  std::vector<const SignalSeries*> gpus = data.signals.Of(Signal::kGpuMemory);
  for (const SignalSeries& one : data.allocated) gpus.push_back(&one);
  if (gpus.empty()) {
    return NotApplicable(std::move(result), data.Gpus().empty() && data.input.device_memory.empty()
                                                ? NoGpu(data)
                                                : UnknownAllocation(data));
  }
  bool enough = false;
  for (const SignalSeries* gpu : gpus) {
    const bool recorded = gpu->rank >= 0;
    const size_t patience =
        recorded ? DeviceMemory::kLeastSteps - 1 : data.PatienceFor({kRule, "patience"}, *gpu);
    result.datapoints += static_cast<int64_t>(gpu->values.size());
    if (gpu->values.size() <= patience) continue;
    enough = true;
    for (const IndexRange& range :
         Windows(gpu->values.size(), Count(data, {kRule, "window"}), patience)) {
      const auto part = Part(*gpu, range);
      const double growth = RobustSlope(part) * static_cast<double>(part.size() - 1);
      if (!(growth > Get(data, {kRule, "increase"}))) continue;
      ++result.triggered;
      const int64_t length = gpu->times_ns[range.end - 1] - gpu->times_ns[range.begin];
      const auto steps = static_cast<int64_t>(part.size());
      const GpuName name = NameOf(*gpu);
      AddEvidence(result, Make(finding::RuleMemoryGrew{
                              .device = name.device,
                              .rank = name.rank,
                              .node = name.node,
                              .allocations = name.allocations,
                              .points = growth,
                              .steps = recorded ? std::optional(steps) : std::nullopt,
                              .time = recorded ? std::nullopt : std::optional(length),
                              .memory = part.back(),
                              .above_begin = gpu->above_begin,
                              .rows = GpuRows(*gpu, range)}));
    }
  }
  if (!enough) {
    return NotApplicable(
        std::move(result),
        data.allocated.empty()
            ? Make(finding::ReasonFewSamples{})
            : Make(finding::ReasonFewRecordedSteps{.least = DeviceMemory::kLeastSteps}));
  }
  return Judged(std::move(result));
}

RuleResult ModernOverallSystemUsage(const ModernData& data) {
  RuleResult result = EmptyResult(RuleId::kOverallSystemUsage, data.settings);
  for (const auto& [node, snapshots] : data.snapshots) {
    result.datapoints += static_cast<int64_t>(snapshots.size());
  }
  if (result.datapoints == 0) {
    return NotApplicable(std::move(result), NoMetric(data));
  }
  return result;
}

}  // namespace steptrace::analyze
