// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "analyze/code/function_text.h"
#include "analyze/input/advice_of_framework.h"
#include "analyze/input/user_ranges.h"
#include "analyze/verdict/absent_ranks.h"
#include "analyze/verdict/advice_list.h"
#include "analyze/verdict/exchange_advice.h"
#include "analyze/verdict/framework_advice.h"
#include "analyze/verdict/kernel_use.h"
#include "analyze/verdict/own_threads.h"
#include "analyze/verdict/plain_advice.h"
#include "analyze/verdict/questions.h"
#include "analyze/verdict/setting_advice.h"
#include "analyze/verdict/stage_advice.h"
#include "analyze/verdict/thresholds.h"
#include "analyze/verdict/worker_advice.h"
#include "model/finding_kinds.h"
#include "present/words/quantity.h"
#include "store/metadata_keys.h"
#include "store/metrics.h"

namespace steptrace::analyze {

namespace finding = model::finding;

namespace {

using present::FormatNumber;

constexpr auto kWorkers = store::kLoaderWorkersSetting;

// Of the step: a stage with less is not worth a line of its own.
constexpr double kWorthFixing = 0.10;
// Starved between these, the workers keep up on average and fall behind now and then.
constexpr double kBurstyLow = 0.05;
constexpr double kBurstyHigh = 0.50;
// Of the time: a thread that runs so long takes more than others' work on the cores.
constexpr double kMostOfTheTime = 0.50;

// `__main__.Rows` is `Rows` to whoever wrote the script.
std::string ShortName(const std::string& name) {
  constexpr std::string_view kScript = "__main__.";
  return name.rfind(kScript, 0) == 0 ? name.substr(kScript.size()) : name;
}

class Adviser : private AdviceList {
 public:
  explicit Adviser(const VerdictInput& input)
      : input_(input), loader_(TrainingLoader(input.facts)) {}

  void DataPipeline();
  void Straggler(const Verdict& verdict);
  void Exposed();
  void Framework();
  void HeldUp(const Verdict& verdict);
  void Other();
  void Model();
  void Unseen();
  void TooManyThreads();
  void AnomalyDetection();
  void OfSettings() { AddOthers(AdviseSettings(input_)); }
  void Concurrent();
  void Drift();
  using AdviceList::Take;

 private:
  double Share(SubStage stage) const {
    return static_cast<double>(At(input_.times.total(), stage)) /
           static_cast<double>(std::max<int64_t>(input_.times.total_ns(), 1));
  }
  bool UsesDevice() const {
    return MayUseDevice(input_.facts) &&
           (!input_.facts.devices.empty() ||
            input_.load.MeanOr(store::Metric::kGpuUtilization, 0) > 0);
  }
  bool Worth(SubStage stage) const { return Share(stage) >= kWorthFixing; }
  std::string Dataset() const { return loader_ == nullptr ? "" : ShortName(loader_->dataset); }
  void AdviseStage(SubStage stage);
  void AdviseStages(SuspectId suspect);
  void Weigh(WeighedStage stage, const StageFunction* function);
  void AdviseRecordingMore(bool holds_operators);
  void Getitem();
  void Collate(const StageFunction* most);
  void Receive();
  void StorageRead();
  void CpuShortage();
  void WorkerStart();
  void Unknown(const StageFunction* function);
  void Workers();
  void AllowedCores();
  void Prefetch();
  void PinMemory();
  void Awaited();

