// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/sections.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "analyze/attribution/sample_functions.h"
#include "analyze/attribution/suspect_share.h"
#include "analyze/input/complete_findings.h"
#include "analyze/input/lost_steps.h"
#include "analyze/input/step_selection.h"
#include "analyze/json/stored_finding.h"
#include "analyze/stats/bootstrap.h"
#include "analyze/stats/distribution.h"
#include "base/time.h"
#include "model/finding_kinds.h"
#include "store/metrics.h"
#include "store/step_columns.h"

namespace steptrace::analyze {
namespace {

// A hook with its wrapper costs about 5 us a step of eight records (bench/history/2026-11.md).
constexpr double kHookNsPerRecord = 600;

constexpr auto& kPhases = store::kStepPhases;

// A phase of the report: only in `steps` causes of the same name stand next to it.
std::string PhaseName(const store::StepColumn& phase) {
  constexpr std::string_view kApart = "_phase";
  std::string_view name = phase.name;
  if (name.ends_with(kApart)) name.remove_suffix(kApart.size());
  return std::string(name);
}

using PhaseTimes = std::array<int64_t, kPhases.size()>;

double Ratio(int64_t part, int64_t whole) {
  return whole <= 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::optional<double> MeanOfMetric(const ReportInput& input, store::Metric metric) {
  std::optional<double> sum;
  for (const CounterSeries& series : input.counters) {
    if (series.metric != metric) continue;
    if (auto values = Describe(series.values)) sum = sum.value_or(0) + values->mean;
  }
  return sum;
}

// Lines of one core or process belong to `steptrace show RUN counters`: a table of hundreds is
// no summary.
bool InSystemTable(const std::string& metric) {
  return metric.rfind("core.", 0) != 0 && metric.rfind("process.", 0) != 0;
}

SystemRow MakeSystemRow(const CounterSeries& series, const RealDistribution& values,
                        int64_t duration_ns) {
  SystemRow row;
  row.node = series.node;
  row.device = series.device;
  row.metric = series.metric;
  row.unit = series.unit;
  row.max = values.max;
  row.p99 = values.p99;
  row.p95 = values.p95;
  row.p50 = values.p50;
  row.min = values.min;
  row.mean = values.mean;
  row.samples = values.samples;
  row.sparkline = Sparkline(series.times_ns, series.values, 0, duration_ns, 24);
  return row;
}

// Of the training's time, what windows took to begin and to end.
double CaptureShare(const ReportInput& input) {
  int64_t capture_ns = 0, whole_ns = 0;
  for (const store::StepRow& row : input.steps) {
    if (!IsPlausible(row)) continue;
    capture_ns = SaturatingAdd(capture_ns, std::clamp<int64_t>(row.capture_ns, 0, row.dur_ns));
    whole_ns = SaturatingAdd(whole_ns, row.dur_ns);
  }
  return Ratio(capture_ns, whole_ns);
}

}  // namespace

RunSection MakeRun(const ReportInput& input, const JobFacts& facts) {
  const RunInfo& info = input.run;
  const std::set<int32_t> ranks = RanksWithSteps(input);
  RunSection run;
  run.id = info.id;
  run.name = info.name;
  run.status = info.status;
  run.exit_code = info.exit_code;
  run.signal = info.signal;
  run.command = info.command;
  run.started_utc = StartedUtc(info);
  run.duration_ns = info.duration_ns;
  run.nodes = std::max<int32_t>(1, static_cast<int32_t>(info.nodes.size()));
  run.ranks = std::max(info.ranks, static_cast<int32_t>(ranks.size()));
  run.frameworks = facts.frameworks;
  run.devices = facts.devices;
  run.agent_cpu_share = MeanOfMetric(input, store::Metric::kAgentCpu);
  if (const auto records = MeanOfMetric(input, store::Metric::kAgentRecords)) {
    run.host_overhead_share =
        *records * kHookNsPerRecord / 1e9 / std::max(run.ranks, 1) + CaptureShare(input);
  }
  return run;
}

int64_t TrainingWallNs(const ReportInput& input, const StepSelection& selection) {
  std::map<int32_t, int64_t> by_rank;
  const auto add = [&by_rank](int32_t rank, int64_t dur_ns) {
    int64_t& sum_ns = by_rank[rank];
    sum_ns = SaturatingAdd(sum_ns, dur_ns);
  };
  if (input.options.last_steps) {
    for (uint32_t i : selection.steady) add(input.steps[i].rank, input.steps[i].dur_ns);
  } else {
    const StepKinds kinds(*input.strings);
    for (const store::StepRow& row : input.steps) {
      if (kinds.IsOfTraining(row)) add(row.rank, row.dur_ns);
    }
  }
  int64_t largest = 0;
  for (const auto& [rank, ns] : by_rank) largest = std::max(largest, ns);
  return largest;
}

// Ranks make their steps together: the job is as fast as the one that takes longest for its own.
double StepsPerSecond(const ReportInput& input, const StepSelection& selection) {
  struct Sum {
    int64_t ns = 0, steps = 0;
  };
  std::map<int32_t, Sum> ranks;
  for (uint32_t i : selection.steady) {
    const store::StepRow& row = input.steps[i];
    const int64_t dur_ns = row.dur_ns;
    const int32_t number = row.rank;
    Sum& rank = ranks[number];
    rank.ns = SaturatingAdd(rank.ns, std::max<int64_t>(dur_ns, 0));
    ++rank.steps;
  }
  int64_t longest_ns = 1;
  for (const auto& [rank, sum] : ranks) {
    longest_ns = std::max(longest_ns, SaturatingAdd(sum.ns, sum.steps / 2) / sum.steps);
  }
  return 1e9 / static_cast<double>(longest_ns);
}

StepsSection MakeSteps(const ReportInput& input, const StepSelection& selection,
                       const StepTimes& times) {
  StepsSection steps;
  steps.count = selection.count;
  steps.steady = selection.steps;
  steps.warm_up = selection.warm_up;
  steps.eval = selection.eval;
  steps.training_wall_ns = TrainingWallNs(input, selection);
  steps.marked = input.steps_marked;
  std::vector<int64_t> durations;
  durations.reserve(selection.steady.size());
  for (uint32_t i : selection.steady) {
    const int64_t dur_ns = input.steps[i].dur_ns;
    durations.push_back(dur_ns);
  }
  if (const auto d = Describe(std::move(durations))) {
    steps.duration_ns = Distribution{.mean = d->mean,
                                     .min = d->min,
                                     .p50 = d->p50,
                                     .p90 = d->p90,
                                     .p95 = d->p95,
                                     .p99 = d->p99,
                                     .max = d->max};
    steps.steps_per_s = StepsPerSecond(input, selection);
  }
  steps.outlier_count = times.outlier_count();
  steps.outliers = times.outliers();
  return steps;
}

std::vector<SuspectRow> MakeSuspects(const StageTimes& times) {
  const SuspectTimes by_suspect = BySuspect(times);
  const auto shares = ExactShares(by_suspect);
  std::vector<SuspectRow> suspects;
  for (size_t i = 0; i < kSuspectCount; ++i) {
    suspects.push_back({SuspectName(kSuspects[i]), by_suspect[i], shares[i]});
  }
  return suspects;
}

std::vector<SuspectRow> MakeSuspects(const StepTimes& times) {
  std::vector<SuspectRow> suspects = MakeSuspects(times.total());
  const auto shares = SuspectShares(times);
  for (size_t i = 0; i < kSuspectCount; ++i) {
    suspects[i].share_low = shares[i].interval.low;
    suspects[i].share_high = shares[i].interval.high;
  }
  return suspects;
}

namespace {

// The steps' own doubt and that of the samples are independent: their half widths add in
// quadrature, each side by itself.
void AddDoubt(const StepTimes& times, const SampleSplit* samples, SubStage stage, StageRow& row) {
  const Interval steps = row.ns > 0 ? times.Share(stage) : Interval{};
  double below = std::max(0.0, row.share - steps.low);
  double above = std::max(0.0, steps.high - row.share);
  if (const auto doubt =
          samples != nullptr ? samples->DoubtOf(stage, times.total()) : std::nullopt) {
    below = std::hypot(below, doubt->below * row.share);
    above = std::max(std::hypot(above, doubt->above * row.share), doubt->unseen - row.share);
  }
  row.share_low = std::clamp(row.share - below, 0.0, row.share);
  row.share_high = std::clamp(row.share + above, row.share, 1.0);
}

}  // namespace

std::vector<StageRow> MakeStages(const StepTimes& times, const SampleSplit* samples,
                                 const FunctionTimes& functions) {
  const auto shares = ExactShares(times.total());
  std::vector<StageRow> rows;
  for (size_t i = 0; i < kSubStageCount; ++i) {
    const auto stage = static_cast<SubStage>(i);
    StageRow& row = rows.emplace_back();
    row.suspect = SuspectName(SuspectOf(stage));
    row.name = StageName(stage);
    row.ns = times.total()[i];
    row.share = shares[i];
    AddDoubt(times, samples, stage, row);
    if (const auto found = functions.find(stage); found != functions.end()) {
      for (const FunctionTime& one : found->second) row.functions.push_back(one.function);
    }
    if (samples == nullptr) continue;
    SampleFunctions::Shown shown =
        SampleFunctions(*samples).ShownOf(stage, row.ns, times.total_ns());
    row.samples = shown.samples;
    row.functions = std::move(shown.functions);
  }
  return rows;
}

namespace {

// Each phase by a place that the compiler knows: so no more of a row is read.
template <size_t... kPhase>
[[gnu::always_inline]] inline void AddPhasesOf(const store::StepRow& row, PhaseTimes& sums,
                                               std::index_sequence<kPhase...>) {
  const std::array<int64_t, sizeof...(kPhase)> phases = {row.*kPhases[kPhase].ns...};
  ((sums[kPhase] = SaturatingAdd(sums[kPhase], std::max<int64_t>(phases[kPhase], 0))), ...);
}

}  // namespace

std::vector<BreakdownRow> MakeBreakdown(const ReportInput& input, const StepSelection& selection) {
  std::map<std::pair<int32_t, store::StringId>, PhaseTimes> sums;
  constexpr auto kAll = std::make_index_sequence<kPhases.size()>();
  for (uint32_t i : selection.steady) {
    const store::StepRow& row = input.steps[i];
    AddPhasesOf(row, sums[std::pair(int32_t{row.rank}, store::StringId{row.kind})], kAll);
  }
  const StepKinds kinds(*input.strings);
  for (const store::StepRow& row : input.steps) {
    if (!IsPlausible(row) || kinds.IsSteady(row)) continue;
    AddPhasesOf(row, sums[std::pair(int32_t{row.rank}, store::StringId{row.kind})], kAll);
  }
  std::vector<BreakdownRow> rows;
  for (const auto& [key, sum] : sums) {
    int64_t total = 0;
    for (int64_t ns : sum) total = SaturatingAdd(total, ns);
    for (size_t i = 0; i < kPhases.size(); ++i) {
      if (sum[i] == 0) continue;
      rows.push_back({key.first, input.strings->Text(key.second), PhaseName(kPhases[i]), sum[i],
                      Ratio(sum[i], total)});
    }
  }
  return rows;
}

namespace {

// Of each step its ranks together: they keep step with each other, and so are one draw.
template <class NsOf>
std::vector<int64_t> SumsBySteps(const ReportInput& input, const std::vector<uint32_t>& steady,
                                 NsOf ns_of) {
  std::vector<int64_t> sums;
  std::optional<int64_t> before;
  for (uint32_t i : steady) {
    const store::StepRow& row = input.steps[i];
    if (before != row.step) sums.push_back(0);
    sums.back() = SaturatingAdd(sums.back(), ns_of(row));
    before = row.step;
  }
  return sums;
}

int64_t SumOf(const std::vector<int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), int64_t{0}, SaturatingAdd);
}

}  // namespace

