// SPDX-License-Identifier: Apache-2.0
#include "analyze/memory/host_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "analyze/input/report_input.h"
#include "analyze/input/step_selection.h"
#include "analyze/json/json_parts.h"
#include "analyze/stats/distribution.h"
#include "model/finding_kinds.h"
#include "store/metrics.h"

namespace steptrace::analyze {
namespace {

constexpr std::string_view kAnon = NameOf(store::Metric::kProcessRssAnon);
constexpr std::string_view kAllocated = store::torch_cuda::kAllocatedBytes;
bool IsOfDevice(std::string_view metric) {
  return std::ranges::find(store::torch_cuda::kAll, metric) != std::end(store::torch_cuda::kAll);
}
constexpr size_t kMostProcesses = 256;
constexpr double kNsOfASecond = 1e9;
// Seconds. A worker fills its allocator, and writes to what it was forked with, for a while.
constexpr double kLeastOfWorkers = 60;
// Seconds. Of a device every step has its point: a few steps in a row may grow by their batches
// alone, as where these are sorted by length.
constexpr double kLeastOfDevices = 10;
// A slope whose interval is wider than this says nothing of a time to come.
constexpr double kMostOfInterval = 3;  // high over low
// A leak grows in each of seven blocks of steps: fewer compilations than blocks are no reason.
constexpr int64_t kLeastCompiled = 7;
constexpr int64_t kMostOutlookNs = int64_t{365} * 24 * 3600 * 1'000'000'000;

using Key = std::tuple<int32_t, int64_t, int32_t>;  // node, pid, device (-1: the host's)

class MemoryMaker {
 public:
  MemoryMaker(std::span<const CounterSeries> counters, const StepAxes& axes,
              std::span<const RankProcess> ranks)
      : axes_(axes), ranks_(ranks) {
    for (const CounterSeries& series : counters) Note(series);
  }

  HostMemorySection Make() {
    HostMemorySection section;
    for (const auto& [key, metrics] : series_) {
      const auto& [node, pid, device] = key;
      const CounterSeries* bytes = Find(metrics, device < 0 ? kAnon : kAllocated);
      if (bytes == nullptr || bytes->values.empty()) continue;
      section.processes.push_back(MakeOne(key, *bytes, metrics));
    }
    AddOutlooks(section);
    std::stable_sort(section.processes.begin(), section.processes.end(),
                     [](const ProcessMemoryRow& a, const ProcessMemoryRow& b) {
                       const bool a_leaks = a.growth.verdict == GrowthVerdict::kLeak;
                       const bool b_leaks = b.growth.verdict == GrowthVerdict::kLeak;
                       return a_leaks != b_leaks ? a_leaks : a.bytes > b.bytes;
                     });
    section.process_count = static_cast<int64_t>(section.processes.size());
    if (section.processes.size() > kMostProcesses) section.processes.resize(kMostProcesses);
    return section;
  }

 private:
  using Metrics = std::map<std::string_view, const CounterSeries*>;

  void Note(const CounterSeries& series) {
    constexpr double kMost = 1e18;
    if (series.values.empty() || series.values.size() != series.times_ns.size()) return;
    const bool sane = std::all_of(series.values.begin(), series.values.end(),
                                  [](double value) { return value >= 0 && value < kMost; });
    if (!sane) return;  // a run from elsewhere
    const std::string_view metric = series.metric;
    if (series.pid && (IsResidentMetric(metric) || IsOfDevice(metric))) {
      series_[{series.node, *series.pid, series.device.value_or(-1)}][metric] = &series;
      last_.Note(series);
    } else if (!series.pid && !series.device) {
      node_last_[series.node][metric] = series.values.back();
    } else if (!series.pid && metric == store::Metric::kGpuMemoryTotal) {
      device_total_[{series.node, series.device.value_or(-1)}] = series.values.back();
    }
  }

