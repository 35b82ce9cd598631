// SPDX-License-Identifier: Apache-2.0
#include "analyze/memory/memory_limits.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "analyze/input/job_facts.h"
#include "analyze/input/report_input.h"
#include "analyze/json/json_parts.h"
#include "model/finding_kinds.h"
#include "store/metrics.h"

namespace steptrace::analyze {
namespace {

constexpr double kCloseShare = 0.9;
constexpr double kMostBytes = 1e18;  // more is no reading
constexpr size_t kMostOfAKind = 64;

bool IsSane(const CounterSeries& series) {
  return !series.values.empty() && series.values.size() == series.times_ns.size() &&
         std::ranges::all_of(series.values,
                             [](double value) { return value >= 0 && value < kMostBytes; });
}

double PeakOf(const CounterSeries& series) {
  return *std::ranges::max_element(series.values);
}

// The last at that moment or before; nothing: there was none yet.
std::optional<double> LastUntil(const CounterSeries& series, int64_t ts_ns) {
  const auto next = std::ranges::upper_bound(series.times_ns, ts_ns);
  if (next == series.times_ns.begin()) return std::nullopt;
  return series.values[static_cast<size_t>(next - series.times_ns.begin()) - 1];
}

class LimitFinder {
 public:
  LimitFinder(const ReportInput& input, const JobFacts& facts) : input_(input), facts_(facts) {
    for (const CounterSeries& series : input.counters) {
      if (IsSane(series)) Note(series);
    }
  }

  std::vector<MemoryLimit> Find() {
    for (const auto& [node, metrics] : of_node_) {
      AddMachine(node, metrics);
      AddCgroup(node, metrics);
    }
    for (const auto& [key, metrics] : of_gpu_) AddGpu(key, metrics);
    for (const auto& [key, metrics] : of_process_) AddAllocator(key, metrics);
    OrderLimits(limits_);
    return std::move(limits_);
  }

 private:
  using Metrics = std::map<std::string_view, const CounterSeries*>;
  using OfGpu = std::pair<int32_t, int32_t>;                // node, device
  using OfProcess = std::tuple<int32_t, int64_t, int32_t>;  // node, pid, device

  void Note(const CounterSeries& series) {
    if (series.pid) {
      if (!series.device || !series.metric.starts_with("torch_cuda.")) return;
      of_process_[{series.node, *series.pid, *series.device}][series.metric] = &series;
    } else if (series.device) {
      of_gpu_[{series.node, *series.device}][series.metric] = &series;
    } else {
      of_node_[series.node][series.metric] = &series;
    }
  }

  static const CounterSeries* In(const Metrics& metrics, std::string_view name) {
    const auto found = metrics.find(name);
    return found == metrics.end() ? nullptr : found->second;
  }
  static const CounterSeries* In(const Metrics& metrics, store::Metric metric) {
    return In(metrics, NameOf(metric));
  }

  void Add(const MemoryLimit& limit) {
    if (limit.limit_bytes > 0) limits_.push_back(limit);
  }

  // Page cache, which the kernel gives up first, is available.
  void AddMachine(int32_t node, const Metrics& metrics) {
    const CounterSeries* total = In(metrics, store::Metric::kMemoryTotal);
    const CounterSeries* available = In(metrics, store::Metric::kMemoryAvailable);
    if (total == nullptr || available == nullptr) return;
    const double limit = total->values.back();
    const double least = *std::ranges::min_element(available->values);
    Add({.of = LimitOf::kMachine,
         .node = node,
         .limit_bytes = limit,
         .peak_bytes = std::max(0.0, limit - least)});
  }

  // What a cgroup is charged for holds page cache, what the processes hold counts what they share
  // in each: the less of both is nearer to what cannot be given up.
  void AddCgroup(int32_t node, const Metrics& metrics) {
    const CounterSeries* limit = In(metrics, store::Metric::kCgroupMemoryLimit);
    const CounterSeries* charged = In(metrics, store::Metric::kCgroupMemory);
    const CounterSeries* held = In(metrics, store::Metric::kJobRss);
    if (limit == nullptr || charged == nullptr || held == nullptr) return;
    double peak = 0;
    for (size_t i = 0; i < charged->values.size(); ++i) {
      const auto of_job = LastUntil(*held, charged->times_ns[i]);
      if (of_job) peak = std::max(peak, std::min(charged->values[i], *of_job));
    }
    Add({.of = LimitOf::kCgroup,
         .node = node,
         .limit_bytes = limit->values.back(),
         .peak_bytes = peak});
  }

  void AddGpu(const OfGpu& key, const Metrics& metrics) {
    const CounterSeries* total = In(metrics, store::Metric::kGpuMemoryTotal);
    const CounterSeries* used = In(metrics, store::Metric::kGpuMemoryUsed);
    if (total == nullptr || used == nullptr) return;
    Add({.of = LimitOf::kGpu,
         .node = key.first,
         .device = key.second,
         .limit_bytes = total->values.back(),
         .peak_bytes = PeakOf(*used)});
  }

