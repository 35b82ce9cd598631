// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/build_report.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "analyze/attribution/attribution.h"
#include "analyze/attribution/exchange_work.h"
#include "analyze/attribution/lost_slices.h"
#include "analyze/attribution/sample_functions.h"
#include "analyze/attribution/trace_steps.h"
#include "analyze/attribution/unseen_forward.h"
#include "analyze/attribution/window_cost.h"
#include "analyze/input/complete_findings.h"
#include "analyze/input/count_rows.h"
#include "analyze/memory/host_memory.h"
#include "analyze/memory/memory_limits.h"
#include "analyze/report/agreement.h"
#include "analyze/report/leave_out_bounds.h"
#include "analyze/report/losses.h"
#include "analyze/report/make_run_card.h"
#include "analyze/report/notes.h"
#include "analyze/report/profile_analysis.h"
#include "analyze/report/rank_figures.h"
#include "analyze/report/recommendations.h"
#include "analyze/report/run_failure.h"
#include "analyze/report/sections.h"
#include "analyze/report/step_parts.h"
#include "analyze/rules/profiling_report.h"
#include "analyze/tensors/tensor_histories.h"
#include "analyze/tensors/tensor_recording.h"
#include "analyze/tensors/tensor_rules.h"
#include "analyze/verdict/host_exchange.h"
#include "analyze/verdict/unbegun_work.h"
#include "analyze/verdict/verdict.h"

namespace steptrace::analyze {
namespace {

std::map<int32_t, std::vector<int32_t>> RanksByNode(const ReportInput& input) {
  std::set<std::pair<int32_t, int32_t>> seen;
  std::pair<int32_t, int32_t> before(-1, -1);  // mostly the same again
  for (const store::StepRow& row : input.steps) {
    const std::pair<int32_t, int32_t> now(int32_t{row.node}, int32_t{row.rank});
    if (seen.empty() || now != before) seen.insert(now);
    before = now;
  }
  std::map<int32_t, std::vector<int32_t>> result;
  for (const auto& [node, rank] : seen) result[node].push_back(rank);
  return result;
}

bool HasPeers(const std::map<int32_t, std::vector<int32_t>>& ranks, const JobFacts& facts) {
  size_t count = 0;
  for (const auto& [node, on_node] : ranks) count += on_node.size();
  return count > 1 || facts.world_size > 1;
}

// A profile without marks is taken as one step, which stands in no table.
TableRows TablesOf(const ReportInput& input) {
  TableRows tables = input.tables;
  tables.has_steps &= input.steps_marked;
  return tables;
}

// Of what a report reads: marks of steps and loaders' work stand in the slices, which
// `steptrace rules` reads beside it.
std::shared_ptr<const std::vector<RuleResult>> MakeRuleResults(const ReportInput& input) {
  RulesInput rules;
  rules.run = input.run;
  rules.counters = input.counters;
  rules.metrics_outside = input.metrics_outside;
  rules.steps = input.steps;
  rules.strings = input.strings;
  rules.facts = input.facts;
  rules.losses = input.losses;
  rules.tables = TablesOf(input);
  std::vector<DeviceUse> use;
  std::vector<DeviceMemory> memory;
  if (input.profile && !input.profile_of_windows) {
    use = DeviceUseOf(*input.profile, input.steps, *input.strings);
    rules.device_use = use;
    DeviceMemoryBuilder builder;
    for (const RankTrace& rank : input.profile->ranks) builder.Add(rank.memory);
    memory = builder.Finish(input.steps, input.facts, *input.strings);
    rules.device_memory = memory;
  }
  return std::make_shared<std::vector<RuleResult>>(
      RunRules(rules, RuleSettings(RuleMode::kModern)));
}

ProfiledSteps StagesOf(const Trace& profile, const std::vector<TraceRankSteps>& ranks,
                       DatasetTime dataset) {
  ProfiledSteps stages;
  for (size_t r = 0; r < ranks.size(); ++r) {
    for (const TraceStepTimes& one : ranks[r].attributed) {
      StageTimes& times = stages[{profile.ranks[r].rank, one.step.ts_ns}] = one.stages;
      AddTo(times, one.by_functions);
      if (dataset == DatasetTime::kByStage) continue;
      for (size_t i = 0; i < kSubStageCount; ++i) times[i] -= one.of_dataset[i];
    }
  }
  return stages;
}

FunctionTimes FunctionsOf(const std::vector<TraceRankSteps>& ranks, int64_t whole_ns) {
  std::vector<FunctionTimes> functions;
  for (const TraceRankSteps& rank : ranks) functions.push_back(rank.functions);
  return MergeFunctions(functions, whole_ns);
}

// What samples, or a profile's own functions, tell of the code beside the model.
SampledWaits WaitsOf(const SampleSplit* samples, const FunctionTimes& functions, int64_t whole_ns) {
  if (samples != nullptr) return SampleFunctions(*samples).WaitsOf(whole_ns);
  SampledWaits waits;
  if (const auto found = functions.find(SubStage::kUnknown); found != functions.end()) {
    for (const FunctionTime& one : found->second) {
      if (!one.waits) waits.between.push_back(one.function);
    }
  }
  return waits;
}

ProfiledSteps StagesOfWindows(const Trace& profile) {
  ProfiledSteps stages;
  for (const RankTrace& rank : profile.ranks) {
    for (const TraceStepTimes& one : AttributeHostSteps(rank, *profile.strings)) {
      stages[{rank.rank, one.step.ts_ns}] = one.stages;
    }
  }
  return stages;
}

// Fewer steps with known device activity say less than all without.
constexpr int64_t kMinProfiledSteps = 3;

// Those of the selection whose device activity is known.
StepSelection OfProfiled(const ReportInput& input, const StepSelection& all,
                         const ProfiledSteps& profiled) {
  StepSelection known = all;
  std::erase_if(known.steady, [&](uint32_t i) {
    const store::StepRow& row = input.steps[i];
    return !profiled.contains({row.rank, row.ts_ns});
  });
  std::map<int32_t, int64_t> by_rank;
  for (uint32_t i : known.steady) ++by_rank[input.steps[i].rank];
  known.steps = 0;
  for (const auto& [rank, count] : by_rank) known.steps = std::max(known.steps, count);
  return known;
}

// The steady steps of a run with each nanosecond put to its cause. Parts of it point into others.
struct Attributed {
  // ranks: what the analysis of input.profile found; null: it is found here.
  explicit Attributed(const ReportInput& input, const std::vector<TraceRankSteps>* ranks = nullptr);
  Attributed(const Attributed&) = delete;
  Attributed& operator=(const Attributed&) = delete;