  const VerdictInput& input_;
  const LoaderFact* loader_;
};

void Adviser::Getitem() {
  if (loader_ != nullptr && loader_->dataset.ends_with(".TensorDataset")) {
    AddAdvice(finding::DataTakeWholeBatches{});
    return;
  }
  AddAdvice(finding::DataCheaperGetitem{.dataset = Dataset()});
}

void Adviser::Collate(const StageFunction* most) {
  const bool named = loader_ != nullptr && !loader_->collate.empty() &&
                     loader_->collate.find("default_collate") == std::string::npos;
  const std::string name = named ? ShortName(loader_->collate) : "collating";
  const bool elsewhere = most != nullptr && CalledText(*most) != name;
  AddAdvice(finding::DataCheaperCollate{.collate = named ? name : "",
                                        .function = elsewhere ? FunctionText(*most) : ""});
}

void Adviser::Receive() {
  if (loader_ != nullptr && loader_->workers == 0) {
    AddAdvice(finding::DataCheaperSampler{});
    return;
  }
  AddAdvice(finding::DataHandOverLess{});
  // Measured on four tensors a batch: 1.2 ms in place of 3.3.
  AddAdvice(finding::DataShareByFileSystem{});
}

void Adviser::StorageRead() {
  AddAdvice(finding::DataLocalCopy{.dataset = Dataset()});
}

void Adviser::CpuShortage() {
  if (input_.load.throttled()) {
    const auto limit = input_.load.quota_cores();
    Set(finding::CpuRaiseQuota{}, "cgroup cpu.max",
        limit ? FormatNumber(*limit) + (*limit == 1 ? " core" : " cores") : "", "more");
    return;
  }
  const int32_t workers = loader_ == nullptr ? 0 : loader_->workers;
  // Batches that stand ready show that the workers have their cores.
  const bool trainer_waits = workers == 0 || WorkersKeepUp(input_);
  if (input_.load.taken_by_others()) {
    if (trainer_waits) return AddAdvice(finding::CpuFreeForTraining{});
    return AddAdvice(finding::CpuFreeForWorkers{});
  }
  // As many workers as cores is a fair choice: the training thread sleeps while it waits for them.
  const auto cores = std::max(1, static_cast<int32_t>(input_.load.usable_cores()));
  if (trainer_waits && workers > 1) {
    const int32_t fewer = std::min(workers - 1, std::max(1, cores - 1));
    Set(finding::DataFewerWorkers{.proposed = fewer, .workers = workers}, kWorkers,
        fmt::format("{}", workers), fmt::format("{}", fewer));
  } else if (workers > cores) {
    Set(finding::DataWorkersOfCores{.cores = cores, .workers = workers}, kWorkers,
        fmt::format("{}", workers), fmt::format("{}", cores));
  }
  // What is said of the cores that it may not run on says it better.
  if (!input_.load.wants_cores_outside()) AddAdvice(finding::CpuMoreCores{});
}

void Adviser::WorkerStart() {
  if (loader_ == nullptr || loader_->workers == 0) return;
  if (loader_->persistent_workers.value_or(false)) {
    AddAdvice(finding::DataCheaperWorkerStart{});
    return;
  }
  constexpr auto kSetting = store::kLoaderPersistentWorkersSetting;
  if (StartsWorkersEachStep(input_)) {
    Set(finding::DataOneIterator{}, kSetting, "False", "True");
  } else {
    Set(finding::DataPersistentWorkers{}, kSetting, "False", "True");
  }
}

// Where what is said of the cores has proposed another number, that is the one.
void Adviser::Workers() {
  for (const Advice& said : advice_) {
    if (said.setting == kWorkers) return;
  }
  Add(AdviseWorkers(input_));
}

// A setting of the job's own keeps it from cores that the machine has.
void Adviser::AllowedCores() {
  if (auto what = AdviseCoresOutside(input_.load))
    advice_.push_back({*std::move(what), "", "", ""});
}

void Adviser::Prefetch() {
  const StepCounts& counts = input_.times.counts();
  if (loader_ == nullptr || loader_->workers == 0 || !loader_->prefetch_factor) return;
  if (counts.waits == 0 || input_.load.cores_full()) return;
  const double starved =
      static_cast<double>(counts.starved_waits) / static_cast<double>(counts.waits);
  if (starved < kBurstyLow || starved > kBurstyHigh) return;
  const int32_t now = *loader_->prefetch_factor;
  Set(finding::DataPrefetchMore{.proposed = 2 * now, .prefetched = now},
      store::kLoaderPrefetchFactorSetting, fmt::format("{}", now), fmt::format("{}", 2 * now));
}

// A loader of the script's own: no setting of it is known.
void Adviser::Awaited() {
  if (input_.waits.awaited.empty()) return;
  const bool makers_wait = input_.waits.of_makers >= kMostlyWaits;
  if (input_.load.cores_full() && !makers_wait) return;
  AddAdvice(finding::DataLoadAhead{.function = AwaitedText(input_.waits.awaited.front())});
}

// Whatever has most of the steps: in the end it is what grows.
void Adviser::Drift() {
  const auto drift = FindDrift(input_.times.MeanOfCells());
  if (!drift || (drift->stage && !MayGrowByCode(*drift->stage))) return;
  const StageFunction* function = FunctionThatGrows(input_, *drift);
  AddAdvice(
      finding::StepStopGrowth{.function = function == nullptr ? "" : FunctionText(*function)});
}

// Whatever the verdict is: each of the training's own lines waits for the interpreter.
void Adviser::Concurrent() {
  const StageFunction* one = ConcurrentThread(input_);
  if (one == nullptr) return;
  AddAdvice(finding::StepOwnProcess{.function = FunctionText(*one)});
}

void Adviser::PinMemory() {
  if (!UsesDevice() || loader_ == nullptr) return;
  if (loader_->pin_memory.value_or(true)) return;
  Set(finding::DataPinMemory{}, store::kLoaderPinMemorySetting, "False", "True");
}

void Adviser::AdviseStage(SubStage stage) {
  if (stage == SubStage::kRecompilation) {
    return advice_.push_back(AdviseRecompilation(MostFailed(input_.facts.recompilations)));
  }
  const StageFunction* function = LargestFunction(input_, stage);
  if (auto what = PlainAdvice(stage, FunctionText(function))) {
    advice_.push_back({*std::move(what), "", "", ""});
  } else if (const auto weighed = WeighedOf(stage)) {
    Weigh(*weighed, function);
  }
}

void Adviser::Weigh(WeighedStage stage, const StageFunction* function) {
  const auto add = [this](model::Finding what) {
    advice_.push_back({std::move(what), "", "", ""});
  };
  switch (stage) {
    case WeighedStage::kStorageRead:
      return StorageRead();
    case WeighedStage::kDecode:
      return add(AdviseDecode(function));
    case WeighedStage::kAugmentation:
      return add(AdviseAugmentation(function, UsesDevice()));
    case WeighedStage::kDatasetCode:
      return add(AdviseDatasetCode(input_, function));
    case WeighedStage::kLock:
      return add(AdviseLock(input_, function));
    case WeighedStage::kGetitem:
      return Getitem();
    case WeighedStage::kCollate:
      return Collate(function);
    case WeighedStage::kReceive:
      return Receive();
    case WeighedStage::kCpuShortage:
      return CpuShortage();
    case WeighedStage::kWorkerStart:
      return WorkerStart();
    case WeighedStage::kDispatch:
      // Of launches more is known.
      if (!Worth(SubStage::kLaunch)) advice_.push_back(AdviseDispatch(input_));
      return;
    case WeighedStage::kLaunch:
      return advice_.push_back(AdviseLaunch(input_));
    case WeighedStage::kSynchronisation:
      return advice_.push_back(AdviseSynchronisation(input_));
    case WeighedStage::kUnknown:
      return Unknown(function);
  }
}

// The suspect's stages that are worth it, in their order; those with nothing to weigh come first,
// of these the largest.
void Adviser::AdviseStages(SuspectId suspect) {
  std::vector<SubStage> plain, weighed;
  for (const SubStage stage : kSubStages) {
    if (SuspectOf(stage) != suspect || !Worth(stage)) continue;
    (WeighedOf(stage) ? weighed : plain).push_back(stage);
  }
  std::ranges::stable_sort(plain, std::greater(),
                           [this](SubStage stage) { return At(input_.times.total(), stage); });
  for (const SubStage stage : plain) AdviseStage(stage);
  for (const SubStage stage : weighed) AdviseStage(stage);
}

void Adviser::DataPipeline() {
  const StageTimes& times = input_.times.total();
  const SubStage largest = LargestStage(times, SuspectId::kDataPipeline);
  // The threads that hand batches over lack the cores too.
  const bool slow_for_want_of_cores =
      2 * At(times, SubStage::kReceive) < At(times, SubStage::kCpuShortage);
  AdviseStage(largest);
  const auto advise_too = [&](SubStage stage) {
    if (stage != largest && Worth(stage)) AdviseStage(stage);
  };
  advise_too(SubStage::kCpuShortage);
  for (const SubStage stage : kSubStages) {
    if (SuspectOf(stage) != SuspectId::kDataPipeline || stage == SubStage::kCpuShortage) continue;
    if (stage == SubStage::kReceive && slow_for_want_of_cores) continue;
    advise_too(stage);
  }
  Awaited();
  Workers();
  AllowedCores();
  Add(AdviseProfiledLoader(input_));
  Prefetch();
  PinMemory();
}

bool ComputesStep(SubStage stage) {
  return SuspectOf(stage) == SuspectId::kModel && stage != SubStage::kDeviceCopy;
}

void Adviser::Straggler(const Verdict& verdict) {
  if (!verdict.straggler_rank || !verdict.straggler_cause) {
    AddAdvice(finding::CommunicationEvenWork{});
    return;
  }
  const int32_t rank = *verdict.straggler_rank;
  const StragglerCause& cause = *verdict.straggler_cause;
  if (cause == StragglerCause(SuspectId::kDataPipeline)) {
    // Of a profile by another tool it is not known whether there is one.
    const bool loader = TrainingLoader(input_.facts) != nullptr ||
                        (input_.report.profile && !input_.report.profile_of_windows);
    AddAdvice(finding::CommunicationLookAtData{
        .rank = rank,
        .loader = loader,
        .function = !loader && verdict.function ? FunctionText(*verdict.function) : ""});
  } else if (ComputesStep(std::get<SubStage>(cause))) {
    AddAdvice(finding::CommunicationLookAtRank{.rank = rank, .stage = TitleOf(cause)});
  } else {
    AddAdvice(finding::CommunicationLookAtCause{
        .rank = rank,
        .function = verdict.function ? FunctionText(*verdict.function) : "",
        .stage = TitleOf(cause)});
  }
}

void Adviser::Exposed() {
  if (AbsentRanks(input_) > 0) return advice_.push_back(AdviseAllRanks(input_));
  for (Advice& advice : AdviseExchange(input_, UsesDevice())) advice_.push_back(std::move(advice));
}

void Adviser::HeldUp(const Verdict& verdict) {
  if (!IsDelayedByContention(input_, verdict)) return;
  AddAdvice(finding::CpuFreeForOperators{});
}

void Adviser::Framework() {
  AnomalyDetection();
  AdviseStages(SuspectId::kFrameworkOverhead);
}

// What would tell of a profile's host: its writer decides how it is had.
void Adviser::AdviseRecordingMore(bool holds_operators) {
  if (MayBeOf("pytorch", input_.facts)) {
    return holds_operators ? AddAdvice(finding::ProfileRecordStacks{})
                           : AddAdvice(finding::ProfileRecordHost{});
  }
  if (MayBeOf("jax", input_.facts)) return AddAdvice(finding::ProfileNameRangesJax{});
  if (MayBeOf("tensorflow", input_.facts)) return AddAdvice(finding::ProfileNameRangesTensorflow{});
  AddAdvice(finding::ImportRunTraining{});
}

void Adviser::Other() {
  AdviseStages(SuspectId::kOtherWork);
  AdviseStages(SuspectId::kUnattributed);
}

void Adviser::Unknown(const StageFunction* function) {
  const StageFunction* computes =
      Worth(SubStage::kLoopCode) ? LargestFunction(input_, SubStage::kLoopCode) : nullptr;
  const UserRange range = LargestUserRange(input_.report, input_.selection);
  if (range.ns > 0) {
    AddAdvice(finding::StepLookAtRange{.range = range.name});
  } else if (function != nullptr &&
             (function->share >= kWorthFixing ||
              2 * function->ns > At(input_.times.total(), SubStage::kUnknown))) {
    if (computes != nullptr && IsSameLine(*computes, *function)) return;
    if (RunsBetween(input_, *function)) {
      AddAdvice(finding::StepLookAtWork{.function = FunctionText(*function)});
    } else {
      AddAdvice(finding::StepLookAtWait{.function = FunctionText(*function)});
    }
  } else if (computes == nullptr ||
             2 * At(input_.times.total(), SubStage::kLoopCode) <
                 At(input_.times.total(), SubStage::kUnknown)) {  // else that function comes first
    const bool of_profile = input_.profiled && !input_.report.profile_of_windows;
    const bool holds_operators =
        of_profile && std::ranges::any_of(input_.report.profile->ranks, HoldsOperators);
    if (of_profile) return AdviseRecordingMore(holds_operators);
    AddAdvice(finding::StepAnnotate{});
  }
}

// What would tell whether forward computes or waits.
void Adviser::Unseen() {
  if (!StacksWereNotTaken(input_)) {
    return AddAdvice(finding::ModelMoreSteps{});
  }
  const JobFacts& facts = input_.facts;
  const bool knows_cpu = std::ranges::any_of(input_.report.counters, [](const auto& series) {
    return series.metric == store::Metric::kProcessCpu;
  });
  AddAdvice(finding::ModelSampleStacks{
      .knows_cpu = knows_cpu,
      .how = facts.no_stacks_remedy.empty() ? facts.no_stacks : facts.no_stacks_remedy});
}

void Adviser::TooManyThreads() {
  const auto own = FindOwnThreads(input_);
  if (!own) return;
  Set(finding::CpuFewerThreads{.proposed = own->fitting, .threads = own->threads},
      "torch.set_num_threads", fmt::format("{}", own->threads), fmt::format("{}", own->fitting));
}

// It adds to every operator, computing or the way to it.
bool ListsOperators(const Trace& profile) {
  return std::ranges::any_of(profile.ranks, [](const RankTrace& rank) {
    return std::ranges::any_of(
        rank.host, [](const TraceEvent& event) { return event.kind == EventKind::kOperator; });
  });
}

void Adviser::AnomalyDetection() {
  if (!input_.facts.detects_anomalies) return;
  Set(finding::FrameworkNoAnomalyDetection{}, "torch.autograd.set_detect_anomaly", "True", "False");
}

void Adviser::Model() {
  if (MayWaitInForward(input_)) Unseen();
  AnomalyDetection();
  TooManyThreads();
  const StageFunction* beside = ConcurrentThread(input_);
  const bool beside_first = beside != nullptr && beside->share > kMostOfTheTime;
  if (beside_first) Concurrent();
  if (input_.load.throttled()) {
    CpuShortage();
    if (!beside_first) Concurrent();
    return;
  }
  if (input_.load.crowded_by_others()) AddAdvice(finding::CpuFreeForModel{});
  if (!beside_first) Concurrent();
  if (input_.profiled && SawDeviceWork(input_)) {
    for (model::Finding& one : AdviseKernels(input_)) advice_.push_back({one, "", "", ""});
    return;
  }
  if (input_.profiled && !ListsOperators(*input_.report.profile)) {
    AddAdvice(finding::ModelProfileOperators{});
    return;
  }
  if (input_.dispatch != nullptr || input_.profiled) {
    AddAdvice(finding::ModelOperators{});
    return;
  }
  if (!input_.facts.devices.empty()) return AddAdvice(finding::ModelCaptureKernels{});
  AddAdvice(finding::ModelCaptureOperators{});
}

}  // namespace

std::vector<Advice> CollectAdvice(const VerdictInput& input, const Verdict& verdict) {
  Adviser adviser(input);
  if (verdict.status == VerdictStatus::kNoSingleSuspect) {
    const auto shares = ExactShares(BySuspect(input.times.total()));
    if (shares[static_cast<size_t>(SuspectId::kDataPipeline)] >= kWorthFixing) {
      adviser.DataPipeline();
    }
    if (shares[static_cast<size_t>(SuspectId::kCommunication)] >= kWorthFixing) adviser.Exposed();
    adviser.Framework();
    adviser.Other();
  } else if (verdict.suspect == SuspectName(SuspectId::kDataPipeline)) {
    adviser.DataPipeline();
  } else if (verdict.suspect == SuspectName(SuspectId::kModel)) {
    adviser.Model();
  } else if (verdict.sub_stage == StageName(SubStage::kStraggler) && AbsentRanks(input) == 0) {
    adviser.Straggler(verdict);
  } else if (verdict.suspect == SuspectName(SuspectId::kCommunication)) {
    adviser.Exposed();
  } else if (IsNamedByStage(verdict.suspect)) {
    adviser.Other();
    adviser.Framework();
  } else {
    adviser.HeldUp(verdict);
    adviser.Framework();
    adviser.Other();
  }
  if (CouldBlameForward(input) && verdict.suspect != SuspectName(SuspectId::kModel)) {
    adviser.Unseen();
  }
  const bool of_others = verdict.suspect == SuspectName(SuspectId::kDataPipeline) ||
                         IsNamedByStage(verdict.suspect) || verdict.straggler_rank.has_value();
  if (!of_others) adviser.OfSettings();
  if (verdict.suspect != SuspectName(SuspectId::kModel)) adviser.Concurrent();
  adviser.Drift();
  return adviser.Take();
}

}  // namespace steptrace::analyze
