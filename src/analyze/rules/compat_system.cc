// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <type_traits>

#include "analyze/rules/compat_base.h"
#include "analyze/rules/compat_rules.h"
#include "analyze/stats/quantile.h"
#include "model/finding_kinds.h"

// The rules on system metrics as they were published, quirks and all (sagemaker.md 2.1). Each quirk
// that is kept on purpose is named where it stands.
namespace steptrace::analyze {

namespace finding = model::finding;
namespace {

constexpr size_t kMostDatapoints = 1'000'000;  // then a rule forgets what it has seen

std::span<const double> Last(const std::vector<double>& values, size_t count) {
  // A window of 0 is all of them, as the reference's slice [-0:] is.
  if (count == 0 || count >= values.size()) return values;
  return std::span(values).last(count);
}

struct History {
  std::vector<double> values;
  std::vector<int64_t> times_ns;

  void Add(const SystemEvent& event) {
    values.push_back(event.value);
    times_ns.push_back(event.ts_ns);
  }
  int64_t WindowBegin(size_t window) const {
    return window == 0 || window >= times_ns.size() ? times_ns.front()
                                                    : times_ns[times_ns.size() - window];
  }
};

model::Conditions RowsOf(const ScanWindow& window, Signal signal, DeviceKey key, int64_t from_ns) {
  for (const SignalSeries& one : window.signals->series()) {
    if (one.signal == signal && one.node == key.first && one.device == key.second &&
        one.track >= 0) {
      return OnTrack(one.track, model::Between(from_ns, window.end_ns));
    }
  }
  return model::Between(from_ns, window.end_ns);
}

class LowGpu final : public CompatBase {
 public:
  static constexpr RuleId kRule = RuleId::kLowGpuUtilization;

  explicit LowGpu(const RuleSettings& settings) : CompatBase(kRule, settings) {}

  void Scan(const ScanWindow& window) override {
    for (const SystemEvent& event : window.system) {
      const SignalSeries& one = window.signals->series()[event.series];
      if (one.signal == Signal::kGpu) gpus_[{one.node, one.device}].Add(event);
    }
    bool full = false;
    for (const auto& [key, history] : gpus_) {
      result_.datapoints = static_cast<int64_t>(history.values.size());  // of the last GPU alone
      full |= history.values.size() > kMostDatapoints;
      if (history.values.size() > Count({kRule, "patience"})) Judge(window, key, history);
    }
    if (full) gpus_.clear();
  }

 private:
  void Judge(const ScanWindow& window, DeviceKey key, const History& history) {
    const auto last = Last(history.values, Count({kRule, "window"}));
    const double p95 = Quantile(last, 0.95);
    const double p5 = Quantile(last, 0.05);
    // At the threshold neither holds.
    const bool under = p95 < Get({kRule, "threshold_p95"});
    const bool fluctuates =
        p95 > Get({kRule, "threshold_p95"}) && p5 < Get({kRule, "threshold_p5"});
    if (!under && !fluctuates) return;
    ++result_.triggered;
    ++result_.violations;
    model::Rows rows = {"counters", RowsOf(window, Signal::kGpu, key,
                                           history.WindowBegin(Count({kRule, "window"})))};
    const auto tell = [&]<typename Kind>(std::type_identity<Kind>) {
      AddEvidence(key, Make(Kind{.device = key.second,
                                 .node = key.first,
                                 .p95 = p95,
                                 .p5 = p5,
                                 .samples = last.size(),
                                 .rows = std::move(rows)}));
    };
    if (under) return tell(std::type_identity<finding::RuleGpuUnderUtilisedLately>());
    tell(std::type_identity<finding::RuleGpuFluctuatesLately>());
  }

  std::map<DeviceKey, History> gpus_;
};

class BatchSize final : public CompatBase {
 public:
  static constexpr RuleId kRule = RuleId::kBatchSize;

  explicit BatchSize(const RuleSettings& settings) : CompatBase(kRule, settings) {}

