// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/evidence.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <type_traits>

#include "analyze/attribution/step_slowdown.h"
#include "analyze/code/code_place.h"
#include "analyze/code/function_text.h"
#include "analyze/input/user_ranges.h"
#include "analyze/verdict/absent_ranks.h"
#include "analyze/verdict/bound.h"
#include "analyze/verdict/computing.h"
#include "analyze/verdict/exchange_advice.h"
#include "analyze/verdict/framework_advice.h"
#include "analyze/verdict/gradient_exchange.h"
#include "analyze/verdict/kernel_use.h"
#include "analyze/verdict/lock_evidence.h"
#include "analyze/verdict/own_threads.h"
#include "analyze/verdict/questions.h"
#include "analyze/verdict/slow_calls.h"
#include "analyze/verdict/slowed_operators_advice.h"
#include "analyze/verdict/unseen_forward_evidence.h"
#include "model/finding_kinds.h"
#include "store/metrics.h"

namespace steptrace::analyze {

namespace finding = model::finding;

namespace {

// Less of the step than this is no evidence for or against anything.
constexpr double kWorthReporting = 0.02;
constexpr double kWorthNaming = 0.15;      // of the cores, of other work on the machine
constexpr double kWorthMentioning = 0.10;  // of the step, of a suspect that is not found

model::Subject About(store::Metric metric) {
  return {.metric = NameOf(metric)};
}

model::Subject About(const StageFunction& function) {
  return {.function = CalledText(function), .file = function.file, .line = function.line};
}

class Collector {
 public:
  explicit Collector(const VerdictInput& input)
      : input_(input), shares_(ExactShares(input.times.total())) {}

  std::vector<model::Finding> Take() { return std::move(evidence_); }

  void Waits();
  void Drift();
  void Stages(std::initializer_list<SuspectId> suspects);
  void Suspects();
  void Cores();
  void Quota();
  void Shortage();
  void Storage();
  void Device();
  void DevicePhases();
  void Ranks(const Verdict& verdict);
  template <typename Kind>
  void Put(Kind one, model::Subject about = {}) {
    evidence_.push_back(Make(std::move(one)));
    evidence_.back().subject = std::move(about);
  }
  void Add(std::optional<model::Finding> one) {
    if (one) evidence_.push_back(*std::move(one));
  }
  void Unseen();
  void Other();
  void Samples();
  void Functions(std::initializer_list<SuspectId> suspects,
                 std::optional<SubStage> more = std::nullopt);
  void Operators();
  void Recompilations();
  void Awaited();
  void Concurrent();
  void Profile(bool of_model);
  void FewSteps();

