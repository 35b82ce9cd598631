// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/rules.h"

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>

#include "analyze/report/build_report.h"
#include "serve/rpc/run_rows.h"
#include "serve/rpc/steps.h"
#include "store/run_reader.h"

namespace steptrace::rpc {
namespace {

constexpr const char* kStepMark = "Step:ModeKeys";

// What the rules want of the slices: steps as marked, work of loaders, time by name.
struct SliceParts {
  std::vector<analyze::StepMark> marks;
  std::vector<analyze::LoaderEvent> loaders;
  std::vector<analyze::FrameworkTotal> totals;
};

// The reference's names for groups of operators; empty: not a total of its report.
const char* GroupOf(const std::string& category) {
  if (category == "cpu_op") return "cpu";
  if (category == "kernel" || category == "gpu_memcpy" || category == "gpu_memset") return "gpu";
  if (category == "horovod" || category == "framework") return category.c_str();
  return "";
}

bool IsLoading(const std::string& category, const std::string& name) {
  if (category == "worker") return name != "collate" && name != "getitem" && name != "put";
  return category == "data_wait" && name.find("DataLoaderIter") != std::string::npos &&
         name.find("Initialize") == std::string::npos;
}

bool IsEvaluation(const std::string& name) {
  return name.find("EVAL") != std::string::npos || name.find("PREDICT") != std::string::npos;
}

SliceParts PartsOf(const std::vector<store::SliceRow>& slices,
                   const std::vector<store::TrackRow>& tracks, const store::StringTable& strings) {
  std::unordered_map<int32_t, const store::TrackRow*> track_of;
  for (const auto& track : tracks) track_of.emplace(track.track, &track);
  std::map<std::pair<store::StringId, store::StringId>, std::pair<int64_t, int64_t>> sums;
  SliceParts parts;
  for (const store::SliceRow& slice : slices) {
    auto& [ns, count] = sums[{slice.category, slice.name}];
    if (slice.dur_ns > 0 && ns < INT64_MAX / 2) ns += slice.dur_ns;
    ++count;
    const std::string& category = strings.Text(slice.category);
    const std::string& name = strings.Text(slice.name);
    const auto found = track_of.find(slice.track);
    const int32_t node = found == track_of.end() ? 0 : found->second->node;
    if (category == "step" && name.find(kStepMark) != std::string::npos) {
      parts.marks.push_back({slice.ts_ns, slice.dur_ns, slice.step.value_or(0), node, slice.rank,
                             IsEvaluation(name)});
    } else if (IsLoading(category, name)) {
      const int64_t pid = found == track_of.end() ? 0 : found->second->pid.value_or(0);
      parts.loaders.push_back({slice.ts_ns, slice.dur_ns, node, pid});
    }
  }
  for (const auto& [key, sum] : sums) {
    const std::string group = GroupOf(strings.Text(key.first));
    if (group.empty()) continue;
    parts.totals.push_back({group, strings.Text(key.second), sum.first, sum.second});
  }
  return parts;
}

analyze::CostSection CostOf(const analyze::RulesInput& input, const analyze::Report& report,
                            const CostRequest& request) {
  analyze::CostInput cost;
  cost.duration_ns = input.run.duration_ns;
  cost.phases = report.phases;
  cost.suspects = report.suspects;
  cost.use = analyze::MeasureUse(input);
  cost.nodes = report.run.nodes;
  cost.price_per_hour = request.price_per_hour;
  cost.instance = request.instance;
  cost.types = request.types;
  return analyze::BuildCostSection(cost);
}

void LeaveOutTheBegin(std::vector<analyze::RuleResult>& rules) {
  for (analyze::RuleResult& result : rules) {
    if (result.rule != analyze::RuleId::kMaxInitializationTime) continue;
    result.status = analyze::RuleStatus::kNotApplicable;
    result.reason = "it is of the run's begin, which the stretch leaves out";
    result.triggered = result.violations = 0;
    result.evidence.clear();
    result.advice.clear();
  }
}

}  // namespace

Result<RulesAnswer> LoadRules(const std::filesystem::path& path,
                              const analyze::RuleSettings& settings, const CostRequest& cost,
                              const RulesStretch& stretch) {
  STEPTRACE_RETURN_IF_ERROR(StoreMarkedSteps(path));
  STEPTRACE_ASSIGN_OR_RETURN(store::RunReader run, store::RunReader::Open(path));
  STEPTRACE_ASSIGN_OR_RETURN(auto tracks, run.Read<store::TrackRow>());
  store::ReadOptions wanted;
  wanted.from_ns = stretch.from_ns;
  wanted.to_ns = stretch.to_ns;
  STEPTRACE_ASSIGN_OR_RETURN(auto counters, run.Read<store::CounterRow>(wanted));
  STEPTRACE_ASSIGN_OR_RETURN(auto steps, run.Read<store::StepRow>(wanted));
  STEPTRACE_ASSIGN_OR_RETURN(auto facts, run.Read<store::FactRow>());
  STEPTRACE_ASSIGN_OR_RETURN(auto findings, run.Read<store::FindingRow>());
  if (steps.empty()) {  // of a run that cannot be written
    STEPTRACE_ASSIGN_OR_RETURN(steps, MarkedSteps(run));
    std::erase_if(steps, [&stretch](const store::StepRow& step) {
      return step.ts_ns < stretch.from_ns.value_or(INT64_MIN) ||
             step.ts_ns >= stretch.to_ns.value_or(INT64_MAX);
    });
  }
  wanted.columns = {"ts_ns", "dur_ns", "track", "rank", "name", "category", "step"};
  STEPTRACE_ASSIGN_OR_RETURN(auto slices, run.Read<store::SliceRow>(wanted));
  const SliceParts parts = PartsOf(slices, tracks, run.strings());
  const auto series = SeriesOf(tracks, counters);
  analyze::RulesInput input;
  input.run = RunInfoOf(run);
  input.run.duration_ns = DurationOf(run, steps, counters);
  input.counters = series;
  input.steps = steps;
  input.strings = &run.strings();
  input.facts = facts;
  input.step_marks = parts.marks;
  input.loader_events = parts.loaders;
  input.framework_totals = parts.totals;
  analyze::ReportInput report;
  report.run = input.run;
  report.steps = steps;
  report.strings = &run.strings();
  report.counters = series;
  report.facts = facts;
  report.findings = findings;
  const analyze::Report whole = analyze::BuildReport(report);
  RulesAnswer answer{run.manifest().name, analyze::BuildProfilingReport(input, settings),
                     CostOf(input, whole, cost), whole.findings};
  if (stretch.from_ns.value_or(0) > 0) LeaveOutTheBegin(answer.report.rules);
  return answer;
}

}  // namespace steptrace::rpc