  void Scan(const ScanWindow& window) override {
    std::map<int32_t, std::map<int64_t, double>> total;
    for (const SystemEvent& event : window.system) {
      const SignalSeries& one = window.signals->series()[event.series];
      const DeviceKey key{one.node, one.device};
      if (one.signal == Signal::kGpu) gpu_[key].Add(event);
      if (one.signal == Signal::kGpuMemory) memory_[key].Add(event);
      if (one.signal != Signal::kCpu) continue;
      cores_[one.device] = true;  // by name, over all nodes
      total[one.node][event.ts_ns] += event.value;
    }
    for (const auto& [node, by_time] : total) {
      for (const auto& [time, sum] : by_time) {
        cpu_[node].push_back(sum / static_cast<double>(cores_.size()));
      }
    }
    for (const auto& [node, cpu] : cpu_) JudgeNode(window, node, cpu);
  }

 private:
  void JudgeNode(const ScanWindow& window, int32_t node, const std::vector<double>& cpu) {
    const size_t size = Count({kRule, "window"});
    result_.datapoints = static_cast<int64_t>(cpu.size());
    if (cpu.size() <= size || cpu.size() <= Count({kRule, "patience"})) return;
    const double cpu_p95 = Quantile(Last(cpu, size), 0.95);
    if (!(cpu_p95 < Get({kRule, "cpu_threshold_p95"}))) return;
    for (const auto& [key, gpu] : gpu_) {
      if (key.first != node || gpu.values.size() <= size) continue;
      const auto memory = memory_.find(key);
      if (memory == memory_.end()) continue;
      const double gpu_p95 = Quantile(Last(gpu.values, size), 0.95);
      const double memory_p95 = Quantile(Last(memory->second.values, size), 0.95);
      if (!(gpu_p95 < Get({kRule, "gpu_threshold_p95"})) ||
          !(memory_p95 < Get({kRule, "gpu_memory_threshold_p95"}))) {
        continue;
      }
      ++result_.triggered;
      ++result_.violations;
      AddEvidence(key, Make(finding::RuleBatchTooSmall{
                           .device = key.second,
                           .node = key.first,
                           .allocations = false,
                           .cpu = cpu_p95,
                           .busy = gpu_p95,
                           .memory = memory_p95,
                           .rows = model::Rows{"counters", RowsOf(window, Signal::kGpu, key,
                                                                  gpu.WindowBegin(size))}}));
    }
  }

  std::map<DeviceKey, History> gpu_, memory_;
  std::map<int32_t, std::vector<double>> cpu_;
  std::map<int32_t, bool> cores_;
};

// CPUBottleneck and IOBottleneck: snapshots with any GPU idle and any core over a limit, of all
// nodes together, over the whole run.
class Bottleneck final : public CompatBase {
 public:
  Bottleneck(RuleId rule, const RuleSettings& settings)
      : CompatBase(rule, settings), cpu_(rule == RuleId::kCpuBottleneck) {}

  void Scan(const ScanWindow& window) override {
    const Signal busy = cpu_ ? Signal::kCpu : Signal::kIoWait;
    const double limit = Of({"cpu_threshold", "io_threshold"});
    std::map<int64_t, std::pair<int, int>> seen;  // snapshot: idle GPUs, busy cores
    for (const SystemEvent& event : window.system) {
      const Signal signal = window.signals->series()[event.series].signal;
      if (!snapshot_ns_ || std::abs(event.ts_ns - *snapshot_ns_) > kSnapshotNs) {
        snapshot_ns_ = event.ts_ns;
        ++result_.datapoints;
      }
      if (signal == Signal::kGpu && event.value < Of("gpu_threshold")) {
        ++seen[*snapshot_ns_].first;
      } else if (signal == busy && event.value > limit) {
        ++seen[*snapshot_ns_].second;
      }
    }
    for (const auto& [time, counts] : seen) {
      low_gpu_ += counts.first > 0;
      if (counts.first > 0 && counts.second > 0) bottlenecks_[time] = counts;
    }
    Judge();
    if (bottlenecks_.size() > kMostDatapoints) bottlenecks_.clear();
  }