  static const CounterSeries* Find(const Metrics& metrics, std::string_view metric) {
    const auto found = metrics.find(metric);
    return found == metrics.end() ? nullptr : found->second;
  }
  static std::optional<double> LastOf(const Metrics& metrics, std::string_view metric) {
    const CounterSeries* series = Find(metrics, metric);
    return series == nullptr ? std::nullopt : std::optional(series->values.back());
  }

  // The steps to judge a process by; nullptr: its node has none.
  const StepAxis* AxisOf(int32_t node, std::optional<int32_t> rank) const {
    if (!rank) {
      for (const RankProcess& one : ranks_) {
        if (one.node == node && (!rank || one.rank < *rank)) rank = one.rank;
      }
    }
    const auto found = rank ? axes_.find(*rank) : axes_.end();
    return found == axes_.end() || found->second.empty() ? nullptr : &found->second;
  }

  ProcessMemoryRow MakeOne(const Key& key, const CounterSeries& bytes,
                           const Metrics& metrics) const {
    ProcessMemoryRow one;
    std::tie(one.node, one.pid, std::ignore) = key;
    if (std::get<2>(key) >= 0) one.device = std::get<2>(key);
    for (const RankProcess& rank : ranks_) {
      if (rank.node == one.node && rank.pid == one.pid) one.rank = rank.rank;
    }
    one.bytes = bytes.values.back();
    one.ended = last_.Ended(one.node, one.pid);
    one.peak_bytes = *std::max_element(bytes.values.begin(), bytes.values.end());
    if (one.device) {
      one.reserved_bytes = LastOf(metrics, store::torch_cuda::kReservedBytes);
      one.inactive_split_bytes = LastOf(metrics, store::torch_cuda::kInactiveSplitBytes);
      one.alloc_retries = LastOf(metrics, store::torch_cuda::kAllocRetries);
      one.ooms = LastOf(metrics, store::torch_cuda::kOoms);
    } else {
      one.file_bytes = LastOf(metrics, NameOf(store::Metric::kProcessRssFile));
      one.shmem_bytes = LastOf(metrics, NameOf(store::Metric::kProcessRssShmem));
    }
    if (const StepAxis* axis = AxisOf(one.node, one.rank)) JudgeOne(*axis, bytes, one);
    return one;
  }

  // Of a worker from its first point on; of a device those points that show the leak.
  static bool IsTooShort(std::span<const GrowthPoint> points, std::span<const int64_t> times_ns,
                         const ProcessMemoryRow& one) {
    const auto last_ns = static_cast<double>(times_ns.back());
    const auto since = [&](size_t i) {
      return (last_ns - static_cast<double>(times_ns[i])) / kNsOfASecond;
    };
    if (!one.rank && since(0) < kLeastOfWorkers) return true;
    const double from = points.back().steps - one.growth.steps;
    const auto judged = std::lower_bound(
        points.begin(), points.end(), from,
        [](const GrowthPoint& point, double steps) { return point.steps < steps; });
    const auto first = static_cast<size_t>(judged - points.begin());
    return one.device && since(std::min(first, points.size() - 1)) < kLeastOfDevices;
  }

  static void JudgeOne(const StepAxis& axis, const CounterSeries& bytes, ProcessMemoryRow& one) {
    std::vector<GrowthPoint> points;
    std::vector<int64_t> times_ns;
    for (size_t i = 0; i < bytes.values.size(); ++i) {
      const int64_t ts_ns = bytes.times_ns[i];
      if (ts_ns < axis.from_ns() || ts_ns > axis.to_ns()) continue;
      times_ns.push_back(ts_ns);
      points.push_back({axis.At(ts_ns), bytes.values[i]});
    }
    one.growth = JudgeGrowth(points, one.device ? HeldBy::kAllocator : HeldBy::kHeap);
    if (one.growth.verdict == GrowthVerdict::kLeak && IsTooShort(points, times_ns, one)) {
      one.growth.verdict = GrowthVerdict::kNotEnough;
    }
    if (one.rank && !one.device) one.compiled_steps = axis.CompiledOfLast(one.growth.steps);
    const double seconds =
        (static_cast<double>(axis.to_ns()) - static_cast<double>(axis.from_ns())) / kNsOfASecond;
    if (seconds > 0) one.bytes_per_s = one.growth.bytes_per_step * axis.steps() / seconds;
  }