  std::optional<int32_t> RankOf(int32_t node, int64_t pid) const {
    for (const RankProcess& one : input_.run.rank_processes) {
      if (one.node == node && one.pid == pid) return one.rank;
    }
    return std::nullopt;
  }

  // By what the rank itself tells of its device: numbers of the machine may be others.
  void AddAllocator(const OfProcess& key, const Metrics& metrics) {
    const auto& [node, pid, device] = key;
    const CounterSeries* allocated = In(metrics, store::torch_cuda::kAllocatedBytes);
    const std::optional<int32_t> rank = RankOf(node, pid);
    if (allocated == nullptr || !rank) return;
    const auto bytes = facts_.device_bytes.find({*rank, device});
    if (bytes == facts_.device_bytes.end()) return;
    const auto peak = [&metrics](std::string_view name) -> std::optional<double> {
      const CounterSeries* series = In(metrics, name);
      return series == nullptr ? std::nullopt : std::optional(PeakOf(*series));
    };
    Add({.of = LimitOf::kAllocator,
         .node = node,
         .rank = rank,
         .device = device,
         .limit_bytes = static_cast<double>(bytes->second),
         .peak_bytes = PeakOf(*allocated),
         .reserved_peak_bytes = peak(store::torch_cuda::kReservedBytes),
         .retries = peak(store::torch_cuda::kAllocRetries)});
  }

  const ReportInput& input_;
  const JobFacts& facts_;
  std::map<int32_t, Metrics> of_node_;
  std::map<OfGpu, Metrics> of_gpu_;
  std::map<OfProcess, Metrics> of_process_;
  std::vector<MemoryLimit> limits_;
};

Json BytesOrNull(const std::optional<double>& bytes) {
  return bytes ? Json(static_cast<int64_t>(*bytes)) : Json();
}

}  // namespace

// The driver's figure holds what an allocator keeps for later: it says nothing of room.
bool MemoryLimit::close() const {
  if (of == LimitOf::kGpu) return false;
  return peak_bytes >= kCloseShare * limit_bytes || retries.value_or(0) > 0;
}

std::string_view NameOf(LimitOf of) {
  switch (of) {
    case LimitOf::kMachine:
      return "machine";
    case LimitOf::kCgroup:
      return "cgroup";
    case LimitOf::kGpu:
      return "gpu";
    case LimitOf::kAllocator:
      return "allocator";
  }
  return "";
}

std::vector<MemoryLimit> FindMemoryLimits(const ReportInput& input, const JobFacts& facts) {
  return LimitFinder(input, facts).Find();
}

void OrderLimits(std::vector<MemoryLimit>& limits) {
  std::ranges::stable_sort(limits, [](const MemoryLimit& a, const MemoryLimit& b) {
    if (a.of != b.of) return a.of < b.of;
    return a.peak_bytes / a.limit_bytes > b.peak_bytes / b.limit_bytes;
  });
  std::map<LimitOf, size_t> kept;
  std::erase_if(limits, [&kept](const MemoryLimit& one) { return ++kept[one.of] > kMostOfAKind; });
}

model::Finding CloseLimitOf(const MemoryLimit& limit, bool several) {
  namespace finding = model::finding;
  const double share = limit.peak_bytes / limit.limit_bytes;
  const auto node = several ? std::optional<int64_t>(limit.node) : std::nullopt;
  if (limit.of == LimitOf::kMachine) {
    return Make(finding::MemoryMachineNearlyFull{.node = node,
                                                 .peak = limit.peak_bytes,
                                                 .limit = limit.limit_bytes,
                                                 .share = share,
                                                 .left = limit.left_bytes()});
  }
  if (limit.of == LimitOf::kCgroup) {
    return Make(finding::MemoryCgroupNearlyFull{.node = node,
                                                .peak = limit.peak_bytes,
                                                .limit = limit.limit_bytes,
                                                .share = share,
                                                .left = limit.left_bytes()});
  }
  finding::MemoryDeviceNearlyFull full{.device = limit.device.value_or(0),
                                       .rank = limit.rank.value_or(0),
                                       .peak = limit.peak_bytes,
                                       .limit = limit.limit_bytes,
                                       .share = share,
                                       .left = limit.left_bytes()};
  if (limit.retries.value_or(0) > 0) full.retries = static_cast<int64_t>(*limit.retries);
  return Make(std::move(full));
}

nlohmann::ordered_json MemoryLimitsJson(std::span<const MemoryLimit> limits) {
  return Each(limits, [](const MemoryLimit& one) -> Json {
    return {{"of", NameOf(one.of)},
            {"node", one.node},
            {"rank", OrNull(one.rank)},
            {"device", OrNull(one.device)},
            {"limit_bytes", static_cast<int64_t>(one.limit_bytes)},
            {"peak_bytes", static_cast<int64_t>(one.peak_bytes)},
            {"left_bytes", static_cast<int64_t>(one.left_bytes())},
            {"reserved_peak_bytes", BytesOrNull(one.reserved_peak_bytes)},
            {"retries", BytesOrNull(one.retries)},
            {"close", one.close()}};
  });
}

}  // namespace steptrace::analyze