 private:
  void Judge() {
    result_.violations = static_cast<int64_t>(bottlenecks_.size());
    if (bottlenecks_.empty()) return;
    const double share =
        100.0 * static_cast<double>(bottlenecks_.size()) / static_cast<double>(result_.datapoints);
    AddEvidence({0, 0},
                Make(finding::RuleBottlenecks{
                    .found = result_.violations,
                    .idle = low_gpu_,
                    .limit = Of("gpu_threshold"),
                    .snapshots = result_.datapoints,
                    .percent = share,
                    .rows = model::Rows{
                        "counters", model::Between(bottlenecks_.begin()->first,
                                                   bottlenecks_.rbegin()->first + kSnapshotNs)}}));
    if (result_.datapoints > static_cast<int64_t>(Of("patience")) &&
        // The reference divides before it multiplies.
        static_cast<double>(bottlenecks_.size()) / static_cast<double>(result_.datapoints) * 100 >
            Of("threshold")) {
      ++result_.triggered;
    }
  }

  double Of(BottleneckParameter parameter) const {
    return Get(cpu_ ? parameter.cpu : parameter.io);
  }

  bool cpu_;
  std::optional<int64_t> snapshot_ns_;
  int64_t low_gpu_ = 0;
  std::map<int64_t, std::pair<int, int>> bottlenecks_;
};

// The two windows lie one sample apart and the older one has one sample less: steps show, leaks
// never do.
class MemoryIncrease final : public CompatBase {
 public:
  static constexpr RuleId kRule = RuleId::kGpuMemoryIncrease;

  explicit MemoryIncrease(const RuleSettings& settings) : CompatBase(kRule, settings) {}

  void Scan(const ScanWindow& window) override {
    for (const SystemEvent& event : window.system) {
      const SignalSeries& one = window.signals->series()[event.series];
      if (one.signal != Signal::kGpuMemory) continue;
      const DeviceKey key{one.node, one.device};
      History& history = gpus_[key];
      history.Add(event);
      result_.datapoints = static_cast<int64_t>(history.values.size());
      Judge(window, key, history);
      if (history.values.size() > kMostDatapoints) gpus_.clear();
    }
  }

 private:
  void Judge(const ScanWindow& window, DeviceKey key, const History& history) {
    const size_t size = Count({kRule, "window"});
    const std::span<const double> all(history.values);
    if (size < 2 || all.size() <= size + 1) return;
    const double growth = Mean(all.last(size)) - Mean(all.subspan(all.size() - size - 1, size - 1));
    if (!(growth > Get({kRule, "increase"})) || all.size() <= Count({kRule, "patience"})) return;
    ++result_.triggered;
    ++result_.violations;
    AddEvidence(key, Make(finding::RuleMemoryMeanGrew{
                         .device = key.second,
                         .node = key.first,
                         .samples = size,
                         .points = growth,
                         .rows = model::Rows{"counters", RowsOf(window, Signal::kGpuMemory, key,
                                                                history.WindowBegin(size))}}));
  }

  std::map<DeviceKey, History> gpus_;
};

// A loop that stands outside the one it belongs in leaves only the last GPU of each node to be
// compared: on one node with itself, so never anything.
class Balance final : public CompatBase {
 public:
  static constexpr RuleId kRule = RuleId::kLoadBalancing;

  explicit Balance(const RuleSettings& settings) : CompatBase(kRule, settings) {}

  void Scan(const ScanWindow& window) override {
    for (const SystemEvent& event : window.system) {
      const SignalSeries& one = window.signals->series()[event.series];
      if (one.signal != Signal::kGpu) continue;
      Gpu& gpu = gpus_[{one.node, one.device}];
      ++gpu.samples;
      result_.datapoints = gpu.samples;
      // Values over 98 fall out; 98 itself belongs to the last bin.
      if (event.value >= 0 && event.value <= 98) {
        ++gpu.bins[std::min(static_cast<size_t>(event.value / 2), gpu.bins.size() - 1)];
      }
    }
    Compare(window);
  }

