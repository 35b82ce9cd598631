// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/advice.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyze/report/function_text.h"
#include "analyze/report/quantity.h"
#include "analyze/verdict/evidence.h"
#include "analyze/verdict/exchange_advice.h"
#include "analyze/verdict/framework_advice.h"
#include "analyze/verdict/own_threads.h"
#include "analyze/verdict/stage_advice.h"
#include "analyze/verdict/worker_advice.h"
#include "store/metrics.h"

namespace steptrace::analyze {
namespace {

constexpr const char* kWorkers = "DataLoader.num_workers";

// Of the step: a stage with less is not worth a line of its own.
constexpr double kWorthMending = 0.10;
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

class Adviser {
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
  void UnusedParameters() {
    if (auto advice = AdviseUnusedParameters(input_)) advice_.push_back(*std::move(advice));
  }
  void Beside();
  std::vector<Advice> Take() { return std::move(advice_); }

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
  bool Worth(SubStage stage) const { return Share(stage) >= kWorthMending; }
  void Say(std::string text) { advice_.push_back({std::move(text), "", "", ""}); }
  void Set(std::string text, std::string setting, std::string now, std::string proposed) {
    advice_.push_back({std::move(text), std::move(setting), std::move(now), std::move(proposed)});
  }
  std::string Dataset() const { return loader_ == nullptr ? "" : ShortName(loader_->dataset); }
  void AdviseStage(SubStage stage);
  void Getitem();
  void Collate();
  void Receive();
  void StorageRead();
  void CpuShortage();
  void WorkerStart();
  void HostToDevice();
  void Workers();
  void Prefetch();
  void PinMemory();
  void Awaited();