  // Only of slopes that are certain, and go on.
  static bool Foretells(const ProcessMemoryRow& process) {
    const Growth& growth = process.growth;
    return !process.ended && growth.verdict == GrowthVerdict::kLeak &&
           growth.high <= kMostOfInterval * growth.low && process.bytes_per_s > 0;
  }

  void AddOutlooks(HostMemorySection& section) const {
    std::map<int32_t, double> rates, anon;
    for (const ProcessMemoryRow& one : section.processes) {
      if (one.device) {
        AddDeviceOutlook(one, section);
        continue;
      }
      if (one.ended) continue;
      anon[one.node] += one.bytes + one.shmem_bytes.value_or(0);
      if (Foretells(one)) rates[one.node] += one.bytes_per_s;
    }
    for (const auto& [node, rate] : rates) AddNodeOutlook(node, rate, anon[node], section);
  }

  void AddNodeOutlook(int32_t node, double rate, double anon, HostMemorySection& section) const {
    const auto metrics = node_last_.find(node);
    if (metrics == node_last_.end()) return;
    const auto value = [&](store::Metric metric) -> std::optional<double> {
      const auto found = metrics->second.find(NameOf(metric));
      return found == metrics->second.end() ? std::nullopt : std::optional(found->second);
    };
    MemoryOutlook outlook;
    outlook.node = node;
    const auto available = value(store::Metric::kMemoryAvailable);
    const auto total = value(store::Metric::kMemoryTotal);
    if (available && total) {
      outlook.limit = "machine";
      outlook.limit_bytes = *total;
      outlook.left_bytes = *available;
    }
    // What the cgroup is charged for holds page cache, which is given up first. What the processes
    // hold counts a page once for each that was forked with it or shares it. So both are bounds.
    const auto limit = value(store::Metric::kCgroupMemoryLimit);
    const double held = std::min(anon, value(store::Metric::kCgroupMemory).value_or(anon));
    if (limit && (outlook.limit.empty() || *limit - held < outlook.left_bytes)) {
      outlook.limit = "cgroup";
      outlook.limit_bytes = *limit;
      outlook.left_bytes = *limit - held;
    }
    Finish(outlook, rate, section);
  }

  void AddDeviceOutlook(const ProcessMemoryRow& one, HostMemorySection& section) const {
    const auto total = device_total_.find({one.node, *one.device});
    if (total == device_total_.end() || !Foretells(one)) return;
    MemoryOutlook outlook;
    outlook.node = one.node;
    outlook.device = one.device;
    outlook.limit = "device";
    outlook.limit_bytes = total->second;
    outlook.left_bytes = total->second - one.bytes;
    Finish(outlook, one.bytes_per_s, section);
  }

  static void Finish(MemoryOutlook& outlook, double rate, HostMemorySection& section) {
    if (outlook.limit.empty()) return;
    outlook.left_bytes = std::max(0.0, outlook.left_bytes);
    const double ns = outlook.left_bytes / rate * kNsOfASecond;
    if (!(ns < static_cast<double>(kMostOutlookNs))) return;
    outlook.exhausted_in_ns = static_cast<int64_t>(ns);
    section.outlooks.push_back(std::move(outlook));
  }

