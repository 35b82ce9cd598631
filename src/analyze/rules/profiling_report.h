// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analyze/input/run_phases.h"
#include "analyze/rules/histogram.h"
#include "analyze/rules/rule_result.h"
#include "analyze/rules/rules_input.h"
#include "analyze/rules/usage.h"
#include "analyze/stats/quantile.h"
#include "model/finding.h"

// The profiling report: the twelve sections of Debugger's (sagemaker.md 1.3), each with data or the
// reason why there is none.
namespace steptrace::analyze {

// A box of one GPU, or of a node's CPU.
struct BoxRow {
  int32_t node = 0;
  std::string name;  // gpu0, gpu0_memory, cpu
  BoxStats box;
  Histogram histogram;  // of per cent: 50 bins from 0 to 100
};

// Where the time of the training loop went.
struct FrameworkTimes {
  int64_t train_ns = 0, eval_ns = 0, others_ns = 0;  // others: between steps
  int64_t forward_ns = 0, backward_ns = 0;
  std::vector<FrameworkTotal> totals;  // over 2 % of their group, the largest first
};

struct StepDurationRow {
  int32_t rank = 0;
  std::string kind;  // TRAIN, EVAL
  int64_t count = 0;
  double mean = 0, max = 0, p99 = 0, p95 = 0, p50 = 0, min = 0;  // s
  int64_t outliers = 0;  // over the limit of the rule StepOutlier
  Histogram histogram;   // of the others: 100 bins from the shortest to the longest, s
};

struct BalancePair {
  int32_t node_a = 0, device_a = 0, node_b = 0, device_b = 0;
  double distance = 0;
};

struct DataLoading {
  std::optional<int32_t> workers, cores;
  std::optional<bool> pin_memory;
  std::optional<int32_t> prefetch_factor;
  std::optional<double> parallel;    // loaders that worked in the median second
  std::optional<BoxStats> seconds;   // of one loading
  Histogram histogram;               // of the same: 100 bins
  std::optional<double> wait_share;  // of the steps
  int64_t waits = 0, starved_waits = 0;
};

struct BottleneckCounts {
  int64_t snapshots = 0;
  int64_t low_gpu = 0;      // with a GPU below the rule's limit
  int64_t bottlenecks = 0;  // and a core above it, as the published rule counts
  double share = 0;         // of the snapshots
};

template <class Data>
struct Section {
  bool applicable = false;
  std::optional<model::Finding> reason;  // why not
  Data data{};
};

struct ProfilingReport {
  RuleMode mode{};
  std::string started_utc;
  int64_t duration_ns = 0;
  PhasesSection phases;  // initialization, training loop, finalization
  Section<std::vector<UsageRow>> system_usage;
  std::vector<model::Finding> usage_findings;  // what the usage of each node says
  Section<FrameworkTimes> framework;
  std::vector<RuleResult> rules;  // the most often triggered first
  Section<std::vector<StepDurationRow>> step_durations;
  Section<std::vector<BoxRow>> gpu_utilization;
  Section<std::vector<BalancePair>> load_balance;  // the least alike first
  Section<DataLoading> data_loading;
  Section<std::vector<BoxRow>> batch_size;
  Section<BottleneckCounts> cpu_bottlenecks;
  Section<BottleneckCounts> io_bottlenecks;
  Section<std::vector<BoxRow>> gpu_memory;
};

// All twelve rules, in the order of the catalogue.
std::vector<RuleResult> RunRules(const RulesInput& input, const RuleSettings& settings);

ProfilingReport BuildProfilingReport(const RulesInput& input, const RuleSettings& settings);

nlohmann::ordered_json RuleJson(const RuleResult& result);
// {mode, job, system_usage, framework, rules[], step_durations, ..., gpu_memory}
nlohmann::ordered_json ProfilingReportJson(const ProfilingReport& report);

}  // namespace steptrace::analyze