  const VerdictInput& input_;
  const LoaderFact* loader_;
  std::vector<Advice> advice_;
};

void Adviser::Getitem() {
  if (loader_ != nullptr && loader_->dataset.ends_with(".TensorDataset")) {
    Say("take whole batches out of the tensors (x[rows] for rows in "
        "torch.randperm(len(x)).split(batch_size)): TensorDataset hands out single samples, to be "
        "put together again");
    return;
  }
  Say(
      fmt::format("make {}__getitem__ cheaper: decode once and cache the result, vectorise, or "
                  "let one read serve many samples",
                  Dataset().empty() ? "the dataset's " : Dataset() + "."));
}

void Adviser::Collate() {
  const bool named = loader_ != nullptr && !loader_->collate.empty() &&
                     loader_->collate.find("default_collate") == std::string::npos;
  const std::string name = named ? ShortName(loader_->collate) : "collating";
  const StageFunction* most = LargestFunction(input_, SubStage::kCollate);
  const bool elsewhere = most != nullptr && CalledText(*most) != name;
  Say(
      fmt::format("make {} cheaper{}: stack whole arrays at once, or have the dataset return "
                  "batches (batch_size=None) and leave nothing to collate",
                  name, elsewhere ? ", above all " + FunctionText(*most) : ""));
}

void Adviser::Receive() {
  if (loader_ != nullptr && loader_->workers == 0) {
    Say("the DataLoader itself takes that time, between its sampler and the batch: give it a "
        "sampler that is cheaper to ask, or batches of indices (batch_sampler)");
    return;
  }
  Say("hand over less from the workers: tensors or arrays in place of Python objects, few large "
      "ones in place of many small ones; they travel in shared memory");
  // Measured on four tensors a batch: 1.2 ms in place of 3.3.
  Say("by default each tensor is asked of its worker in a connection of its own: "
      "torch.multiprocessing.set_sharing_strategy('file_system') in worker_init_fn spares that");
}

void Adviser::StorageRead() {
  Say(
      fmt::format("copy the data to a local disk or cache it in memory, and read it in larger "
                  "pieces in {}",
                  Dataset().empty() ? "the dataset" : Dataset()));
}

void Adviser::CpuShortage() {
  if (input_.load.throttled()) {
    const auto limit = input_.load.quota_cores();
    Set("raise the CPU quota (cpu.max of the cgroup, --cpus of the container), or do less work "
        "per sample: the quota holds the workers back, not the code alone",
        "cgroup cpu.max", limit ? FormatNumber(*limit) + (*limit == 1 ? " core" : " cores") : "",
        "more");
    return;
  }
  const int32_t workers = loader_ == nullptr ? 0 : loader_->workers;
  // Batches that stand ready show that the workers have their cores.
  const bool trainer_waits = workers == 0 || WorkersKeepUp(input_);
  if (input_.load.taken_by_others()) {
    Say(fmt::format("run it where no other work takes its cores, or stop that work: the {} turn",
                    trainer_waits ? "training thread waits for its" : "workers wait for their"));
    return;
  }
  // As many workers as cores is a fair choice: the training thread sleeps while it waits for them.
  const auto cores = std::max(1, static_cast<int32_t>(input_.load.usable_cores()));
  if (trainer_waits && workers > 1) {
    const int32_t fewer = std::min(workers - 1, std::max(1, cores - 1));
    Set(fmt::format("DataLoader(num_workers={}), now {}: they keep up, and the training thread "
                    "waits for a core of theirs",
                    fewer, workers),
        kWorkers, fmt::format("{}", workers), fmt::format("{}", fewer));
  } else if (workers > cores) {
    Set(fmt::format("DataLoader(num_workers={}), now {}: there are {} cores for them", cores,
                    workers, cores),
        kWorkers, fmt::format("{}", workers), fmt::format("{}", cores));
  }
  Say("give the job more cores, or let other work on the machine wait; in workers, keep libraries "
      "to one thread each (OMP_NUM_THREADS=1)");
}

void Adviser::WorkerStart() {
  if (loader_ == nullptr || loader_->workers == 0) return;
  if (loader_->persistent_workers.value_or(false)) {
    Say("the workers start once (persistent_workers=True): make importing and opening in them "
        "cheaper; over a longer run the share falls");
    return;
  }
  Set(StartsWorkersEachStep(input_) ? "make the iterator once and take the batches from it (it = "
                                      "iter(loader), then next(it)): "
                                      "nearly every step makes one, with workers of its own; "
                                      "DataLoader(persistent_workers=True), now False, keeps them"
                                    : "DataLoader(persistent_workers=True), now False: the workers "
                                      "start anew for every epoch",
      "DataLoader.persistent_workers", "False", "True");
}

void Adviser::HostToDevice() {
  Say("copy the next batch while the device computes: DataLoader(pin_memory=True) and "
      ".to(device, non_blocking=True) on a stream of its own; decode or normalise on the device to "
      "send less");
}

// Where what is said of the cores has proposed another number, that is the one.
void Adviser::Workers() {
  for (const Advice& said : advice_) {
    if (said.setting == kWorkers) return;
  }
  if (auto advice = AdviseWorkers(input_)) advice_.push_back(*std::move(advice));
}

void Adviser::Prefetch() {
  const StepCounts& counts = input_.times.counts();
  if (loader_ == nullptr || loader_->workers == 0 || !loader_->prefetch_factor) return;
  if (counts.waits == 0 || input_.load.cores_full()) return;
  const double starved =
      static_cast<double>(counts.starved_waits) / static_cast<double>(counts.waits);
  if (starved < kBurstyLow || starved > kBurstyHigh) return;
  const int32_t now = *loader_->prefetch_factor;
  Set(fmt::format("DataLoader(prefetch_factor={}), now {}: the queue runs empty now and then, not "
                  "always",
                  2 * now, now),
      "DataLoader.prefetch_factor", fmt::format("{}", now), fmt::format("{}", 2 * now));
}

// A loader of the script's own: no setting of it is known.
void Adviser::Awaited() {
  if (input_.waits.awaited.empty()) return;
  const bool makers_wait = input_.waits.of_makers >= kMostlyWaits;
  if (input_.load.cores_full() && !makers_wait) return;
  Say(
      fmt::format("load further ahead, or in more threads or processes at once (a "
                  "DataLoader(num_workers=...) does both): the training awaits {}",
                  AwaitedText(input_.waits.awaited.front())));
}

// Whatever the verdict is: each of the training's own lines waits for the interpreter.
void Adviser::Beside() {
  const StageFunction* one = ThreadBeside(input_);
  if (one == nullptr) return;
  Say(
      fmt::format("run {} in a process of its own: as a thread beside the training it takes the "
                  "interpreter from it",
                  FunctionText(*one)));
}

void Adviser::PinMemory() {
  if (!UsesDevice() || loader_ == nullptr) return;
  if (loader_->pin_memory.value_or(true)) return;
  Set("DataLoader(pin_memory=True), now False, and .to(device, non_blocking=True): copies to the "
      "device run beside computing",
      "DataLoader.pin_memory", "False", "True");
}

void Adviser::AdviseStage(SubStage stage) {
  switch (stage) {
    case SubStage::kStorageRead:
      return StorageRead();
    case SubStage::kGetitem:
      return Getitem();
    case SubStage::kCollate:
      return Collate();
    case SubStage::kReceive:
      return Receive();
    case SubStage::kCpuShortage:
      return CpuShortage();
    case SubStage::kWorkerStart:
      return WorkerStart();
    case SubStage::kHostToDevice:
      return HostToDevice();
    default:
      if (auto text = AdviseSampledStage(input_, stage, UsesDevice())) Say(*std::move(text));
      return;
  }
}

void Adviser::DataPipeline() {
  const StageTimes& times = input_.times.total();
  const SubStage largest = LargestStage(times, SuspectId::kDataPipeline);
  // The threads that hand batches over lack the cores too.
  const bool slow_for_want_of_cores =
      2 * At(times, SubStage::kReceive) < At(times, SubStage::kCpuShortage);
  AdviseStage(largest);
  for (SubStage stage : {SubStage::kCpuShortage, SubStage::kStorageRead, SubStage::kDecode,
                         SubStage::kAugmentation, SubStage::kTokenise, SubStage::kDatasetCode,
                         SubStage::kLock, SubStage::kCopy, SubStage::kGetitem, SubStage::kCollate,
                         SubStage::kReceive, SubStage::kWorkerStart, SubStage::kHostToDevice}) {
    if (stage == SubStage::kReceive && slow_for_want_of_cores) continue;
    if (stage != largest && Worth(stage)) AdviseStage(stage);
  }
  Awaited();
  Workers();
  if (auto advice = AdviseProfiledLoader(input_)) advice_.push_back(*std::move(advice));
  Prefetch();
  PinMemory();
}

void Adviser::Straggler(const Verdict& verdict) {
  if (!verdict.straggler_rank) {
    Say("the ranks come last in turn: give all the same amount of work a step, and look at what "
        "differs in their breakdown");
    return;
  }
  const int32_t rank = *verdict.straggler_rank;
  const std::string& cause = verdict.straggler_cause;
  if (cause == SuspectName(SuspectId::kDataPipeline)) {
    Say(
        fmt::format("look at rank {}'s data: the size of its shard, its storage, its workers; the "
                    "other ranks load faster",
                    rank));
  } else if (cause == StageName(SubStage::kForward) || cause == StageName(SubStage::kBackward) ||
             cause == StageName(SubStage::kOptimizer) || cause == StageName(SubStage::kCompute)) {
    Say(
        fmt::format("look at rank {}: its {} takes longer than on the others; other work on its "
                    "cores or device, lower clocks, or larger samples in its shard",
                    rank, TitleOf(cause)));
  } else {
    const std::string what =
        verdict.function ? FunctionText(*verdict.function) : "its " + TitleOf(cause);
    Say(
        fmt::format("look at rank {}: {} makes the others wait; do it less often, on all ranks at "
                    "once, or beside the training",
                    rank, what));
  }
}

void Adviser::Exposed() {
  for (Advice& advice : AdviseExchange(input_, UsesDevice())) advice_.push_back(std::move(advice));
}

void Adviser::HeldUp(const Verdict& verdict) {
  if (!IsHeldUp(input_, verdict)) return;
  Say("run it where no other work takes its cores, or stop that work: the time between operators "
      "holds waiting for a core");
}

void Adviser::Framework() {
  AnomalyDetection();
  const auto worth = [this](SubStage stage) { return Worth(stage); };
  for (Advice& one : AdviseFramework(input_, worth)) advice_.push_back(std::move(one));
}

void Adviser::Other() {
  if (Worth(SubStage::kCheckpoint)) {
    Say("save checkpoints less often, or beside the training "
        "(torch.distributed.checkpoint.async_save)");
  }
  if (Worth(SubStage::kEvaluation)) {
    Say("evaluate less often, or on a part of the evaluation set");
  }
  if (Worth(SubStage::kLogging)) {
    const StageFunction* most = LargestFunction(input_, SubStage::kLogging);
    Say(fmt::format("log less often{}, and without waiting for the result",
                    most == nullptr ? "" : " in " + FunctionText(*most)));
  }
  if (Worth(SubStage::kCapture)) {
    Say("that is Steptrace's own: take fewer windows (--window, steptrace capture), or none of "
        "stacks, shapes or memory, whose profile PyTorch begins and writes between two steps");
  }
  if (Worth(SubStage::kLoopCode)) AdviseStage(SubStage::kLoopCode);
  if (!Worth(SubStage::kUnknown)) return;
  const StageFunction* computes =
      Worth(SubStage::kLoopCode) ? LargestFunction(input_, SubStage::kLoopCode) : nullptr;
  const UserRange range = LargestUserRange(input_);
  if (range.ns > 0) {
    Say(fmt::format("look at \"{}\": it runs on the training thread in every step", range.name));
  } else if (const auto* function = LargestFunction(input_, SubStage::kUnknown);
             function != nullptr &&
             (function->share >= kWorthMending ||
              2 * function->ns > At(input_.times.total(), SubStage::kUnknown))) {
    if (computes != nullptr && IsSameLine(*computes, *function)) return;
    const char* what = RunsBetween(input_, *function) ? "works there, between the phases of a step"
                                                      : "waits there";
    Say(fmt::format("look at {}: the training thread {}", FunctionText(*function), what));
  } else if (computes == nullptr ||
             2 * At(input_.times.total(), SubStage::kLoopCode) <
                 At(input_.times.total(), SubStage::kUnknown)) {  // else that function comes first
    const bool of_profile = input_.profiled && !input_.report.profile_of_windows;
    const bool holds_operators =
        of_profile && std::ranges::any_of(input_.report.profile->ranks, HoldsOperators);
    if (of_profile && !holds_operators) {
      return Say(
          "record what the host does (ProfilerActivity.CPU): the profile holds its calls into "
          "the device's runtime alone");
    }
    Say(of_profile ? "profile with Python's stacks (torch.profiler.profile(with_stack=True)): the "
                     "report then names the functions that run there"
                   : "see what the training thread does between the phases: put `with "
                     "steptrace.annotate(\"...\"):` around suspected code and the report names it");
  }
}

// What would tell whether forward computes or waits.
void Adviser::Unseen() {
  if (!StacksWereNotTaken(input_)) {
    return Say("look at more steps, so that samples of its stack fall into them");
  }
  const JobFacts& facts = input_.facts;
  const bool knows_cpu = std::ranges::any_of(input_.report.counters, [](const auto& series) {
    return series.metric == store::Metric::kProcessCpu;
  });
  Say(fmt::format(
      "{}let its stacks be sampled: {}",
      knows_cpu ? "look at more steps, so that samples of its CPU time fall into them, or " : "",
      facts.no_stacks_remedy.empty() ? facts.no_stacks : facts.no_stacks_remedy));
}

void Adviser::TooManyThreads() {
  const auto own = FindOwnThreads(input_);
  if (!own) return;
  Set(fmt::format("torch.set_num_threads({0}), now {1}, or OMP_NUM_THREADS={0}: more threads than "
                  "cores take turns, and each operator waits for the last of them",
                  own->fitting, own->threads),
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
  Set("torch.autograd.set_detect_anomaly(False), now True: it keeps the stack of every operation "
      "and checks every gradient; turn it on to find a NaN, not to train",
      "torch.autograd.set_detect_anomaly", "True", "False");
}

void Adviser::Model() {
  if (MayWaitInForward(input_)) {
    Unseen();
  }
  AnomalyDetection();
  TooManyThreads();
  const StageFunction* beside = ThreadBeside(input_);
  const bool beside_first = beside != nullptr && beside->share > kMostOfTheTime;
  if (beside_first) Beside();
  if (input_.load.throttled()) {
    CpuShortage();
    if (!beside_first) Beside();
    return;
  }
  if (input_.load.crowded_by_others()) {
    Say("run it where no other work takes its cores, or stop that work: the model's threads wait "
        "for their turn");
  }
  if (!beside_first) Beside();
  if (input_.profiled && SawDeviceWork(input_)) {
    Say("to make it faster, change the model or its number format; the kernels that take its time: "
        "steptrace report --section kernels");
    return;
  }
  if (input_.profiled && !ListsOperators(*input_.report.profile)) {
    Say("to make it faster, change the model or its number format; a profile of PyTorch's tells "
        "the operators that take its time");
    return;
  }
  if (input_.dispatch != nullptr || input_.profiled) {
    Say("to make it faster, change the model or its number format; the operators that take its "
        "time: steptrace report --section operators");
    return;
  }
  const bool on_device = !input_.facts.devices.empty();
  Say(fmt::format(
      "to make it faster, change the model or its number format; whether the time is computing or "
      "framework overhead between {}, a window tells: steptrace capture --capture {}, while it "
      "runs",
      on_device ? "kernels" : "operators", on_device ? "kernels" : "operators"));
}

}  // namespace

std::vector<Advice> CollectAdvice(const VerdictInput& input, const Verdict& verdict) {
  Adviser adviser(input);
  if (verdict.status == VerdictStatus::kNoSingleSuspect) {
    const auto shares = ExactShares(BySuspect(input.times.total()));
    if (shares[static_cast<size_t>(SuspectId::kDataPipeline)] >= kWorthMending) {
      adviser.DataPipeline();
    }
    if (shares[static_cast<size_t>(SuspectId::kCommunication)] >= kWorthMending) adviser.Exposed();
    adviser.Framework();
    adviser.Other();
  } else if (verdict.suspect == SuspectName(SuspectId::kDataPipeline)) {
    adviser.DataPipeline();
  } else if (verdict.suspect == SuspectName(SuspectId::kModel)) {
    adviser.Model();
  } else if (verdict.sub_stage == StageName(SubStage::kStraggler)) {
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
  const bool of_others = verdict.suspect == SuspectName(SuspectId::kDataPipeline) ||
                         IsNamedByStage(verdict.suspect) || verdict.straggler_rank.has_value();
  if (!of_others) adviser.UnusedParameters();
  if (verdict.suspect != SuspectName(SuspectId::kModel)) adviser.Beside();
  return adviser.Take();
}

}  // namespace steptrace::analyze