  const StepAxes& axes_;
  std::span<const RankProcess> ranks_;
  std::map<Key, Metrics> series_;
  LastSamples last_;
  std::map<int32_t, std::map<std::string_view, double>> node_last_;
  std::map<std::pair<int32_t, int32_t>, double> device_total_;
};

Json NumberOrNull(const std::optional<double>& value) {
  return value ? Json(static_cast<int64_t>(*value)) : Json();
}

// A slope of a run from elsewhere may be anything: steps that take no time.
int64_t WholeBytes(double slope) {
  constexpr double kMost = 1e18;
  return static_cast<int64_t>(std::clamp(slope, -kMost, kMost));
}

Json ProcessJson(const ProcessMemoryRow& one) {
  const bool device = one.device.has_value();
  Json json = {{"node", one.node}, {"pid", one.pid}, {"rank", OrNull(one.rank)}};
  json["class"] = one.process_class ? Json(NameOf(*one.process_class)) : Json();
  json["device"] = OrNull(one.device);
  json[device ? "allocated_bytes" : "anon_bytes"] = static_cast<int64_t>(one.bytes);
  json["peak_bytes"] = static_cast<int64_t>(one.peak_bytes);
  if (device) {
    json["reserved_bytes"] = NumberOrNull(one.reserved_bytes);
    json["inactive_split_bytes"] = NumberOrNull(one.inactive_split_bytes);
    json["alloc_retries"] = NumberOrNull(one.alloc_retries);
    json["ooms"] = NumberOrNull(one.ooms);
  } else {
    json["file_bytes"] = NumberOrNull(one.file_bytes);
    json["shmem_bytes"] = NumberOrNull(one.shmem_bytes);
  }
  json["growth"] = {{"verdict", NameOf(one.growth.verdict)},
                    {"steps", static_cast<int64_t>(one.growth.steps)},
                    {"bytes_per_step", WholeBytes(one.growth.bytes_per_step)},
                    {"low", WholeBytes(one.growth.low)},
                    {"high", WholeBytes(one.growth.high)},
                    {"bytes_per_s", WholeBytes(one.bytes_per_s)},
                    {"compiled_steps", one.compiled_steps}};
  return json;
}

}  // namespace

void StepAxis::Thin() {
  size_t kept = 0;
  for (size_t i = 0; i < knots_.size(); ++i) {
    if (i % 2 == 0 || i + 1 == knots_.size()) knots_[kept++] = knots_[i];
  }
  knots_.resize(kept);
}

double StepAxis::At(int64_t ts_ns) const {
  const auto next = std::upper_bound(knots_.begin(), knots_.end(), ts_ns,
                                     [](int64_t ts, const auto& knot) { return ts < knot.ts_ns; });
  if (next == knots_.begin()) return knots_.front().steps;
  const auto before = next - 1;
  if (next == knots_.end()) return before->steps;
  // Of a run from elsewhere the times may be any: their differences fit no integer.
  const auto from = static_cast<double>(before->ts_ns);
  const double span = static_cast<double>(next->ts_ns) - from;
  const double part = span > 0 ? (static_cast<double>(ts_ns) - from) / span : 0;
  return before->steps + part * (next->steps - before->steps);
}

int64_t StepAxis::CompiledOfLast(double steps) const {
  const double from = knots_.back().steps - steps;
  const auto first = std::lower_bound(knots_.begin(), knots_.end(), from,
                                      [](const Knot& knot, double s) { return knot.steps < s; });
  return first == knots_.end() ? 0 : knots_.back().compiled - first->compiled;
}

StepAxes AxesOf(const store::PackedSteps& steps, const store::StringTable& strings) {
  std::map<int32_t, std::vector<std::tuple<int64_t, int64_t, bool>>> ranks;  // begin, end, compiled
  const StepKinds kinds(strings);
  for (const store::StepRow& row : steps) {
    if (!kinds.IsSteady(row) || row.dur_ns < 0) continue;
    const int32_t rank = row.rank;
    const int64_t ts_ns = row.ts_ns;
    ranks[rank].emplace_back(ts_ns, SaturatingAdd(ts_ns, row.dur_ns), row.compile_ns > 0);
  }
  StepAxes axes;
  for (auto& [rank, rows] : ranks) {
    if (!std::is_sorted(rows.begin(), rows.end())) std::sort(rows.begin(), rows.end());
    StepAxis& axis = axes[rank];
    int64_t end_ns = std::get<0>(rows.front());
    axis.Add(end_ns, 0);
    double count = 0;
    int64_t compiled = 0;
    for (const auto& [row_from_ns, row_to_ns, compiles] : rows) {
      end_ns = std::max(end_ns, row_to_ns);
      compiled += compiles;
      axis.Add(end_ns, ++count, compiled);
    }
  }
  return axes;
}

HostMemorySection MakeHostMemory(std::span<const CounterSeries> counters, const StepAxes& axes,
                                 std::span<const RankProcess> ranks) {
  return MemoryMaker(counters, axes, ranks).Make();
}

StepAxes AxesOfMeasured(const ReportInput& input) {
  const bool measured = std::any_of(input.counters.begin(), input.counters.end(),
                                    [](const CounterSeries& one) { return one.pid.has_value(); });
  return measured ? AxesOf(input.steps, *input.strings) : StepAxes();
}

std::shared_ptr<const HostMemorySection> MakeHostMemory(const ReportInput& input,
                                                        const StepAxes& axes) {
  auto section = std::make_shared<HostMemorySection>(
      MakeHostMemory(input.counters, axes, input.run.rank_processes));
  const ProcessClasses classes{input.run.rank_processes, input.run.workers};
  section->kinds = SumMemoryKinds(input.counters, classes, input.run.duration_ns);
  if (section->processes.empty() && section->kinds.empty()) return nullptr;
  for (ProcessMemoryRow& one : section->processes)
    one.process_class = classes.Of(one.node, one.pid);
  return section;
}

nlohmann::ordered_json HostMemoryJson(const HostMemorySection& section) {
  Json json = {{"processes", Json::array()}, {"outlooks", Json::array()}};
  for (const ProcessMemoryRow& one : section.processes)
    json["processes"].push_back(ProcessJson(one));
  for (const MemoryOutlook& one : section.outlooks) {
    json["outlooks"].push_back({{"node", one.node},
                                {"device", OrNull(one.device)},
                                {"limit", one.limit},
                                {"limit_bytes", static_cast<int64_t>(one.limit_bytes)},
                                {"left_bytes", static_cast<int64_t>(one.left_bytes)},
                                {"exhausted_in_ns", one.exhausted_in_ns}});
  }
  return json;
}

std::string SubjectOf(const ProcessMemoryRow& process) {
  const std::string who =
      process.rank ? fmt::format("rank {}", *process.rank) : fmt::format("process {}", process.pid);
  return process.device ? fmt::format("memory of {} on device {}", who, *process.device)
                        : "memory of " + who;
}

namespace {

model::Finding WhatOf(const ProcessMemoryRow& process, const HostMemorySection& section) {
  namespace finding = model::finding;
  const Growth& growth = process.growth;
  if (growth.verdict == GrowthVerdict::kPlateau) return Make(finding::LiveMemoryPlateau{});
  if (growth.verdict == GrowthVerdict::kNotEnough) return Make(finding::LiveMemoryUnknown{});
  std::vector<finding::LiveMemoryLeak::Item> outlooks;
  for (const MemoryOutlook& one : section.outlooks) {
    if (one.node != process.node || one.device != process.device) continue;
    outlooks.push_back({.bytes = one.limit_bytes, .time = one.exhausted_in_ns, .limit = one.limit});
  }
  finding::LiveMemoryLeak leak{.rate = growth.bytes_per_step,
                               .low = growth.low,
                               .high = growth.high,
                               .items = std::move(outlooks)};
  if (process.compiled_steps >= kLeastCompiled) {
    leak.compiled = process.compiled_steps;
    leak.steps = std::llrint(growth.steps);
  }
  return Make(std::move(leak));
}

}  // namespace

model::Finding GrowthOf(const ProcessMemoryRow& process, const HostMemorySection& section) {
  model::Finding found = WhatOf(process, section);
  if (process.rank) {
    found.subject.AddRank(*process.rank);
  } else {
    found.subject.process = process.pid;
  }
  if (process.device) found.subject.AddDevice(*process.device);
  return found;
}

}  // namespace steptrace::analyze