std::vector<StepPart> MakeStepParts(const ReportInput& input, const StepSelection& selection) {
  const auto sums = [&](auto ns_of) { return SumsBySteps(input, selection.steady, ns_of); };
  const auto rows = sums([](const store::StepRow&) { return int64_t{1}; });
  const auto whole_ns = sums([](const store::StepRow& row) { return row.dur_ns; });
  const int64_t total_ns = SumOf(whole_ns);
  if (total_ns <= 0) return {};
  const double mean_ns =
      static_cast<double>(total_ns) / static_cast<double>(selection.steady.size());
  const Interval step = BootstrapRatioOfSums(whole_ns, rows);
  std::vector<StepPart> parts = {
      {StepPartKind::kStep, "step", mean_ns, step.low, step.high, 1, 1, 1}};
  for (size_t k = 0; k < kPhases.size(); ++k) {
    const auto phase_ns =
        sums([k](const store::StepRow& row) { return std::max<int64_t>(row.*kPhases[k].ns, 0); });
    const int64_t sum_ns = SumOf(phase_ns);
    if (sum_ns == 0) continue;
    const double share = Ratio(sum_ns, total_ns);
    const Interval of_step = BootstrapRatioOfSums(phase_ns, whole_ns);
    const Interval ns = BootstrapRatioOfSums(phase_ns, rows);
    parts.push_back({.kind = StepPartKind::kPhase,
                     .name = PhaseName(kPhases[k]),
                     .ns = share * mean_ns,
                     .ns_low = ns.low,
                     .ns_high = ns.high,
                     .share = share,
                     .share_low = of_step.low,
                     .share_high = of_step.high});
  }
  return parts;
}