 private:
  struct Gpu {
    int64_t samples = 0;
    std::array<double, 49> bins{};
  };

  void Compare(const ScanWindow& window) {
    std::map<int32_t, const Gpu*> last;  // of each node
    for (const auto& [key, gpu] : gpus_) {
      if (gpu.samples > static_cast<int64_t>(Count({kRule, "patience"}))) last[key.first] = &gpu;
    }
    for (auto a = last.begin(); a != last.end(); ++a) {
      for (auto b = a; b != last.end(); ++b) {
        const double distance = Distance(a->second->bins, b->second->bins);
        if (!(distance > Get({kRule, "threshold"}))) continue;  // no number: an empty histogram
        ++result_.triggered;
        ++result_.violations;
        AddEvidence(
            {a->first, b->first},
            Make(finding::RuleLastGpusDiffer{
                .node = a->first,
                .other_node = b->first,
                .distance = distance,
                .rows = model::Rows{"counters", model::Between(window.begin_ns, window.end_ns)}}));
      }
    }
  }

  // Each is made to sum to 1, and so is their mean of the raw counts.
  static double Distance(const std::array<double, 49>& p, const std::array<double, 49>& q) {
    double p_sum = 0, q_sum = 0;
    for (size_t i = 0; i < p.size(); ++i) {
      p_sum += p[i];
      q_sum += q[i];
    }
    const double m_sum = (p_sum + q_sum) / 2;
    double p_entropy = 0, q_entropy = 0;
    for (size_t i = 0; i < p.size(); ++i) {
      const double m = (p[i] + q[i]) / 2 / m_sum;
      if (p[i] > 0) p_entropy += p[i] / p_sum * std::log(p[i] / p_sum / m);
      if (q[i] > 0) q_entropy += q[i] / q_sum * std::log(q[i] / q_sum / m);
    }
    if (p_sum == 0 || q_sum == 0) return std::nan("");
    return std::sqrt(std::max(0.0, (p_entropy + q_entropy) / 2));
  }

  std::map<DeviceKey, Gpu> gpus_;
};

class SystemUsage final : public CompatBase {
 public:
  explicit SystemUsage(const RuleSettings& settings)
      : CompatBase(RuleId::kOverallSystemUsage, settings) {}

  void Scan(const ScanWindow& window) override {
    for (const SystemEvent& event : window.system) {
      const SignalSeries& one = window.signals->series()[event.series];
      if (one.signal != Signal::kCpu) continue;
      if (first_node_ < 0) first_node_ = one.node;
      if (one.node == first_node_) times_[event.ts_ns] = true;
    }
    result_.datapoints = static_cast<int64_t>(times_.size());
  }

 private:
  int32_t first_node_ = -1;
  std::map<int64_t, bool> times_;
};

}  // namespace

std::unique_ptr<CompatRule> MakeCompatLowGpuUtilization(const RuleSettings& settings) {
  return std::make_unique<LowGpu>(settings);
}
std::unique_ptr<CompatRule> MakeCompatBatchSize(const RuleSettings& settings) {
  return std::make_unique<BatchSize>(settings);
}
std::unique_ptr<CompatRule> MakeCompatCpuBottleneck(const RuleSettings& settings) {
  return std::make_unique<Bottleneck>(RuleId::kCpuBottleneck, settings);
}
std::unique_ptr<CompatRule> MakeCompatIoBottleneck(const RuleSettings& settings) {
  return std::make_unique<Bottleneck>(RuleId::kIoBottleneck, settings);
}
std::unique_ptr<CompatRule> MakeCompatGpuMemoryIncrease(const RuleSettings& settings) {
  return std::make_unique<MemoryIncrease>(settings);
}
std::unique_ptr<CompatRule> MakeCompatLoadBalancing(const RuleSettings& settings) {
  return std::make_unique<Balance>(settings);
}
std::unique_ptr<CompatRule> MakeCompatOverallSystemUsage(const RuleSettings& settings) {
  return std::make_unique<SystemUsage>(settings);
}

}  // namespace steptrace::analyze
