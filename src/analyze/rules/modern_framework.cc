// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "analyze/input/allowed_cores.h"
#include "analyze/input/step_selection.h"
#include "analyze/rules/modern_data.h"
#include "analyze/stats/distribution.h"
#include "analyze/stats/outliers.h"
#include "base/time.h"
#include "model/finding_kinds.h"
#include "store/manifest.h"
#include "store/stored_words.h"

namespace steptrace::analyze {

namespace finding = model::finding;
using model::Compare;
namespace {

// Of a part of the run nothing is said of the rest.
template <typename Reason>
model::Finding Unrecorded(const ModernData& data) {
  return Make(Reason{.in_range = !data.input.has_begin || !data.input.has_end});
}

void AddWorkers(RuleResult& result, const ModernData& data) {
  const LoaderFact* loader = TrainingLoader(data.facts);
  int32_t cores = data.input.run.nodes.empty() ? 0 : data.input.run.nodes.front().cpus;
  if (cores == 0 && !data.signals.Nodes().empty()) {
    cores = static_cast<int32_t>(data.signals.Cores(data.signals.Nodes().front()));
  }
  if (!data.input.run.nodes.empty()) {
    const AllowedCores allowed(data.input.run, data.input.facts, *data.input.strings);
    cores = allowed.CountOn(data.input.run.nodes.front().node, cores);
  }
  if (loader == nullptr || cores == 0) return;
  const double limit = data.settings.Number({RuleId::kDataloader, "max_threshold"});
  if (loader->workers * 100.0 <= cores * limit) return;
  ++result.triggered;
  AddEvidence(result,
              Make(finding::RuleWorkersOnCores{
                  .workers = loader->workers,
                  .cores = cores,
                  .rows = model::Rows{"run_metadata", {{"kind", Compare::kEqual, "loader"}}}}));
}

}  // namespace

model::Finding NoMetric(const ModernData& data) {
  const auto& of = data.around.empty() ? data.outside : data.around;
  // Of any of them: none is there.
  return Unmeasured<finding::ReasonNoSystemMetric>(data, of.empty() ? Signal::kCpu : *of.begin());
}

model::Finding NotMeasured(const ModernData& data, RuleId bottleneck) {
  return bottleneck == RuleId::kCpuBottleneck
             ? Unmeasured<finding::ReasonNoCpu>(data, Signal::kCpu)
             : Unmeasured<finding::ReasonNoIoWait>(data, Signal::kIoWait);
}

RuleResult NotApplicable(RuleResult result, model::Finding reason) {
  result.status = RuleStatus::kNotApplicable;
  result.reason = std::move(reason);
  return result;
}

RuleResult Judged(RuleResult result) {
  if (result.triggered == 0) return result;
  result.status = RuleStatus::kIssuesFound;
  result.advice = AdviceOf(result.rule);
  return result;
}

RuleResult ModernDataloader(const ModernData& data) {
  constexpr RuleId kRule = RuleId::kDataloader;
  RuleResult result = EmptyResult(kRule, data.settings);
  const store::PackedSteps& steps = data.input.steps;
  const StepsOfRanks ranks = StepsByRank(data.input, [](std::string_view kind) {
    return store::StepKindOf(kind) == store::StepKind::kTrain;
  });
  const double limit = data.settings.Number({kRule, "max_wait"});
  const auto patience = data.settings.Count({kRule, "patience"});
  const auto size = data.settings.Count({kRule, "window"});
  bool loads = !data.facts.loaders.empty(), enough = false;
  for (const auto& [rank, rows] : ranks) {
    result.datapoints += static_cast<int64_t>(rows.size());
    for (const uint32_t i : rows) loads |= steps[i].data_ns > 0 || steps[i].waits > 0;
    if (rows.size() <= patience) continue;
    enough = true;
    for (const IndexRange& range : Windows(rows.size(), size, patience)) {
      int64_t wait = 0, whole = 0, waits = 0, starved = 0;
      for (size_t i = range.begin; i < range.end; ++i) {
        const store::StepRow& row = steps[rows[i]];
        wait = SaturatingAdd(wait, std::max<int64_t>(row.data_ns, 0));
        whole = SaturatingAdd(whole, row.dur_ns);
        waits += row.waits;
        starved += row.starved_waits;
      }
      if (!(100.0 * static_cast<double>(wait) > limit * static_cast<double>(whole))) continue;
      ++result.triggered;
      const double share = static_cast<double>(wait) / static_cast<double>(whole);
      const auto known = [&](int64_t count) {
        return waits == 0 ? std::nullopt : std::optional<int64_t>(count);
      };
      const store::StepRow& first = steps[rows[range.begin]];
      const store::StepRow& last = steps[rows[range.end - 1]];
      // By time, so that pages lead to the time range.
      model::Rows rows_of_window = {
          "steps",
          model::Within(first.ts_ns, SaturatingAdd(last.ts_ns, std::max<int64_t>(last.dur_ns, 1)))};
      rows_of_window.where.insert(
          rows_of_window.where.begin(),
          {{"rank", Compare::kEqual, rank},
           {"kind", Compare::kEqual, std::string(store::NameOf(store::StepKind::kTrain))}});
      AddEvidence(result, Make(finding::RuleWaitsForData{.rank = rank,
                                                         .from = first.step,
                                                         .to = last.step,
                                                         .share = share,
                                                         .starved = known(starved),
                                                         .waits = known(waits),
                                                         .rows = std::move(rows_of_window)}));
    }
  }
  if (ranks.empty())
    return NotApplicable(std::move(result), Unrecorded<finding::ReasonNoTrainingStep>(data));
  if (!loads) return NotApplicable(std::move(result), Make(finding::ReasonNoLoader{}));
  if (!enough) return NotApplicable(std::move(result), Make(finding::ReasonFewSteadySteps{}));
  AddWorkers(result, data);
  return Judged(std::move(result));
}

namespace {

struct StepGroup {
  int32_t rank = 0;
  bool eval = false;
  std::vector<int64_t> durations_ns;
};

std::vector<StepGroup> GroupSteps(const ModernData& data) {
  std::map<std::pair<int32_t, bool>, StepGroup> groups;
  const StepKinds kinds(*data.input.strings);
  const std::string& mode = data.settings.step_mode();
  for (const store::StepRow& row : data.input.steps) {
    if (!IsPlausible(row) || kinds.IsWarmUp(row)) continue;
    if (!mode.empty() && data.input.strings->Text(row.kind) != mode) continue;
    const bool eval = kinds.IsEval(row);
    const int64_t dur_ns = row.dur_ns;
    const int32_t rank = row.rank;
    StepGroup& group = groups[{rank, eval}];
    group.rank = rank;
    group.eval = eval;
    group.durations_ns.push_back(dur_ns);
  }
  std::vector<StepGroup> result;
  for (auto& [key, group] : groups) result.push_back(std::move(group));
  return result;
}

}  // namespace

// Against the median, by the median deviation, warm-up left out; of each rank and kind of steps.
// It triggers by rate, or by what the outliers cost.
RuleResult ModernStepOutlier(const ModernData& data) {
  constexpr RuleId kRule = RuleId::kStepOutlier;
  constexpr size_t kLeast = 30;
  RuleResult result = EmptyResult(kRule, data.settings);
  const auto get = [&](ParameterId parameter) { return data.settings.Number(parameter); };
  bool enough = false, any = false;
  for (const StepGroup& group : GroupSteps(data)) {
    any = true;
    result.datapoints += static_cast<int64_t>(group.durations_ns.size());
    if (group.durations_ns.size() < kLeast) continue;
    enough = true;
    const std::vector<int64_t>& durations = group.durations_ns;
    int64_t whole = 0;
    for (int64_t duration : durations) whole = SaturatingAdd(whole, duration);
    const auto rule = FindOutlierRule(durations);
    const double width = static_cast<double>(rule->threshold_ns - rule->median_ns);
    const auto limit =
        rule->median_ns + static_cast<int64_t>(width * get({kRule, "stddev"}) / kOutlierDeviations);
    int64_t count = 0, excess = 0;
    for (int64_t duration : durations) {
      if (duration <= limit) continue;
      ++count;
      excess = SaturatingAdd(excess, duration - rule->median_ns);
    }
    const double rate = 100.0 * static_cast<double>(count) / static_cast<double>(durations.size());
    const double lost = 100.0 * static_cast<double>(excess) / static_cast<double>(whole);
    const bool often =
        static_cast<double>(count) > get({kRule, "n_outliers"}) && rate > get({kRule, "rate"});
    if (!often && !(lost > get({kRule, "lost"}))) continue;
    ++result.triggered;
    const auto step_kind = group.eval ? store::StepKind::kEval : store::StepKind::kTrain;
    model::Rows rows = {"steps",
                        {{"rank", Compare::kEqual, group.rank},
                         {"kind", Compare::kEqual, std::string(NameOf(step_kind))},
                         {"dur_ns", Compare::kMore, limit}}};
    AddEvidence(result, Make(finding::RuleSlowSteps{.rank = group.rank,
                                                    .found = count,
                                                    .steps = durations.size(),
                                                    .evaluations = group.eval,
                                                    .limit = limit,
                                                    .median = rule->median_ns,
                                                    .cost = excess,
                                                    .rows = std::move(rows)}));
  }
  if (!any) return NotApplicable(std::move(result), Unrecorded<finding::ReasonNoStep>(data));
  if (!enough)
    return NotApplicable(std::move(result), Make(finding::ReasonFewStepsOfAKind{.least = kLeast}));
  return Judged(std::move(result));
}

RuleResult ModernMaxInitializationTime(const ModernData& data) {
  constexpr RuleId kRule = RuleId::kMaxInitializationTime;
  RuleResult result = EmptyResult(kRule, data.settings);
  result.datapoints = static_cast<int64_t>(data.steps.size());
  const bool live = data.input.run.status == store::kStatusInProgress;
  if (!data.training_known && !live) {
    return NotApplicable(std::move(result), Unrecorded<finding::ReasonNoTrainingStep>(data));
  }
  const int64_t waited =
      data.training_known ? std::max<int64_t>(data.from_ns, 0) : data.input.run.duration_ns;
  if (static_cast<double>(waited) > data.settings.Number({kRule, "threshold"}) * 60e9) {
    result.triggered = 1;
    AddEvidence(result, Make(finding::RuleLongInitialization{
                            .time = waited,
                            .begun = data.training_known,
                            .rows = model::Rows{"steps", {{"ts_ns", Compare::kAtMost, waited}}}}));
  }
  return Judged(std::move(result));
}

RuleResult ModernOverallFrameworkMetrics(const ModernData& data) {
  RuleResult result = EmptyResult(RuleId::kOverallFrameworkMetrics, data.settings);
  result.datapoints = static_cast<int64_t>(data.steps.size() + data.input.framework_totals.size());
  if (result.datapoints == 0) {
    return NotApplicable(std::move(result), Unrecorded<finding::ReasonFrameworkSilent>(data));
  }
  return result;
}

std::vector<RuleResult> RunModernRules(const RulesInput& input, const RuleSettings& settings) {
  const ModernData data(input, settings);
  std::vector<RuleResult> results;
  for (const ModernRule rule : kModernRules) results.push_back(rule(data));
  return results;
}

}  // namespace steptrace::analyze