DataPipelineSection MakeDataPipeline(const StepTimes& times, const JobFacts& facts,
                                     const std::vector<StageRow>& stages) {
  DataPipelineSection section;
  const LoaderFact* training = TrainingLoader(facts);
  section.applicable = training != nullptr || times.counts().waits > 0 ||
                       At(BySuspect(times.total()), SuspectId::kDataPipeline) > 0;
  if (training != nullptr) section.workers = training->workers;
  section.waits = times.counts().waits;
  section.starved_waits = times.counts().starved_waits;
  for (const StageRow& row : stages) {
    if (row.suspect == SuspectName(SuspectId::kDataPipeline)) section.stages.push_back(row);
  }
  for (const LoaderFact& loader : facts.loaders) {
    section.loaders.push_back({loader.rank, loader.pid, loader.json});
  }
  return section;
}

DistributedSection MakeDistributed(const StepTimes& times) {
  DistributedSection section;
  section.applicable = times.ranks().size() > 1;
  if (!section.applicable) return section;
  for (const auto& [number, times_of_rank] : times.ranks()) {
    const StageTimes& stages = times_of_rank.stages;
    RankSection rank;
    rank.rank = number;
    rank.steps = times_of_rank.steps;
    rank.mean_step_ns = Sum(stages) / std::max<int64_t>(times_of_rank.steps, 1);
    rank.suspects = MakeSuspects(stages);
    rank.computation_ns = At(BySuspect(stages), SuspectId::kModel);
    rank.transfer_ns = At(stages, SubStage::kExposed);
    rank.wait_ns = At(stages, SubStage::kStraggler);
    rank.exposed_ns = rank.transfer_ns + rank.wait_ns;
    section.ranks.push_back(std::move(rank));
    if (times_of_rank.caused_wait_ns > 0) {
      section.blame.push_back(
          {number, times_of_rank.caused_wait_ns, NameOf(LateCause(times_of_rank.excess))});
    }
  }
  std::stable_sort(section.blame.begin(), section.blame.end(), [](const auto& a, const auto& b) {
    return a.caused_wait_ns > b.caused_wait_ns;
  });
  return section;
}

