// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <tuple>

#include "analyze/report/function_text.h"
#include "analyze/report/sentence.h"
#include "analyze/samples/code_place.h"
#include "analyze/verdict/computing.h"
#include "analyze/verdict/exchange_advice.h"
#include "analyze/verdict/own_threads.h"
#include "analyze/verdict/rests_on.h"
#include "analyze/verdict/slow_calls.h"
#include "store/metrics.h"

namespace steptrace::analyze {
namespace {

// Less of the step than this is no evidence for or against anything.
constexpr double kWorthSaying = 0.02;
constexpr double kWorthNaming = 0.15;      // of the cores, of other work on the machine
constexpr double kWorthMentioning = 0.10;  // of the step, of a suspect that is not found
constexpr const char* kSteady = "kind = 'train'";

std::string IsMetric(store::Metric metric) {
  return fmt::format("metric = '{}'", NameOf(metric));
}

class Collector {
 public:
  explicit Collector(const VerdictInput& input)
      : input_(input), shares_(ExactShares(input.times.total())) {}

  void Steps(Sentence text) { evidence_.push_back({std::move(text), "steps", kSteady}); }
  void Counter(Sentence text, store::Metric metric) {
    evidence_.push_back({std::move(text), "counters", IsMetric(metric)});
  }
  std::vector<Evidence> Take() { return std::move(evidence_); }

  void Waits();
  void Stages(std::initializer_list<SuspectId> suspects);
  void Suspects();
  void Cores();
  void Quota();
  void Shortage();
  void Storage();
  void Device();
  void DevicePhases();
  void Ranks(const Verdict& verdict);
  void Add(std::optional<Evidence> one) {
    if (one) evidence_.push_back(*std::move(one));
  }
  void Unseen();
  void Other();
  void Samples();
  void Functions(std::initializer_list<SubStage> stages);
  void Operators();
  void Awaited();
  void Beside();
  void Profile();
  void FewSteps();