 private:
  // As the report's stages have it: one share is not rounded to two figures.
  double Share(SubStage stage) const { return shares_[static_cast<size_t>(stage)]; }
  void Function(double share, bool waits, const model::PlacedText& text,
                const StageFunction& function);
  const VerdictInput& input_;
  std::array<double, kSubStageCount> shares_;
  std::vector<model::Finding> evidence_;
};

void Collector::Waits() {
  const StepCounts& counts = input_.times.counts();
  if (counts.waits > 0) {
    Put(finding::DataBatchNotReady{.starved = counts.starved_waits, .waits = counts.waits});
  } else if (const LoaderFact* loader = TrainingLoader(input_.facts);
             loader != nullptr && loader->workers == 0 && input_.waits.awaited.empty() &&
             At(BySuspect(input_.times.total()), SuspectId::kDataPipeline) > 0) {
    // Another thread may iterate over it: then the training thread is never seen in it.
    Put(finding::DataLoadedByTraining{});
  }
}

template <typename Kind>
Kind OfStages(const std::vector<std::pair<double, SubStage>>& stages) {
  std::vector<typename Kind::Item> items;
  for (const auto& [share, stage] : stages) {
    items.push_back({.share = share, .stage = TitleOf(StageName(stage))});
  }
  return {.items = std::move(items)};
}

// Whether the operators' own view shows them: the largest, or the way between operators.
bool AreOfOperators(const std::vector<std::pair<double, SubStage>>& stages) {
  constexpr SubStage kOfOperators[] = {SubStage::kForward, SubStage::kBackward,
                                       SubStage::kOptimizer, SubStage::kSynchronisation,
                                       SubStage::kLaunch};
  return std::ranges::find(kOfOperators, stages.front().second) != std::end(kOfOperators) ||
         std::ranges::any_of(stages,
                             [](const auto& one) { return one.second == SubStage::kDispatch; });
}

void Collector::Stages(std::initializer_list<SuspectId> suspects) {
  std::vector<std::pair<double, SubStage>> stages;
  for (size_t i = 0; i < kSubStageCount; ++i) {
    const auto stage = static_cast<SubStage>(i);
    const bool asked = std::ranges::find(suspects, SuspectOf(stage)) != suspects.end();
    if (asked && Share(stage) >= kWorthReporting) stages.emplace_back(Share(stage), stage);
  }
  std::stable_sort(stages.begin(), stages.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  // The headline names no stage of the framework's.
  const bool alone_is_news = *suspects.begin() == SuspectId::kFrameworkOverhead;
  if (stages.size() <= (alone_is_news ? 0 : 1)) return;
  if (*suspects.begin() == SuspectId::kCommunication) {
    Put(OfStages<finding::CommunicationStages>(stages));
  } else if (AreOfOperators(stages)) {
    Put(OfStages<finding::OperatorsStages>(stages));
  } else {
    Put(OfStages<finding::StepStages>(stages));
  }
}

// Each that could gain something, and how much.
void Collector::Suspects() {
  const auto shares = ExactShares(BySuspect(input_.times.total()));
  for (SuspectId suspect : kSuspects) {
    const double share = shares[static_cast<size_t>(suspect)];
    if (suspect == SuspectId::kModel || !IsBlamed(suspect) || share < kWorthMentioning) continue;
    const std::optional<double> bound = BoundWithout(input_, suspect).share;
    if (!bound) continue;
    const char* stage = StageName(LargestStage(input_.times.total(), suspect));
    Put(finding::StepFasterWithout{.speedup = 1 / std::max(1 - *bound, 1e-9),
                                   .suspect = IsNamedByStage(suspect) ? "" : SuspectTitle(suspect),
                                   .stage = TitleOf(stage)},
        {.suspect = SuspectName(suspect), .stage = stage});
  }
}

void Collector::Cores() {
  if (const auto allowed = input_.load.allowed_cores()) {
    Put(finding::CpuAllowedCores{
        .allowed = *allowed, .cores = input_.load.machine_cores(), .workers = false});
  }
  if (const auto allowed = input_.load.allowed_cores_of_workers()) {
    Put(finding::CpuAllowedCores{
        .allowed = *allowed, .cores = input_.load.machine_cores(), .workers = true});
  }
  if (const auto busy = input_.load.Mean(store::Metric::kCpuBusyShare)) {
    const double cores = input_.report.run.nodes.empty() ? input_.load.usable_cores()
                                                         : input_.report.run.nodes.front().cpus;
    // An imported run need not tell how many cores its nodes have.
    Put(finding::CpuCoresBusy{.cores = cores > 0 ? std::optional(cores) : std::nullopt,
                              .share = *busy,
                              .where = input_.load.RowsOf(store::Metric::kCpuBusyShare)},
        About(store::Metric::kCpuBusyShare));
  } else if (const auto used = input_.load.Mean(store::Metric::kJobCpu)) {
    Put(finding::CpuUsedByJob{.used = *used,
                              .cores = input_.load.usable_cores(),
                              .where = input_.load.RowsOf(store::Metric::kJobCpu)},
        About(store::Metric::kJobCpu));
  }
}

void Collector::Quota() {
  if (!input_.load.throttled()) return;
  constexpr auto kMetric = store::Metric::kCgroupThrottledShare;
  Put(finding::CpuQuotaRanOut{.limit = input_.load.quota_cores(),
                              .share = input_.load.MeanOr(kMetric, 0),
                              .where = input_.load.RowsOf(kMetric)},
      About(kMetric));
}

void Collector::Shortage() {
  Quota();
  const double runnable = input_.load.MeanOr(store::Metric::kCpuRunnable, 0);
  // Runnable threads are the machine's: where the job has a part of it, not all of them wait there.
  if (!input_.load.allowed_cores() && runnable > input_.load.usable_cores()) {
    Put(finding::CpuContention{.threads = runnable,
                               .cores = input_.load.usable_cores(),
                               .where = input_.load.RowsOf(store::Metric::kCpuRunnable)},
        About(store::Metric::kCpuRunnable));
  }
  if (const double others = input_.load.others_cores();
      others >= kWorthNaming * input_.load.reachable_cores()) {
    Put(finding::CpuOtherWork{.cores = others,
                              .where = input_.load.RowsOf(store::Metric::kCpuBusyShare)},
        About(store::Metric::kCpuBusyShare));
  }
  const double delay = input_.load.MeanOr(store::Metric::kJobRunDelay, 0);
  if (delay >= 0.1) {
    Put(finding::CpuRunDelay{.seconds = delay,
                             .where = input_.load.RowsOf(store::Metric::kJobRunDelay)},
        About(store::Metric::kJobRunDelay));
  }
}

void Collector::Storage() {
  if (const auto wait = input_.load.Mean(store::Metric::kCpuIowaitShare)) {
    Put(finding::StorageIoWait{.share = *wait,
                               .where = input_.load.RowsOf(store::Metric::kCpuIowaitShare)},
        About(store::Metric::kCpuIowaitShare));
  }
  if (const auto read = input_.load.Mean(store::Metric::kJobRead); read && *read >= 1e6) {
    Put(finding::StorageRead{.bytes = *read, .where = input_.load.RowsOf(store::Metric::kJobRead)},
        About(store::Metric::kJobRead));
  }
}

void Collector::Device() {
  if (!MayUseDevice(input_.facts)) return;
  if (const auto busy = input_.load.Mean(store::Metric::kGpuUtilization)) {
    Put(finding::DeviceBusy{.share = *busy,
                            .where = input_.load.RowsOf(store::Metric::kGpuUtilization)},
        About(store::Metric::kGpuUtilization));
  }
}

// What events at the boundaries of phases tell, where no kernels do.
void Collector::DevicePhases() {
  if (input_.profiled || input_.device_phases.empty()) return;
  const DevicePhaseRow mean = MeanDevicePhases(input_.device_phases);
  Put(finding::DeviceInPhases{.busy = mean.BusyShare(),
                              .data = mean.share[static_cast<size_t>(DevicePhase::kData)]});
  if (!MostlyCaughtUp(input_.device_phases)) return;
  Put(finding::DeviceIdleAtPhaseEnd{.share = *mean.caught_up_share});
}

void Collector::Ranks(const Verdict& verdict) {
  if (!verdict.straggler_rank) return;
  const RankTimes& late = input_.times.ranks().at(*verdict.straggler_rank);
  Put(finding::CommunicationStraggler{.rank = *verdict.straggler_rank,
                                      .last = late.last_in_steps,
                                      .steps = input_.times.shared_steps()});
  const int64_t steps = std::max<int64_t>(late.last_in_steps, 1);
  Put(finding::CommunicationWaitedForRank{.rank = *verdict.straggler_rank,
                                          .wait = late.caused_wait_ns / steps});
}

void Collector::Unseen() {
  for (model::Finding& one : UnseenForwardEvidence(input_)) Add(std::move(one));
}

void Collector::Other() {
  const StepCounts& counts = input_.times.counts();
  if (Share(SubStage::kGarbageCollection) >= kWorthMentioning) {
    Put(finding::StepGarbageCollections{.steps = counts.collections});
    if (const auto& set = input_.facts.collector) {
      Put(finding::StepCollectionThresholds{
          .off = !set->enabled, .now = set->thresholds, .before = set->before});
    }
  }
  if (input_.idle.of_steps > 0) {
    Put(finding::StepProcessIdle{.share = input_.idle.of_steps}, About(store::Metric::kProcessCpu));
  }
  if (Share(SubStage::kCheckpoint) >= kWorthReporting) {
    Put(finding::StepCheckpoints{.steps = counts.checkpoints});
  }
  if (Share(SubStage::kEvaluation) >= kWorthReporting && counts.evaluations > 0) {
    Put(finding::StepEvaluations{.steps = counts.evaluations});
  }
  if (Share(SubStage::kUnknown) < kWorthReporting) return;
  if (const UserRange range = LargestUserRange(input_.report, input_.selection); range.ns > 0) {
    Put(finding::StepUserRange{
        .share = static_cast<double>(range.ns) / static_cast<double>(input_.times.total_ns()),
        .range = range.name});
  }
}

// Where the training thread takes its batches from whoever makes them.
void Collector::Awaited() {
  for (const StageFunction& one : input_.waits.awaited) {
    if (one.share < kWorthMentioning) continue;
    Put(finding::DataAwaited{.share = one.share, .function = AwaitedText(one)}, About(one));
  }
}

void Collector::Concurrent() {
  const StageFunction* one = ConcurrentThread(input_);
  if (one == nullptr) return;
  Put(finding::StepThreadBeside{.share = std::min(one->share, 1.0), .function = FunctionText(*one)},
      About(*one));
}

// How much the names of the data pipeline's stages rest on.
void Collector::Samples() {
  int64_t samples = 0;
  bool named = false;
  for (const StageRow& row : input_.stages) {
    if (row.suspect != SuspectName(SuspectId::kDataPipeline)) continue;
    samples += row.samples;
    named |= !row.functions.empty();
  }
  if (samples > 0) {
    Put(finding::DataSamples{.samples = samples});
  } else if (named) {
    Put(finding::DataStagesOfProfile{});
  }
}

// Named by samples, or by a profile that holds Python's.
void Collector::Function(double share, bool waits, const model::PlacedText& text,
                         const StageFunction& function) {
  const bool sampled = !input_.profiled || input_.report.samples != nullptr;
  const auto say = [&]<typename Kind>(std::type_identity<Kind>) {
    Put(Kind{.share = share, .function = text}, About(function));
  };
  if (sampled && waits) return say(std::type_identity<finding::StepWaitsIn>());
  if (sampled) return say(std::type_identity<finding::StepRunsIn>());
  if (waits) return say(std::type_identity<finding::ProfileWaitsIn>());
  say(std::type_identity<finding::ProfileRunsIn>());
}

// The functions in which samples saw most of these suspects' stages, and of one more.
void Collector::Functions(std::initializer_list<SuspectId> suspects, std::optional<SubStage> more) {
  constexpr size_t kMostNamed = 3;
  std::vector<std::pair<const StageFunction*, SubStage>> all;
  for (const SubStage stage : kSubStages) {
    const StageInfo& info = InfoOf(stage);
    const bool is_of_these = std::ranges::find(suspects, info.suspect) != suspects.end();
    if (!info.by_function || (!is_of_these && stage != more)) continue;
    const auto& functions = input_.stages[static_cast<size_t>(stage)].functions;
    const auto large = std::count_if(functions.begin(), functions.end(),
                                     [](const auto& one) { return one.share >= kWorthMentioning; });
    // The only line that calls backward, or the optimizer, is no news.
    const bool one_call = stage == SubStage::kBackward || stage == SubStage::kOptimizer;
    if (one_call && large < 2) continue;
    for (const StageFunction& one : functions) all.emplace_back(&one, stage);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.first->ns > b.first->ns; });
  // A line of which a part has a stage and another none is one line.
  struct Named {
    model::PlacedText text;
    const StageFunction* function;
    bool waits;
    double share;
  };
  std::vector<Named> named;
  for (const auto& one_of : all) {
    const StageFunction* function = one_of.first;
    const bool waits = one_of.second == SubStage::kUnknown && !RunsBetween(input_, *function);
    model::PlacedText text =
        one_of.second == SubStage::kForward ? ModuleText(*function) : FunctionText(*function);
    const auto known = std::find_if(named.begin(), named.end(), [&](const Named& one) {
      return one.waits == waits && IsSameLine(*one.function, *function);
    });
    if (known != named.end()) {
      known->share += function->share;
    } else {
      named.push_back({std::move(text), function, waits, function->share});
    }
  }
  std::stable_sort(named.begin(), named.end(),
                   [](const Named& a, const Named& b) { return a.share > b.share; });
  if (named.size() > kMostNamed) named.resize(kMostNamed);
  for (const Named& one : named) {
    if (one.share < kWorthMentioning) break;
    Function(one.share, one.waits, one.text, *one.function);
  }
}

// What the device did in the steps, where each nanosecond of it is known.
void Collector::Profile(bool of_model) {
  if (!input_.profiled) return;
  Add(ComputingEvidence(input_));
  if (of_model && SawDeviceWork(input_)) Add(KernelClassesEvidence(input_));
  if (Share(SubStage::kLaunch) >= kWorthMentioning) Add(SlowCallsEvidence(input_));
}

void Collector::Drift() {
  const auto drift = FindDrift(input_.times.MeanOfCells());
  if (!drift) return;
  finding::StepDrift found{.from = drift->from_ns, .to = drift->to_ns};
  model::Subject about;
  if (drift->stage) {
    found.stage_from = drift->stage_from_ns;
    found.stage_to = drift->stage_to_ns;
    about.stage = StageName(*drift->stage);
    found.stage = TitleOf(about.stage);
    found.function = FunctionText(FunctionThatGrows(input_, *drift));
  }
  Put(std::move(found), std::move(about));
}

void Collector::FewSteps() {
  if (input_.selection.steps >= kMinSteadySteps) return;
  Put(finding::VerdictFewSteps{.steps = input_.selection.steps,
                               .within = input_.report.samples_within_ns});
}

// What tells computing from the way between operators. Not where that is of a part of the model
// alone: of an optimizer beside torch.func, or of one of several models.
void Collector::Operators() {
  if (input_.dispatch == nullptr) return;
  constexpr double kOfMost = 0.5;
  const double dispatch = Share(SubStage::kDispatch);
  const double model = Share(SubStage::kForward) + Share(SubStage::kBackward) +
                       Share(SubStage::kOptimizer) + dispatch;
  if (dispatch < kOfMost * input_.dispatch->mean_share * model) return;
  Put(finding::ModelBetweenOperators{.share = input_.dispatch->mean_share,
                                     .low = input_.dispatch->interval.low,
                                     .high = input_.dispatch->interval.high,
                                     .steps = input_.dispatch->steps});
}

// Where compiling takes much, or a function runs as if it were not compiled.
void Collector::Recompilations() {
  const auto& all = input_.facts.recompilations;
  if (const Recompilation* one = AtLimit(all)) {
    Put(finding::FrameworkRecompileLimit{
        .limit = *one->limit, .function = CompiledText(*one), .guard = one->guard});
  } else if (const Recompilation* most = MostFailed(all);
             most != nullptr && Share(SubStage::kRecompilation) >= kWorthMentioning) {
    Put(finding::FrameworkRecompiled{
        .count = most->count, .function = CompiledText(*most), .guard = most->guard});
  }
}

void CollectModel(Collector& collector) {
  collector.Unseen();
  collector.Operators();
  collector.Stages({SuspectId::kModel});
  collector.Functions({SuspectId::kModel});
  collector.Recompilations();
  collector.Shortage();
  collector.Waits();
  collector.Device();
  collector.DevicePhases();
  collector.Cores();
}

}  // namespace

std::vector<model::Finding> CollectEvidence(const VerdictInput& input, const Verdict& verdict) {
  Collector collector(input);
  if (verdict.status == VerdictStatus::kNoSingleSuspect) {
    collector.Suspects();
    collector.Functions(
        {SuspectId::kFrameworkOverhead, SuspectId::kOtherWork, SuspectId::kUnattributed});
    collector.Recompilations();
    collector.Shortage();
    collector.Cores();
  } else if (verdict.suspect == SuspectName(SuspectId::kDataPipeline)) {
    collector.Waits();
    collector.Awaited();
    collector.Shortage();
    collector.Cores();
    collector.Storage();
    collector.Device();
    collector.DevicePhases();
    collector.Samples();
  } else if (verdict.suspect == SuspectName(SuspectId::kModel)) {
    CollectModel(collector);
  } else if (verdict.suspect == SuspectName(SuspectId::kCommunication)) {
    collector.Ranks(verdict);
    collector.Stages({SuspectId::kCommunication});
    collector.Add(CallsEvidence(input));
    collector.Add(GradientExchangeEvidence(input));
    // What a late rank waits for is another matter, and so is the advice on it.
    if (!verdict.straggler_rank) collector.Recompilations();
    collector.Cores();
  } else {
    collector.Stages({SuspectId::kFrameworkOverhead});
    if (verdict.suspect == SuspectName(SuspectId::kFrameworkOverhead)) collector.Operators();
    collector.Stages({SuspectId::kOtherWork, SuspectId::kUnattributed});
    const bool of_framework = verdict.suspect == SuspectName(SuspectId::kFrameworkOverhead);
    collector.Functions(
        {SuspectId::kFrameworkOverhead, SuspectId::kOtherWork, SuspectId::kUnattributed},
        of_framework ? std::optional(SubStage::kForward) : std::nullopt);
    collector.Recompilations();
    collector.Other();
    if (IsDelayedByContention(input, verdict)) collector.Shortage();
  }
  if (CouldBlameForward(input) && verdict.suspect != SuspectName(SuspectId::kModel)) {
    collector.Unseen();
  }
  collector.Add(AbsentRanksEvidence(input));
  for (model::Finding& one : CallsOfOperatorsEvidence(input)) collector.Add(std::move(one));
  for (model::Finding& one : LockEvidence(input)) collector.Add(std::move(one));
  collector.Concurrent();
  collector.Drift();
  collector.Profile(verdict.suspect == SuspectName(SuspectId::kModel));
  collector.FewSteps();
  return collector.Take();
}

}  // namespace steptrace::analyze