std::vector<SystemRow> MakeSystem(const ReportInput& input) {
  std::vector<SystemRow> rows;
  for (const CounterSeries& series : input.counters) {
    if (!InSystemTable(series.metric)) continue;
    if (const auto values = Describe(series.values)) {
      rows.push_back(MakeSystemRow(series, *values, input.run.duration_ns));
    }
  }
  std::stable_sort(rows.begin(), rows.end(), [](const SystemRow& a, const SystemRow& b) {
    return std::tie(a.node, a.metric, a.device) < std::tie(b.node, b.metric, b.device);
  });
  return rows;
}

std::vector<FindingLine> MakeFindings(std::span<const store::FindingRow> rows,
                                      const store::StringTable& strings,
                                      std::span<const store::NodeInfo> nodes) {
  constexpr size_t kMostFindings = 1000;
  if (rows.size() > kMostFindings) rows = rows.last(kMostFindings);
  std::vector<FindingLine> findings;
  for (const store::FindingRow& row : rows) {
    auto said = ReadFinding(row.evidence);
    if (!said) said = Make(model::finding::LegacyText{.text = row.text});
    const auto severity = store::SeverityOf(strings.Text(row.severity));
    findings.push_back({row.ts_ns, severity.value_or(store::Severity::kWarning),
                        strings.Text(row.kind), row.subject, *std::move(said)});
  }
  std::vector<model::Finding*> said;
  for (FindingLine& line : findings) said.push_back(&line.said);
  CompleteFindings(nodes, said);
  return findings;
}

model::Topic TopicOf(const FindingLine& line) {
  const model::Topic topic = model::InfoOf(line.said.kind).topic;
  if (topic != model::Topic::kNone) return topic;
  if (store::FindingSourceOf(line.kind) == store::FindingSource::kRule) return model::Topic::kRule;
  for (size_t i = 0; i < std::size(model::kTopics); ++i) {
    const std::string_view former = model::kTopics[i].former;
    if (!former.empty() && line.subject.starts_with(former)) return static_cast<model::Topic>(i);
  }
  return model::Topic::kNone;
}

std::vector<bool> StandingFindings(std::span<const FindingLine> findings) {
  std::vector<bool> standing(findings.size());
  std::set<std::pair<model::Topic, std::string_view>> reported;
  for (size_t i = findings.size(); i-- > 0;) {
    const FindingLine& one = findings[i];
    standing[i] = reported.emplace(TopicOf(one), one.subject).second &&
                  one.severity != store::Severity::kInfo;
  }
  return standing;
}

}  // namespace steptrace::analyze