  JobFacts facts;
  StepSelection selection;
  std::map<int32_t, std::vector<int32_t>> nodes;
  LoadSummary load;
  DeviceUtilization device;
  HostIdle idle;
  DispatchSplit dispatch;
  ProfiledSteps profiled;
  int64_t left_out = 0;                   // steps, for a damaged file held slices of them
  std::optional<WindowCost> window_cost;  // taken off these
  std::optional<SampleSplit> samples;
  AttributionRules rules;
  StepSelection attributed;  // of `selection` what the times are of
  StepTimes times;

  // On a host that computes itself: neither samples of stacks nor of CPU time fall into its steps.
  bool ForwardUnseen(bool on_host) const {
    return on_host && idle.seen.empty() && !(samples && samples->SeesThreads());
  }

 private:
  AttributionRules Rules(const ReportInput& input, const std::vector<TraceRankSteps>* ranks);
};

Attributed::Attributed(const ReportInput& input, const std::vector<TraceRankSteps>* ranks)
    : facts(ReadJobFacts(input.facts, *input.strings)),
      selection(SelectSteps(input)),
      nodes(RanksByNode(input)),
      load(input.counters, input.run.nodes, AllowedCores(input.run, input.facts, *input.strings),
           selection.from_ns, selection.to_ns),
      // A device that others use says nothing of a job that computes on the CPU.
      device(MayUseDevice(facts)
                 ? DeviceUtilization(input.counters, nodes, facts.gpus.NumberOfRanks())
                 : DeviceUtilization()),
      rules(Rules(input, ranks)),
      attributed((input.profile_of_windows || left_out > 0) && rules.profiled != nullptr
                     ? OfProfiled(input, selection, profiled)
                     : selection),
      times(input, attributed, rules) {}

AttributionRules Attributed::Rules(const ReportInput& input,
                                   const std::vector<TraceRankSteps>* ranks) {
  const bool on_host = !MayUseDevice(facts) && !input.profile;
  if (on_host) {
    idle = FindHostIdle(input, selection);
    dispatch = FindDispatchSplit(input.steps);
  }
  AttributionRules made = MakeRules(input.steps, load, device, HasPeers(nodes, facts));
  made.idle_of_forward = idle.of_forward;
  made.on_host = on_host;
  made.keep_steps = static_cast<bool>(input.collectives);
  if (input.samples != nullptr) {
    made.samples = &samples.emplace(*input.samples, input, selection, made.storage_evidence);
  }
  if (dispatch.any()) made.dispatch = &dispatch;
  if (dispatch.any() && input.operators) {
    made.exchange_of_backward = ExchangeWorkOfBackward(*input.operators, input.steps);
  }
  if (MayUseDevice(facts)) made.phases = input.device_phases;
  if (input.profile) {
    profiled = input.profile_of_windows ? StagesOfWindows(*input.profile)
               : ranks != nullptr       ? StagesOf(*input.profile, *ranks, DatasetTime::kByStage)
                                        : AttributeProfile(*input.profile);
  }
  left_out = !input.profile || input.profile_of_windows ? input.steps_left_out
                                                        : LeaveOutLost(input, profiled);
  // Of too few the steps' own phases decide, as without a profile.
  if (input.profile_of_windows &&
      OfProfiled(input, selection, profiled).steps < kMinProfiledSteps) {
    profiled.clear();
  }
  if (input.profile_of_windows) window_cost = TakeOffWindowCost(input.steps, selection, profiled);
  if (!profiled.empty()) made.profiled = &profiled;
  made.forward_unseen = ForwardUnseen(on_host);
  return made;
}

// The same steps with the dataset's time as one.
StepTimes WithDatasetAsOne(const ReportInput& input, const Attributed& steps,
                           const std::vector<TraceRankSteps>* ranks) {
  AttributionRules rules = steps.rules;
  rules.dataset = DatasetTime::kAsOne;
  ProfiledSteps profiled;
  if (rules.profiled != nullptr && !input.profile_of_windows && ranks != nullptr) {
    profiled = StagesOf(*input.profile, *ranks, DatasetTime::kAsOne);
    rules.profiled = &profiled;
  }
  return StepTimes(input, steps.attributed, rules);
}

// `part`: of the times, a suspect or a stage.
template <class Part>
StepPart PartOf(StepPartKind kind, const std::string& name, double share, const StepTimes& times,
                Part part, const StepPart& step) {
  const Interval of_time = times.Share(part);
  const Interval of_step = times.Share(part, Per::kMeanStep);
  return {.kind = kind,
          .name = name,
          .ns = share * step.ns,
          .ns_low = of_step.low * step.ns,
          .ns_high = of_step.high * step.ns,
          .share = share,
          .share_low = of_time.low,
          .share_high = of_time.high,
          .spread_known = times.spread_known()};
}

void AddStages(const StepTimes& times, const StepPart& step, std::vector<StepPart>& parts) {
  const auto shares = ExactShares(times.total());
  for (size_t i = 0; i < kSubStageCount; ++i) {
    const auto stage = static_cast<SubStage>(i);
    parts.push_back(
        PartOf(StepPartKind::kSubStage, StageName(stage), shares[i], times, stage, step));
  }
}

// What a profile's records tell of devices of which no counters do; without totals they tell
// nothing.
void AddLimitsOf(const MemorySection& memory, const JobFacts& facts,
                 std::vector<MemoryLimit>& limits) {
  for (const MemoryDevice& device : memory.devices) {
    const auto bytes = facts.device_bytes.find({device.rank, device.device});
    const auto known = [&device](const MemoryLimit& one) {
      return one.of == LimitOf::kAllocator && one.rank == device.rank &&
             one.device == device.device;
    };
    if (device.from_zero || bytes == facts.device_bytes.end()) continue;
    if (std::ranges::any_of(limits, known)) continue;
    MemoryLimit limit{.of = LimitOf::kAllocator, .rank = device.rank, .device = device.device};
    limit.limit_bytes = static_cast<double>(bytes->second);
    limit.peak_bytes = static_cast<double>(std::max<int64_t>(0, device.peak.allocated_bytes));
    if (device.peak_reserved_bytes > 0) {
      limit.reserved_peak_bytes = static_cast<double>(device.peak_reserved_bytes);
    }
    limits.push_back(limit);
  }
  OrderLimits(limits);
}

std::shared_ptr<const std::vector<MemoryLimit>> MakeMemoryLimits(
    const ReportInput& input, const JobFacts& facts, const std::optional<Profile>& profile) {
  std::vector<MemoryLimit> limits = FindMemoryLimits(input, facts);
  if (profile) AddLimitsOf(profile->memory, facts, limits);
  if (limits.empty()) return nullptr;
  return std::make_shared<const std::vector<MemoryLimit>>(std::move(limits));
}

std::shared_ptr<const TensorsSection> MakeTensors(const ReportInput& input,
                                                  const std::vector<FindingLine>& findings) {
  TensorsSection section;
  section.recording = ReadTensorRecording(input.facts, *input.strings);
  if (!section.recording && input.tensors == nullptr) return nullptr;
  if (input.tensors != nullptr) input.tensors->Fill(section);
  std::vector<const model::Finding*> found;
  for (const FindingLine& line : findings) found.push_back(&line.said);
  section.rules = JudgeTensorRules(
      input.tensors == nullptr ? std::map<std::string, int64_t>() : input.tensors->Readings(),
      found);
  return std::make_shared<const TensorsSection>(std::move(section));
}

void CountEvidence(const ReportInput& input, std::vector<model::Finding>& evidence) {
  std::vector<model::Finding*> all;
  for (model::Finding& one : evidence) all.push_back(&one);
  const TableRows tables = TablesOf(input);
  const ReadTables read = {.which = tables,
                           .steps = input.steps,
                           .strings = *input.strings,
                           .counters = input.counters,
                           .facts = input.facts,
                           .losses = input.losses,
                           .profile = input.profile_of_windows ? TraceRef() : input.profile};
  CountRows(read, all);
}

// Of the report's own; those of rules and of the agent are of lists of their own.
void CompleteOwnFindings(std::span<const store::NodeInfo> nodes, Report& report) {
  std::vector<model::Finding*> all;
  const auto add = [&all](model::Finding& one) { all.push_back(&one); };
  if (report.failure.what) add(*report.failure.what);
  if (report.verdict.headline) add(*report.verdict.headline);
  std::ranges::for_each(report.verdict.evidence, add);
  for (Advice& advice : report.verdict.advice) add(advice.what);
  for (Recommendation& one : report.recommendations) {
    if (one.text) add(*one.text);
    std::ranges::for_each(one.evidence, add);
  }
  std::ranges::for_each(report.notes, add);
  CompleteFindings(nodes, all);
}

}  // namespace

RunParts MeasureStepParts(const ReportInput& input, const ProfileAnalysis* analysis) {
  const std::vector<TraceRankSteps>* ranks = analysis == nullptr ? nullptr : &analysis->ranks;
  const Attributed steps(input, ranks);
  RunParts run{input.run.name, MakeStepParts(input, steps.selection), true, {}, {}};
  run.comparability = MakeComparability(
      input, steps.facts, analysis == nullptr ? nullptr : &analysis->sections.devices);
  if (analysis != nullptr) {
    run.operators = OperatorsInStepsOf(analysis->sections.operators);
  } else if (input.operators) {
    run.operators = OperatorsInStepsOf(BuildOperators(*input.operators));
  }
  std::vector<StepPart>& parts = run.parts;
  if (parts.empty()) return run;
  run.spread_known = steps.selection.steps >= kMinSteadySteps;
  const StepPart step = parts.front();
  const std::vector<SuspectRow> suspects = MakeSuspects(steps.times.total());
  for (size_t i = 0; i < suspects.size(); ++i) {
    parts.push_back(PartOf(StepPartKind::kSuspect, suspects[i].name, suspects[i].share, steps.times,
                           kSuspects[i], step));
  }
  AddStages(steps.times, step, parts);
  if (steps.rules.samples != nullptr || ranks != nullptr) {
    const StepTimes as_one = WithDatasetAsOne(input, steps, ranks);
    if (as_one.total() != steps.times.total()) AddStages(as_one, step, run.dataset_as_one);
  }
  if (run.spread_known) return run;
  for (std::vector<StepPart>* some : {&parts, &run.dataset_as_one}) {
    for (StepPart& part : *some) {
      part.ns_low = part.ns_high = part.ns;
      part.share_low = part.share_high = part.share;
    }
  }
  return run;
}

// Whether torch.compile has been at work: while steps ran, or on code that was seen running.
bool IsCompiled(const ReportInput& input) {
  const auto compiles = [](const store::StepRow& row) { return row.compile_ns > 0; };
  return (input.samples != nullptr && input.samples->runs_compiled()) ||
         std::any_of(input.steps.begin(), input.steps.end(), compiles);
}

Report BuildReport(const ReportInput& input) {
  return BuildReport(input, input.profile
                                ? AnalyseProfile(*input.profile, input.options.tensor_cores, {},
                                                 input.options.last_steps)
                                : ProfileAnalysis());
}

Report BuildReport(const ReportInput& input, ProfileAnalysis analysis) {
  const Attributed steps(input, &analysis.ranks);
  const JobFacts& facts = steps.facts;
  const StepSelection& selection = steps.selection;
  const StepTimes& times = steps.times;

  Report report;
  report.run = MakeRun(input, facts);
  report.card = MakeRunCard(input, facts);
  report.comparability =
      MakeComparability(input, facts, input.profile ? &analysis.sections.devices : nullptr);
  report.phases = MakePhases(input);
  report.steps = MakeSteps(input, selection, times);
  report.failure = FindFailure(input, report.steps.count);
  report.suspects = MakeSuspects(times);
  FunctionTimes functions;  // samples of a live run know more of them
  // They are sums of all steps.
  if (steps.rules.profiled != nullptr && !input.profile_of_windows && steps.left_out == 0) {
    functions = FunctionsOf(analysis.ranks, times.total_ns());
  }
  report.stages = MakeStages(times, steps.rules.samples, functions);
  if (input.device_phases != nullptr) {
    report.device_phases = MakeDevicePhases(*input.device_phases, input.steps, selection.steady);
  }
  const SampleSplit* samples = steps.rules.samples;
  VerdictInput known = {.report = input,
                        .selection = steps.attributed,
                        .times = times,
                        .load = steps.load,
                        .facts = facts,
                        .idle = steps.idle,
                        .stages = report.stages,
                        .profiled = steps.rules.profiled != nullptr,
                        .training_ns = report.steps.training_wall_ns,
                        .dispatch = steps.rules.dispatch,
                        .waits = WaitsOf(samples, functions, times.total_ns()),
                        .compiled = IsCompiled(input),
                        .device_phases = report.device_phases,
                        .unseen_forward = UnseenForwardShare(input.steps, selection, steps.rules),
                        .left_out = steps.left_out};
  known.host_exchange = FindHostExchange(known);
  report.verdict = DecideVerdict(known);
  CountEvidence(input, report.verdict.evidence);
  const bool unbegun_work = IsUnbegunWork(known);
  report.breakdown = MakeBreakdown(input, selection);
  report.data_pipeline = MakeDataPipeline(times, facts, report.stages);
  report.distributed = MakeDistributed(times);
  report.system = MakeSystem(input);
  const StepAxes axes = AxesOfMeasured(input);
  report.host_memory = MakeHostMemory(input, axes);
  report.data_loss = MakeLosses(input, selection, facts);
  report.unrecognised = input.unrecognised.kinds;
  report.unrecognised_more = input.unrecognised.more_kinds > 0;
  report.rules = MakeRuleResults(input);
  report.verdict.rules = AgreeingRules(report.verdict, *report.rules);
  report.findings = MakeFindings(input.findings, *input.strings, input.run.nodes);
  report.finding_count = static_cast<int64_t>(input.findings.size());
  report.tensors = MakeTensors(input, report.findings);
  if (input.profile) {
    report.profile = std::move(analysis.sections);
    const ProfileDistributed& calls = report.profile->distributed;
    if (!input.profile_of_windows && calls.status == DistributedStatus::kOk) {
      AddCallFigures(calls, report.distributed);
    }
    LeaveOutBounds(WithoutBoundIn(known), calls, report.profile->critical_path.what_if);
  } else if (input.operators || input.collectives) {
    report.profile.emplace();
    report.profile->host_alone = true;
    if (input.operators) AnalyseOperators(*input.operators, *report.profile);
  }
  if (input.collectives) {
    DistributedOptions live;
    live.live = true;
    report.profile->distributed = BuildDistributed(*input.collectives, live);
    AgreeOnRanks(times, report.distributed, report.profile->distributed);
  }
  report.memory_limits = MakeMemoryLimits(input, facts, report.profile);
  const TraceRef counted = input.profile ? input.profile : input.operators;
  report.throughput = MakeThroughput(input, selection, facts, counted,
                                     report.profile ? &report.profile->flops : nullptr);
  // They tell who was waited for, as all of the report does.
  if (input.profile) {
    report.recommendations = MakeRecommendations(*input.profile, report, facts, unbegun_work);
    LeaveOutBounds(WithoutBoundIn(known), report.recommendations);
  }
  report.notes = MakeNotes(input, report,
                           {.facts = facts,
                            .by_devices = steps.rules.profiled != nullptr,
                            .left_out = steps.left_out,
                            .window_cost = steps.window_cost,
                            .axes = axes});
  CompleteOwnFindings(input.run.nodes, report);
  if (report.profile) {
    report.profile->live = input.profile_of_windows || report.profile->host_alone;
  }
  return report;
}

}  // namespace steptrace::analyze
