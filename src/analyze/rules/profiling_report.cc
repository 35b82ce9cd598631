// SPDX-License-Identifier: Apache-2.0
#include "analyze/rules/profiling_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <variant>

#include "analyze/input/advice_of_framework.h"
#include "analyze/input/allowed_cores.h"
#include "analyze/input/complete_findings.h"
#include "analyze/input/count_rows.h"
#include "analyze/input/step_selection.h"
#include "analyze/rules/modern_data.h"
#include "analyze/rules/usage.h"
#include "analyze/stats/distribution.h"
#include "analyze/stats/outliers.h"
#include "base/time.h"
#include "model/finding_kinds.h"
#include "store/stored_words.h"

namespace steptrace::analyze {

namespace finding = model::finding;
namespace {

constexpr double kWorthListing = 0.02;  // of its group: the reference's limit for operators

template <class Data>
Section<Data> Filled(Data data) {
  return {true, std::nullopt, std::move(data)};
}
template <class Data>
Section<Data> None(model::Finding reason) {
  return {false, std::move(reason), {}};
}

// The rule that runs the others: how many of them found something.
RuleResult ReportRule(const std::vector<RuleResult>& others, const RuleSettings& settings) {
  RuleResult result = EmptyResult(RuleId::kProfilerReport, settings);
  bool applicable = false;
  for (const RuleResult& one : others) {
    ++result.datapoints;
    applicable |= one.status != RuleStatus::kNotApplicable;
    if (one.status != RuleStatus::kIssuesFound) continue;
    ++result.triggered;
    result.evidence.push_back(Make(finding::RuleFound{
        .times = one.triggered, .rule = InfoOf(one.rule).name, .rows = model::Rows()}));
  }
  if (!applicable) return NotApplicable(std::move(result), Make(finding::ReasonNoRuleApplies{}));
  return Judged(std::move(result));
}

void LeaveOutTheBegin(RuleResult& result) {
  if (result.rule != RuleId::kMaxInitializationTime) return;
  result.triggered = result.violations = 0;
  result.evidence.clear();
  result.advice.reset();
  result = NotApplicable(std::move(result), Make(finding::ReasonBeginLeftOut{}));
}

// A group's names over 2 % of it.
std::vector<FrameworkTotal> LargeTotals(std::span<const FrameworkTotal> totals) {
  std::map<std::string, int64_t> whole;
  for (const FrameworkTotal& one : totals) {
    whole[one.group] = SaturatingAdd(whole[one.group], one.ns);
  }
  std::vector<FrameworkTotal> large;
  for (const FrameworkTotal& one : totals) {
    if (static_cast<double>(one.ns) > kWorthListing * static_cast<double>(whole[one.group])) {
      large.push_back(one);
    }
  }
  std::stable_sort(large.begin(), large.end(), [](const auto& a, const auto& b) {
    return std::tie(a.group, b.ns, a.name) < std::tie(b.group, a.ns, b.name);
  });
  return large;
}

Section<FrameworkTimes> Framework(const RulesInput& input) {
  FrameworkTimes times;
  std::map<int32_t, int64_t> end;  // of the last training step of each rank
  const StepKinds kinds(*input.strings);
  for (const store::StepRow& row : input.steps) {
    if (!IsPlausible(row) || !kinds.IsEval(row)) continue;
    times.eval_ns = SaturatingAdd(times.eval_ns, row.dur_ns);
  }
  const StepsOfRanks ranks = StepsByRank(input, [](std::string_view kind) {
    return store::StepKindOf(kind) != store::StepKind::kEval;
  });
  for (const auto& [rank, steps] : ranks) {
    int64_t covered = input.steps[steps.front()].ts_ns;
    for (const uint32_t i : steps) {
      const store::StepRow& row = input.steps[i];
      // An evaluation inside a step is told apart from it.
      const int64_t eval = std::clamp<int64_t>(row.evaluation_ns, 0, row.dur_ns);
      times.train_ns = SaturatingAdd(times.train_ns, row.dur_ns - eval);
      times.others_ns = SaturatingAdd(times.others_ns, std::max<int64_t>(row.ts_ns - covered, 0));
      times.forward_ns = SaturatingAdd(times.forward_ns, std::max<int64_t>(row.forward_ns, 0));
      times.backward_ns = SaturatingAdd(times.backward_ns, std::max<int64_t>(row.backward_ns, 0));
      covered = std::max(covered, row.ts_ns + row.dur_ns);
    }
  }
  times.totals = LargeTotals(input.framework_totals);
  if (ranks.empty() && times.eval_ns == 0 && times.totals.empty()) {
    return None<FrameworkTimes>(Make(finding::ReasonNoStepOrOperator{}));
  }
  return Filled(std::move(times));
}

// Longer than this is an outlier, as the rule StepOutlier says in its mode.
double OutlierLimit(std::span<const double> seconds, const RuleSettings& settings) {
  const double deviations = settings.Number({RuleId::kStepOutlier, "stddev"});
  if (settings.mode() == RuleMode::kCompat) {
    return Mean(seconds) + deviations * Deviation(seconds);
  }
  std::vector<int64_t> durations_ns;
  for (double one : seconds) durations_ns.push_back(std::llround(one * 1e9));
  const auto rule = FindOutlierRule(std::move(durations_ns));
  const auto width = static_cast<double>(rule->threshold_ns - rule->median_ns);
  return (static_cast<double>(rule->median_ns) + width * deviations / kOutlierDeviations) / 1e9;
}

void AddHistogram(std::vector<double> seconds, const RuleSettings& settings, StepDurationRow& row) {
  constexpr size_t kBins = 100;  // as the reference's report
  const double limit = OutlierLimit(seconds, settings);
  row.outliers =
      static_cast<int64_t>(std::erase_if(seconds, [limit](double one) { return one > limit; }));
  row.histogram = MakeHistogram(seconds, kBins);
}

Section<std::vector<StepDurationRow>> StepDurations(const std::vector<FrameworkStep>& steps,
                                                    const RuleSettings& settings) {
  std::map<std::pair<int32_t, bool>, std::vector<double>> seconds;
  for (const FrameworkStep& step : steps) {
    seconds[{step.rank, step.eval}].push_back(static_cast<double>(step.dur_ns) / 1e9);
  }
  std::vector<StepDurationRow> rows;
  for (const auto& [key, values] : seconds) {
    StepDurationRow& row = rows.emplace_back();
    row.rank = key.first;
    row.kind = key.second ? "EVAL" : "TRAIN";
    row.count = static_cast<int64_t>(values.size());
    row.mean = Mean(values);
    row.max = Quantile(values, 1);
    row.p99 = Quantile(values, 0.99);
    row.p95 = Quantile(values, 0.95);
    row.p50 = Quantile(values, 0.5);
    row.min = Quantile(values, 0);
    AddHistogram(values, settings, row);
  }
  if (rows.empty())
    return None<std::vector<StepDurationRow>>(Make(finding::ReasonNoStep{.in_range = false}));
  return Filled(std::move(rows));
}

// With 100 in it: the published histograms end at 98, and a GPU that is always busy is in none.
Histogram PercentHistogram(std::span<const double> values) {
  return MakeHistogram(values, 0, 100, 50);
}

Section<std::vector<BoxRow>> Boxes(const SystemSignals& signals, Signal signal, const char* suffix,
                                   model::Finding reason) {
  std::vector<BoxRow> rows;
  for (const SignalSeries* one : signals.Of(signal)) {
    if (const auto box = DescribeBox(one->values)) {
      rows.push_back({one->node, fmt::format("gpu{}{}", one->device, suffix), *box,
                      PercentHistogram(one->values)});
    }
  }
  if (rows.empty()) return None<std::vector<BoxRow>>(std::move(reason));
  return Filled(std::move(rows));
}

Section<std::vector<BoxRow>> BatchBoxes(const SystemSignals& signals,
                                        const Section<std::vector<BoxRow>>& gpus,
                                        const ModernData& data) {
  auto memory = Boxes(signals, Signal::kGpuMemory, "_memory",
                      Unmeasured<finding::ReasonNoGpuMemory>(data, Signal::kGpuMemory));
  if (!gpus.applicable) return gpus;
  if (!memory.applicable) return memory;
  std::vector<BoxRow> rows;
  for (const auto& [node, snapshots] : Snapshots(signals)) {
    std::vector<double> cpu;
    for (const NodeSnapshot& one : snapshots) {
      if (one.cpu) cpu.push_back(*one.cpu);
    }
    if (const auto box = DescribeBox(cpu)) {
      rows.push_back({node, "cpu", *box, PercentHistogram(cpu)});
    }
  }
  rows.insert(rows.end(), gpus.data.begin(), gpus.data.end());
  rows.insert(rows.end(), memory.data.begin(), memory.data.end());
  return Filled(std::move(rows));
}

Section<std::vector<BalancePair>> LoadBalance(const ModernData& data) {
  constexpr size_t kMostPairs = 64;
  const auto gpus = data.signals.Of(Signal::kGpu);
  if (gpus.empty()) return None<std::vector<BalancePair>>(NoGpu(data));
  if (gpus.size() == 1) return None<std::vector<BalancePair>>(Make(finding::ReasonOneGpu{}));
  const std::vector<UseHistogram> uses = UseHistograms(gpus);
  std::vector<BalancePair> pairs;
  for (size_t i = 0; i < uses.size(); ++i) {
    for (size_t j = i + 1; j < uses.size(); ++j) {
      pairs.push_back({gpus[i]->node, gpus[i]->device, gpus[j]->node, gpus[j]->device,
                       UseDistance(uses[i], uses[j])});
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto& a, const auto& b) { return a.distance > b.distance; });
  if (pairs.size() > kMostPairs) pairs.resize(kMostPairs);
  return Filled(std::move(pairs));
}

Section<DataLoading> Loading(const ModernData& data) {
  const RulesInput& input = data.input;
  DataLoading loading;
  if (const LoaderFact* loader = TrainingLoader(data.facts)) {
    loading.workers = loader->workers;
    loading.pin_memory = loader->pin_memory;
    loading.prefetch_factor = loader->prefetch_factor;
  }
  if (!input.run.nodes.empty() && input.run.nodes.front().cpus > 0) {
    const store::NodeInfo& node = input.run.nodes.front();
    loading.cores =
        AllowedCores(input.run, input.facts, *input.strings).CountOn(node.node, node.cpus);
  } else if (const auto nodes = data.signals.Nodes(); !nodes.empty()) {
    if (const size_t cores = data.signals.Cores(nodes.front())) {
      loading.cores = static_cast<int32_t>(cores);
    }
  }
  std::map<int64_t, std::set<int64_t>> pids;  // by second
  std::vector<double> seconds, parallel;
  for (const LoaderEvent& one : input.loader_events) {
    seconds.push_back(static_cast<double>(one.dur_ns) / 1e9);
    pids[SecondOf(input.run.epoch_utc_ns, one.ts_ns)].insert(one.pid);
  }
  for (const auto& [second, of_second] : pids) {
    parallel.push_back(static_cast<double>(of_second.size()));
  }
  if (!parallel.empty()) loading.parallel = Quantile(parallel, 0.5);
  loading.histogram = MakeHistogram(seconds, 100);
  loading.seconds = DescribeBox(std::move(seconds));
  int64_t wait = 0, whole = 0;
  const StepKinds kinds(*input.strings);
  for (const store::StepRow& row : input.steps) {
    if (!IsPlausible(row) || !kinds.IsSteady(row)) continue;
    wait = SaturatingAdd(wait, std::max<int64_t>(row.data_ns, 0));
    whole = SaturatingAdd(whole, row.dur_ns);
    loading.waits += row.waits;
    loading.starved_waits += row.starved_waits;
  }
  if (whole > 0 && wait > 0) {
    loading.wait_share = static_cast<double>(wait) / static_cast<double>(whole);
  }
  if (!loading.workers && !loading.seconds && !loading.wait_share) {
    return None<DataLoading>(Make(finding::ReasonNoLoader{}));
  }
  return Filled(std::move(loading));
}

// The published count, over all of the run.
Section<BottleneckCounts> Bottlenecks(const SystemSignals& signals, RuleId rule,
                                      const ModernData& data) {
  const RuleSettings& settings = data.settings;
  const bool cpu = rule == RuleId::kCpuBottleneck;
  const Signal busy = cpu ? Signal::kCpu : Signal::kIoWait;
  if (!signals.Has(Signal::kGpu)) return None<BottleneckCounts>(NoGpu(data));
  if (!signals.Has(busy)) return None<BottleneckCounts>(NotMeasured(data, rule));
  const double limit =
      settings.Number(BottleneckParameter("cpu_threshold", "io_threshold").Of(rule));
  const double idle = settings.Number(BottleneckParameter("gpu_threshold").Of(rule));
  BottleneckCounts counts;
  std::vector<std::pair<int64_t, int>> marks;  // time; 0 a sample, 1 an idle GPU, 2 a busy core
  for (const SignalSeries& one : signals.series()) {
    for (size_t i = 0; i < one.values.size(); ++i) {
      int mark = 0;
      if (one.signal == Signal::kGpu && one.values[i] < idle) mark = 1;
      if (one.signal == busy && one.values[i] > limit) mark = 2;
      marks.emplace_back(one.times_ns[i], mark);
    }
  }
  std::sort(marks.begin(), marks.end());
  for (size_t i = 0; i < marks.size();) {
    const int64_t begin = marks[i].first;
    bool low = false, high = false;
    for (; i < marks.size() && marks[i].first - begin <= kSnapshotNs; ++i) {
      low |= marks[i].second == 1;
      high |= marks[i].second == 2;
    }
    ++counts.snapshots;
    counts.low_gpu += low;
    counts.bottlenecks += low && high;
  }
  counts.share = static_cast<double>(counts.bottlenecks) / static_cast<double>(counts.snapshots);
  return Filled(counts);
}

// What all rules say of their evidence alike: whose it is, and how many rows show it.
void Complete(const RulesInput& input, std::vector<RuleResult>& results) {
  std::vector<model::Finding*> all;
  for (RuleResult& result : results) {
    for (model::Finding& one : result.evidence) {
      one.subject.rule = InfoOf(result.rule).name;
      all.push_back(&one);
    }
  }
  CountRows({.which = input.tables,
             .steps = input.steps,
             .strings = *input.strings,
             .counters = input.counters,
             .facts = input.facts,
             .losses = input.losses},
            all);
  CompleteFindings(input.run.nodes, all);
}

std::vector<model::Finding> CompleteUsageFindings(const std::vector<UsageRow>& usage,
                                                  std::span<const store::NodeInfo> nodes) {
  std::vector<model::Finding> findings = UsageFindings(usage);
  std::vector<model::Finding*> all;
  for (model::Finding& one : findings) all.push_back(&one);
  CompleteFindings(nodes, all);
  return findings;
}

void LeaveOutForeignAdvice(const RulesInput& input, std::vector<RuleResult>& results) {
  const JobFacts facts = ReadJobFacts(input.facts, *input.strings);
  for (RuleResult& one : results) {
    if (one.advice && IsForeign(*one.advice, facts)) one.advice.reset();
  }
}

}  // namespace

std::vector<RuleResult> RunRules(const RulesInput& input, const RuleSettings& settings) {
  std::vector<RuleResult> results = settings.mode() == RuleMode::kCompat
                                        ? RunCompatRules(input, settings)
                                        : RunModernRules(input, settings);
  if (settings.mode() == RuleMode::kModern) LeaveOutForeignAdvice(input, results);
  if (!input.has_begin) std::for_each(results.begin(), results.end(), LeaveOutTheBegin);
  results.push_back(ReportRule(results, settings));
  Complete(input, results);
  return results;
}

ProfilingReport BuildProfilingReport(const RulesInput& input, const RuleSettings& settings) {
  const SystemSignals signals(input.counters);
  const ModernData data(input, settings);
  ReportInput of_run;
  of_run.run = input.run;
  of_run.steps = input.steps;
  of_run.strings = input.strings;
  of_run.losses = input.losses;
  ProfilingReport report;
  report.mode = settings.mode();
  report.started_utc = StartedUtc(of_run.run);
  report.duration_ns = input.run.duration_ns;
  report.phases = MakePhases(of_run);
  if (!input.has_begin) report.phases.initialization_ns.reset();
  if (!input.has_end) {
    report.phases.finalization_ns.reset();
    report.phases.finalization_unknown.reset();
  }
  auto usage = UsageRows(signals, settings.mode());
  report.usage_findings = CompleteUsageFindings(usage, input.run.nodes);
  report.system_usage =
      usage.empty() ? None<std::vector<UsageRow>>(NoMetric(data)) : Filled(std::move(usage));
  report.framework = Framework(input);
  report.rules = RunRules(input, settings);
  std::stable_sort(report.rules.begin(), report.rules.end() - 1,
                   [](const auto& a, const auto& b) { return a.triggered > b.triggered; });
  report.step_durations = StepDurations(data.steps, settings);
  report.gpu_utilization = Boxes(signals, Signal::kGpu, "", NoGpu(data));
  report.load_balance = LoadBalance(data);
  report.data_loading = Loading(data);
  report.batch_size = BatchBoxes(signals, report.gpu_utilization, data);
  report.cpu_bottlenecks = Bottlenecks(signals, RuleId::kCpuBottleneck, data);
  report.io_bottlenecks = Bottlenecks(signals, RuleId::kIoBottleneck, data);
  report.gpu_memory = Boxes(signals, Signal::kGpuMemory, "",
                            Unmeasured<finding::ReasonNoGpuMemory>(data, Signal::kGpuMemory));
  return report;
}

}  // namespace steptrace::analyze