 private:
  // As the report's stages have it: one share is not rounded to two figures.
  double Share(SubStage stage) const { return shares_[static_cast<size_t>(stage)]; }
  // Of a function: named by samples, or by a profile that holds Python's.
  Evidence OfStacks(Sentence text) const {
    if (!input_.profiled || input_.report.samples != nullptr)
      return {std::move(text), "samples", ""};
    return {std::move(text), "slices", "category = 'python_function'"};
  }
  const VerdictInput& input_;
  std::array<double, kSubStageCount> shares_;
  std::vector<Evidence> evidence_;
};

const char* StepsOf(int64_t count) {
  return count == 1 ? "step" : "steps";
}

void Collector::Waits() {
  const StepCounts& counts = input_.times.counts();
  if (counts.waits > 0) {
    Steps(Phrase("next batch not ready in {} of {} waits", figure::Count(counts.starved_waits),
                 figure::Count(counts.waits)));
  } else if (const LoaderFact* loader = TrainingLoader(input_.facts);
             loader != nullptr && loader->workers == 0 && input_.waits.awaited.empty() &&
             At(BySuspect(input_.times.total()), SuspectId::kDataPipeline) > 0) {
    // Another thread may iterate over it: then the training thread is never seen in it.
    Steps("the training thread loads the data itself (num_workers=0)");
  }
}

void Collector::Stages(std::initializer_list<SuspectId> suspects) {
  std::vector<std::pair<double, SubStage>> stages;
  for (size_t i = 0; i < kSubStageCount; ++i) {
    const auto stage = static_cast<SubStage>(i);
    const bool asked = std::ranges::find(suspects, SuspectOf(stage)) != suspects.end();
    if (asked && Share(stage) >= kWorthSaying) stages.emplace_back(Share(stage), stage);
  }
  std::stable_sort(stages.begin(), stages.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  Sentence text;
  for (const auto& [share, stage] : stages) {
    if (!text.empty()) text += ", ";
    text += Phrase("{} {}", TitleOf(StageName(stage)), figure::Share(share));
  }
  // The headline names no stage of the framework's.
  const bool alone_is_news = *suspects.begin() == SuspectId::kFrameworkOverhead;
  if (stages.size() > (alone_is_news ? 0 : 1)) Steps(text);
}

// Each that could gain something, and how much.
void Collector::Suspects() {
  const auto shares = ExactShares(BySuspect(input_.times.total()));
  for (SuspectId suspect : kSuspects) {
    const double share = shares[static_cast<size_t>(suspect)];
    if (suspect == SuspectId::kModel || share < kWorthMentioning) continue;
    const std::string most = TitleOf(StageName(LargestStage(input_.times.total(), suspect)));
    const std::string what = IsNamedByStage(suspect)
                                 ? most
                                 : fmt::format("{} (most of it {})", SuspectTitle(suspect), most);
    Steps(
        Phrase("at most {} faster without {}", figure::Ratio(1 / std::max(1 - share, 1e-9)), what));
  }
}

void Collector::Cores() {
  if (const auto busy = input_.load.Mean(store::Metric::kCpuBusyShare)) {
    const double cores = input_.report.run.nodes.empty() ? input_.load.usable_cores()
                                                         : input_.report.run.nodes.front().cpus;
    // An imported run need not tell how many cores its nodes have.
    const Sentence name = cores > 0 ? Phrase("{}", figure::Cores(cores)) : "cores";
    Counter(Phrase("{} busy {}", name, figure::Share(*busy)), store::Metric::kCpuBusyShare);
  } else if (const auto used = input_.load.Mean(store::Metric::kJobCpu)) {
    Counter(Phrase("the job used {} of {}", figure::Number(*used),
                   figure::Cores(input_.load.usable_cores())),
            store::Metric::kJobCpu);
  }
}

void Collector::Quota() {
  if (!input_.load.throttled()) return;
  const auto limit = input_.load.quota_cores();
  Counter(Phrase("the cgroup's CPU quota{} ran out in {} of its periods",
                 limit ? Phrase(" of {}", figure::Cores(*limit)) : Sentence(),
                 figure::Share(input_.load.MeanOr(store::Metric::kCgroupThrottledShare, 0))),
          store::Metric::kCgroupThrottledShare);
}

void Collector::Shortage() {
  Quota();
  const double runnable = input_.load.MeanOr(store::Metric::kCpuRunnable, 0);
  if (runnable > input_.load.usable_cores()) {
    Counter(Phrase("{} threads wanted to run on {}", figure::Number(runnable),
                   figure::Cores(input_.load.usable_cores())),
            store::Metric::kCpuRunnable);
  }
  if (const double others = input_.load.others_cores();
      others >= kWorthNaming * input_.load.machine_cores()) {
    Counter(Phrase("other work on the machine used {}", figure::Cores(others)),
            store::Metric::kCpuBusyShare);
  }
  const double delay = input_.load.MeanOr(store::Metric::kJobRunDelay, 0);
  if (delay >= 0.1) {
    Counter(Phrase("its threads waited for a core {} s a second", figure::Number(delay)),
            store::Metric::kJobRunDelay);
  }
}

void Collector::Storage() {
  if (const auto wait = input_.load.Mean(store::Metric::kCpuIowaitShare)) {
    Counter(Phrase("I/O wait {}", figure::Share(*wait)), store::Metric::kCpuIowaitShare);
  }
  if (const auto read = input_.load.Mean(store::Metric::kJobRead); read && *read >= 1e6) {
    Counter(Phrase("the job read {}/s", figure::Bytes(*read)), store::Metric::kJobRead);
  }
}

void Collector::Device() {
  if (!MayUseDevice(input_.facts)) return;
  if (const auto busy = input_.load.Mean(store::Metric::kGpuUtilization)) {
    Counter(Phrase("device busy {}", figure::Share(*busy)), store::Metric::kGpuUtilization);
  }
}

// What events at the borders of phases tell, where no kernels do.
void Collector::DevicePhases() {
  if (input_.profiled || input_.device_phases.empty()) return;
  constexpr const char* kWhere = "category = 'device_phase'";
  const DevicePhaseRow mean = MeanDevicePhases(input_.device_phases);
  evidence_.push_back(
      {Phrase("the device is in forward, backward and optimizer {} of the step, and waits for "
              "a batch {}",
              figure::Share(mean.BusyShare()),
              figure::Share(mean.share[static_cast<size_t>(DevicePhase::kData)])),
       "slices", kWhere});
  if (!MostlyCaughtUp(input_.device_phases)) return;
  evidence_.push_back(
      {Phrase("at the end of {} of these phases it had nothing left to do: within them it "
              "waits for the host, for how long `steptrace capture --capture kernels` tells",
              figure::Share(*mean.caught_up_share)),
       "slices", kWhere});
}

void Collector::Ranks(const Verdict& verdict) {
  if (!verdict.straggler_rank) return;
  const RankTimes& late = input_.times.ranks().at(*verdict.straggler_rank);
  Steps(Phrase("rank {} came last in {} of {} steps", *verdict.straggler_rank,
               figure::Count(late.last_in_steps), figure::Count(input_.times.shared_steps())));
  const int64_t steps = std::max<int64_t>(late.last_in_steps, 1);
  Steps(Phrase("all others together waited {} a step for it",
               figure::Duration(late.caused_wait_ns / steps)));
}

void Collector::Unseen() {
  if (!MayWaitInForward(input_)) return;
  if (StacksWereNotTaken(input_)) {
    evidence_.push_back({Phrase("no samples of its stack were taken: {}", input_.facts.no_stacks),
                         "facts", "kind = 'source'"});
  } else {
    Steps("too few samples of its stack and of its CPU time fall into these steps");
  }
  int64_t operators_ns = 0, steps_ns = 0;
  for (const uint32_t i : input_.selection.steady) {
    const store::StepRow& row = input_.report.steps[i];
    if (!row.operators_ns) continue;
    operators_ns += std::clamp<int64_t>(*row.operators_ns, 0, row.dur_ns);
    steps_ns += row.dur_ns;
  }
  if (steps_ns == 0) return;
  Steps(Phrase("torch's operators take {} of the steps in windows",
               figure::Share(static_cast<double>(operators_ns) / static_cast<double>(steps_ns))));
}

void Collector::Other() {
  const StepCounts& counts = input_.times.counts();
  if (Share(SubStage::kGarbageCollection) >= kWorthMentioning) {
    Steps(Phrase("{} {} collected garbage", figure::Count(counts.collections),
                 StepsOf(counts.collections)));
  }
  if (input_.idle.of_steps > 0) {
    Counter(Phrase("in {} of the time, between a batch and its backward, the process neither "
                   "ran nor wanted a core: it slept or waited",
                   figure::Share(input_.idle.of_steps)),
            store::Metric::kProcessCpu);
  }
  if (Share(SubStage::kCheckpoint) >= kWorthSaying) {
    Steps(Phrase("{} {} saved a checkpoint", figure::Count(counts.checkpoints),
                 StepsOf(counts.checkpoints)));
  }
  if (Share(SubStage::kEvaluation) >= kWorthSaying && counts.evaluations > 0) {
    Steps(Phrase("{} {} held an evaluation", figure::Count(counts.evaluations),
                 StepsOf(counts.evaluations)));
  }
  const UserRange range = LargestUserRange(input_);
  if (Share(SubStage::kUnknown) >= kWorthSaying && range.ns > 0) {
    Steps(Phrase(
        "of it {} in the range \"{}\"",
        figure::Share(static_cast<double>(range.ns) / static_cast<double>(input_.times.total_ns())),
        range.name));
  }
}

// Where the training thread takes its batches from whoever makes them.
void Collector::Awaited() {
  for (const StageFunction& one : input_.waits.awaited) {
    if (one.share < kWorthMentioning) continue;
    evidence_.push_back({Phrase("{} of the step the training thread awaits {}",
                                figure::Share(one.share), AwaitedText(one)),
                         "samples", ""});
  }
}

void Collector::Beside() {
  const StageFunction* one = ThreadBeside(input_);
  if (one == nullptr) return;
  evidence_.push_back({Phrase("in {} of the time another thread of the process runs {}, which "
                              "shares the interpreter with the training",
                              figure::Share(std::min(one->share, 1.0)), FunctionText(*one)),
                       "samples", ""});
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
  if (samples == 0 && !named) return;
  evidence_.push_back(OfStacks(samples > 0 ? Phrase("{} samples of stacks", figure::Count(samples))
                                           : "stages by the profile's Python functions"));
}

// The functions in which samples saw most of these stages.
void Collector::Functions(std::initializer_list<SubStage> stages) {
  constexpr size_t kMostNamed = 3;
  std::vector<std::pair<const StageFunction*, SubStage>> all;
  for (SubStage stage : stages) {
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
    std::string text;
    const StageFunction* function;
    bool waits;
    double share;
  };
  std::vector<Named> named;
  for (const auto& one_of : all) {
    const StageFunction* function = one_of.first;
    const bool waits = one_of.second == SubStage::kUnknown && !RunsBetween(input_, *function);
    std::string text = fmt::format(
        "{} {}", waits ? "waits in" : "is in",
        one_of.second == SubStage::kForward ? ModuleText(*function) : FunctionText(*function));
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
    evidence_.push_back(
        OfStacks(Phrase("{} of the step it {}", figure::Share(one.share), one.text)));
  }
}

// What the device did in the steps, where each nanosecond of it is known.
void Collector::Profile() {
  if (!input_.profiled) return;
  Add(ComputingEvidence(input_));
  if (Share(SubStage::kLaunch) >= kWorthMentioning) Add(SlowCallsEvidence(input_));
}

void Collector::FewSteps() {
  if (input_.selection.steps >= kMinSteadySteps) return;
  Steps(RestsOnText(input_.selection.steps, input_.report));
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
  evidence_.push_back(
      {Phrase("of forward, backward and optimizer {} is between operators ({}-{}), seen in {} "
              "steps",
              figure::Share(input_.dispatch->mean_share),
              figure::ShareNumber(input_.dispatch->interval.low),
              figure::ShareNumber(input_.dispatch->interval.high), input_.dispatch->steps),
       "steps", "dispatch_ns IS NOT NULL"});
}

void CollectModel(Collector& collector) {
  collector.Unseen();
  collector.Operators();
  collector.Stages({SuspectId::kModel});
  collector.Functions({SubStage::kForward, SubStage::kBackward, SubStage::kOptimizer});
  collector.Shortage();
  collector.Waits();
  collector.Device();
  collector.DevicePhases();
  collector.Cores();
}

}  // namespace

std::string AwaitedText(const StageFunction& function) {
  if (function.call.empty()) return FunctionText(function);
  const std::string_view call = function.in_c ? function.call : EnclosingFunction(function.call);
  return fmt::format("{} ({})", call, PlaceText(function));
}

bool RunsBetween(const VerdictInput& input, const StageFunction& function) {
  return std::any_of(input.waits.between.begin(), input.waits.between.end(),
                     [&function](const StageFunction& one) {
                       return std::tie(one.file, one.function, one.line, one.call) ==
                              std::tie(function.file, function.function, function.line,
                                       function.call);
                     });
}

bool IsHeldUp(const VerdictInput& input, const Verdict& verdict) {
  return verdict.suspect == SuspectName(SuspectId::kFrameworkOverhead) &&
         input.load.crowded_by_others() && !MayUseDevice(input.facts);
}

bool SawDeviceWork(const VerdictInput& input) {
  const Trace* profile = input.report.profile;
  return profile != nullptr &&
         std::any_of(profile->ranks.begin(), profile->ranks.end(),
                     [](const RankTrace& rank) { return !rank.device.empty(); });
}

const StageFunction* LargestFunction(const VerdictInput& input, SubStage stage) {
  const auto& functions = input.stages[static_cast<size_t>(stage)].functions;
  return functions.empty() ? nullptr : &functions.front();
}

UserRange LargestUserRange(const VerdictInput& input) {
  UserRange largest;
  for (const auto& [name, ns] : input.times.counts().user_ranges_ns) {
    if (ns > largest.ns) largest = {input.report.strings->Text(name), ns};
  }
  return largest;
}

std::vector<Evidence> CollectEvidence(const VerdictInput& input, const Verdict& verdict) {
  Collector collector(input);
  if (verdict.status == VerdictStatus::kNoSingleSuspect) {
    collector.Suspects();
    collector.Functions(
        {SubStage::kLoopCode, SubStage::kLogging, SubStage::kEvaluation, SubStage::kUnknown});
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
    collector.Cores();
  } else {
    collector.Stages({SuspectId::kFrameworkOverhead});
    if (verdict.suspect == SuspectName(SuspectId::kFrameworkOverhead)) collector.Operators();
    collector.Stages({SuspectId::kOtherWork, SuspectId::kUnattributed});
    if (verdict.suspect == SuspectName(SuspectId::kFrameworkOverhead)) {
      collector.Functions({SubStage::kForward, SubStage::kLoopCode, SubStage::kLogging,
                           SubStage::kEvaluation, SubStage::kUnknown});
    } else {
      collector.Functions(
          {SubStage::kLoopCode, SubStage::kLogging, SubStage::kEvaluation, SubStage::kUnknown});
    }
    collector.Other();
    if (IsHeldUp(input, verdict)) collector.Shortage();
  }
  collector.Beside();
  collector.Profile();
  collector.FewSteps();
  return collector.Take();
}

}  // namespace steptrace::analyze
