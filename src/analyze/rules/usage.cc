// SPDX-License-Identifier: Apache-2.0
#include "analyze/rules/usage.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "analyze/stats/quantile.h"
#include "model/finding_kinds.h"
#include "store/metrics.h"

namespace steptrace::analyze {
namespace {

struct MetricText {
  Signal signal;
  const char* name;
  const char* unit;
};
constexpr MetricText kMetrics[] = {
    {Signal::kNetwork, "Network", "bytes"},
    {Signal::kGpu, "GPU", "percentage"},
    {Signal::kCpu, "CPU", "percentage"},
    {Signal::kHostMemory, "CPU memory", "percentage"},
    {Signal::kGpuMemory, "GPU memory", "percentage"},
    {Signal::kIoWait, "I/O", "percentage"},
};

// The names that the reference divides by: GPUs also for their memory, cores also for their waits.
Signal NamesOf(Signal signal) {
  if (signal == Signal::kGpuMemory) return Signal::kGpu;
  return signal == Signal::kIoWait ? Signal::kCpu : signal;
}

using NodeValues = std::map<int32_t, std::vector<double>>;

NodeValues CompatValues(const SystemSignals& signals, Signal signal) {
  double names = 1;
  if (signal != Signal::kNetwork && signal != Signal::kHostMemory) {
    std::set<int32_t> devices;
    for (const SignalSeries* one : signals.Of(NamesOf(signal))) devices.insert(one->device);
    names = static_cast<double>(std::max<size_t>(devices.size(), 1));
  }
  std::map<int32_t, std::map<int64_t, double>> sums;
  for (const SignalSeries* one : signals.Of(signal)) {
    for (size_t i = 0; i < one->values.size(); ++i) {
      sums[one->node][one->times_ns[i]] += one->values[i];
    }
  }
  NodeValues values;
  for (const auto& [node, by_time] : sums) {
    for (const auto& [time, sum] : by_time) values[node].push_back(sum / names);
  }
  return values;
}

NodeValues ModernValues(const std::map<int32_t, std::vector<NodeSnapshot>>& snapshots,
                        Signal signal) {
  NodeValues values;
  for (const auto& [node, of_node] : snapshots) {
    for (const NodeSnapshot& one : of_node) {
      const std::optional<double>* means[] = {&one.cpu,        &one.io_wait,     &one.gpu,
                                              &one.gpu_memory, &one.host_memory, &one.network};
      const auto& mean = *means[static_cast<size_t>(signal)];
      if (mean) values[node].push_back(std::max(0.0, *mean));
    }
  }
  return values;
}

double Rounded(double value) {
  return std::round(std::max(0.0, value) * 100) / 100;
}

const UsageRow* Find(const std::vector<UsageRow>& rows, int32_t node, const char* metric) {
  for (const UsageRow& row : rows) {
    if (row.node == node && row.metric == metric) return &row;
  }
  return nullptr;
}

}  // namespace

std::vector<UsageRow> UsageRows(const SystemSignals& signals, RuleMode mode) {
  std::vector<UsageRow> rows;
  std::map<int32_t, std::vector<NodeSnapshot>> snapshots;
  if (mode == RuleMode::kModern) snapshots = Snapshots(signals);
  for (const MetricText& metric : kMetrics) {
    const NodeValues by_node = mode == RuleMode::kCompat ? CompatValues(signals, metric.signal)
                                                         : ModernValues(snapshots, metric.signal);
    for (const auto& [node, values] : by_node) {
      rows.push_back({.node = node,
                      .metric = metric.name,
                      .unit = metric.unit,
                      .max = Rounded(Quantile(values, 1)),
                      .p99 = Rounded(Quantile(values, 0.99)),
                      .p95 = Rounded(Quantile(values, 0.95)),
                      .p50 = Rounded(Quantile(values, 0.5)),
                      .p5 = Rounded(Quantile(values, 0.05)),
                      .min = Rounded(Quantile(values, 0))});
    }
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const UsageRow& a, const UsageRow& b) { return a.node < b.node; });
  return rows;
}

namespace {

// Beside what is said of the node as a whole: use that comes and goes.
void AddFluctuation(const UsageRow* row, store::Metric metric,
                    std::vector<model::Finding>& findings) {
  constexpr double kSteady = 50;  // points between the percentiles
  if (row == nullptr || !(row->p95 - row->p5 > kSteady)) return;
  findings.push_back(Make(model::finding::UsageFluctuates{
      .node = row->node, .low = row->p5, .high = row->p95, .metric = row->metric}));
  findings.back().subject.metric = NameOf(metric);
}

std::optional<model::Finding> OfNode(int32_t node, const UsageRow* gpu, const UsageRow& cpu) {
  constexpr double kBusy = 70;
  if (gpu == nullptr) {
    if (!(cpu.p95 < kBusy)) return std::nullopt;
    return Make(model::finding::UsageSmallerWithoutGpu{.node = node, .cpu = cpu.p95});
  }
  if (gpu->p95 < kBusy && cpu.p95 < kBusy) {
    return Make(model::finding::UsageSmaller{.node = node, .gpu = gpu->p95, .cpu = cpu.p95});
  }
  if (gpu->p95 < kBusy && cpu.p95 > kBusy) {
    return Make(model::finding::UsageHeldUpByCpu{.node = node, .gpu = gpu->p95, .cpu = cpu.p95});
  }
  if (gpu->p50 > kBusy) {
    return Make(model::finding::UsageWellUsed{.node = node, .gpu = gpu->p50});
  }
  return std::nullopt;
}

}  // namespace

std::vector<model::Finding> UsageFindings(const std::vector<UsageRow>& rows) {
  std::set<int32_t> nodes;
  for (const UsageRow& row : rows) nodes.insert(row.node);
  std::vector<model::Finding> findings;
  for (int32_t node : nodes) {
    const UsageRow* gpu = Find(rows, node, "GPU");
    const UsageRow* cpu = Find(rows, node, "CPU");
    AddFluctuation(gpu, store::Metric::kGpuUtilization, findings);
    AddFluctuation(cpu, store::Metric::kCpuBusyShare, findings);
    if (cpu == nullptr) continue;
    if (auto found = OfNode(node, gpu, *cpu)) findings.push_back(*std::move(found));
  }
  return findings;
}

}  // namespace steptrace::analyze
