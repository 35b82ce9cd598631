// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/no_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analyze/code/function_text.h"
#include "analyze/input/advice_of_framework.h"
#include "analyze/input/unavailable_source.h"
#include "analyze/json/stored_finding.h"
#include "analyze/samples/last_seen.h"
#include "analyze/trace/busiest_functions.h"
#include "model/finding_kinds.h"
#include "store/loss_causes.h"
#include "store/manifest.h"
#include "store/stored_words.h"

namespace steptrace::analyze {

namespace finding = model::finding;

namespace {

// Of a thread's time: it is not on its way through the line.
constexpr double kMostlyThere = 0.8;
constexpr double kMostly = 0.5;  // of the time in a line

bool Live(const VerdictInput& input) {
  return input.report.run.status == store::kStatusInProgress;
}

template <typename Kind>
void Advise(Kind what, Verdict& verdict) {
  verdict.advice.push_back({Make(std::move(what)), "", "", ""});
}

void AdviseWithoutHooks(Verdict& verdict) {
  Advise(finding::RunLetHooksIn{}, verdict);
  Advise(finding::RunNameRanges{}, verdict);
}

// Kineto answered a capture, and no process had the hooks in it: there are no steps to wait for.
bool CapturedWithoutHooks(const VerdictInput& input) {
  return input.facts.captured_by_kineto && !input.facts.python_seen;
}

// Whatever the run holds beside it: nothing was wrong with the hooks.
Verdict NoStepInRange(const VerdictInput& input) {
  Verdict verdict;
  verdict.status = VerdictStatus::kNoSteps;
  if (CapturedWithoutHooks(input)) {
    verdict.headline = Make(finding::VerdictNoHooks{});
    AdviseWithoutHooks(verdict);
    return verdict;
  }
  verdict.headline = Make(finding::VerdictNoStepInRange{});
  Advise(finding::RunLongerRange{.steps = kMinSteadySteps}, verdict);
  return verdict;
}

void AddHookFailures(const JobFacts& facts, Verdict& verdict) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const HookFailure& failure : facts.hook_failures) {
    if (!seen.emplace(failure.hook, failure.reason).second) continue;
    verdict.evidence.push_back(
        Make(finding::RunHookFailed{.hook = failure.hook, .reason = failure.reason}));
  }
}

// What was lost, as who noticed it says; of runs of before their sentence.
model::Finding LossFindingOf(store::LossCause cause, const store::DataLossRow& loss) {
  // What is unavailable are the steps: that is said.
  if (cause == store::LossCause::kUnavailable) {
    return Make(
        finding::RunDataLoss{.detail = UnavailableIn(loss).reason, .where = model::Conditions{}});
  }
  if (auto found = ReadFinding(loss.evidence)) return *std::move(found);
  return Make(finding::RunDataLoss{.detail = loss.detail, .where = model::Conditions{}});
}

model::Finding Lost(store::LossCause cause, const store::DataLossRow& loss) {
  model::Finding lost = LossFindingOf(cause, loss);
  lost.rows = {store::TableOf<store::DataLossRow>::kName,
               {{"cause", model::Compare::kEqual, std::string(NameOf(cause))}}};
  lost.subject.cause = NameOf(cause);
  return lost;
}

// What the agent tells of a cause; false: nothing.
bool ReportedByAgent(const VerdictInput& input, const char* table, store::LossCause cause,
                     Verdict& verdict) {
  const auto is = [&](store::StringId id, const auto& text) {
    return input.report.strings->Text(id) == text;
  };
  for (const store::DataLossRow& loss : input.report.losses) {
    if (!is(loss.table, table) || !is(loss.cause, cause) || loss.detail.empty()) continue;
    verdict.evidence.push_back(Lost(cause, loss));
    return true;
  }
  return false;
}

// Hooks that were there and had nowhere to record, whatever other processes of the job recorded:
// a launcher that imports torch has a ring, and makes no step.
bool CouldNotRecord(const VerdictInput& input, Verdict& verdict) {
  if (ReportedByAgent(input, "steps", store::LossCause::kCannotRecord, verdict)) {
    verdict.headline = Make(finding::VerdictCannotRecord{});
  } else if (ReportedByAgent(input, "slices", store::LossCause::kSharedMemoryFull, verdict)) {
    verdict.headline = Make(finding::VerdictSharedMemoryFull{});
  } else if (ReportedByAgent(input, "steps", store::LossCause::kUnrecordedProcess, verdict)) {
    verdict.headline = Make(finding::VerdictUnrecordedProcess{});
  } else if (ReportedByAgent(input, "steps", store::LossCause::kScriptProfiler, verdict)) {
    verdict.headline = Make(finding::VerdictScriptProfiler{});
    Advise(finding::RunWithoutTool{}, verdict);
  } else {
    return false;
  }
  return true;
}

// There were steps: the files that hold them are damaged, or the disk took none of them.
bool LostWithTheirFile(const VerdictInput& input, Verdict& verdict) {
  for (const store::DataLossRow& loss : input.report.losses) {
    const auto is = [&](store::StringId id, const auto& text) {
      return input.report.strings->Text(id) == text;
    };
    if (!is(loss.table, "steps")) continue;
    if (is(loss.cause, store::LossCause::kSegmentDamaged)) {
      verdict.headline = Make(finding::VerdictStepsDamaged{});
      verdict.evidence.push_back(Lost(store::LossCause::kSegmentDamaged, loss));
      return true;
    }
    if (is(loss.cause, store::LossCause::kDiskRefused) && loss.count > 0) {
      verdict.headline = Make(finding::VerdictStepsRefused{});
      verdict.evidence.push_back(Make(finding::RunDiskRefused{
          .rows = loss.count, .of = input.report.strings->Text(loss.table)}));
      Advise(finding::RunFreeSpace{}, verdict);
      return true;
    }
  }
  return false;
}

void ExplainNoPython(const VerdictInput& input, Verdict& verdict) {
  verdict.headline = Make(finding::VerdictNoPython{});
  // The agent looked at the command's processes, and knows more than the facts do.
  for (const auto cause : {store::LossCause::kNoHooks, store::LossCause::kUnavailable}) {
    if (ReportedByAgent(input, "steps", cause, verdict)) return;
  }
  AdviseWithoutHooks(verdict);
}

// Whether the training came to its end. Its own output says why it ended early, no setting of ours
// does.
struct Ended {
  bool failed = false;
  bool stopped = false;

  bool early() const { return failed || stopped; }
};

Ended HowEnded(const VerdictInput& input, Verdict& verdict) {
  const std::string& status = input.report.run.status;
  const Ended ended = {
      .failed = status == store::kStatusFailed,
      .stopped = status == store::kStatusStopped || status == store::kStatusInterrupted};
  if (ended.failed) Advise(finding::RunFixFailure{}, verdict);
  return ended;
}

// Where the job is that has made no step yet, or was when somebody stopped it: it may hang there.
void AddLastSeen(const VerdictInput& input, Verdict& verdict) {
  const std::string& status = input.report.run.status;
  const bool ended = status == store::kStatusStopped || status == store::kStatusInterrupted;
  if (input.report.last_seen == nullptr || (!ended && !Live(input))) return;
  const auto main = input.report.last_seen->Of(LastSeen::Who::kRanks);
  if (!main) return;
  // Who makes the batches is behind a thread that awaits one; workers that have made theirs are
  // not.
  auto workers = input.report.last_seen->Of(LastSeen::Who::kWorkers);
  if (workers && (main->awaiting <= kMostly || workers->making <= kMostly)) workers.reset();
  finding::RunLastSeen seen{.time = std::min(kLastSeenNs, input.report.run.duration_ns),
                            .waits = main->waiting > kMostly,
                            .share = main->share,
                            .samples = main->samples,
                            .function = FunctionText(main->function)};
  if (workers) {
    seen.worker_waits = workers->waiting > kMostly;
    seen.worker_share = workers->share;
    seen.worker_samples = workers->samples;
    seen.worker_function = FunctionText(workers->function);
  }
  verdict.evidence.push_back(Make(std::move(seen)));
  const SeenAt& behind = workers ? *workers : *main;
  if (behind.share < kMostlyThere) return;
  if (ended) {
    Advise(finding::RunLookWhereItWas{.function = FunctionText(behind.function)}, verdict);
  } else {
    Advise(finding::RunLookWhereItIs{.function = FunctionText(behind.function)}, verdict);
  }
}

void ExplainNoTorch(const VerdictInput& input, Verdict& verdict) {
  AddLastSeen(input, verdict);
  const Ended ended = HowEnded(input, verdict);
  verdict.headline =
      Make(finding::VerdictNoTorch{.failed = ended.failed, .stopped = ended.stopped});
  Advise(finding::RunCallStepIfItTrains{}, verdict);
}

// Torch was hooked where others than its optimizers are: --hooks leaves that one out. Torch imports
// its parts before it is there itself, so that one that is cut off may look the same.
bool OptimizerLeftOut(const VerdictInput& input) {
  const JobFacts& facts = input.facts;
  if (!facts.torch_hooked || facts.optimizer_hooked) return false;
  return facts.torch_seen || input.report.run.status == store::kStatusCompleted;
}

void ExplainLeftOut(Verdict& verdict) {
  verdict.headline = Make(finding::VerdictOptimizerLeftOut{});
  verdict.advice.push_back({Make(finding::RunWithOptimizerHook{}), "hooks", "", "default"});
}

void ExplainNoOptimizer(const VerdictInput& input, Verdict& verdict) {
  AddLastSeen(input, verdict);
  const Ended ended = HowEnded(input, verdict);
  verdict.headline =
      Make(finding::VerdictNoOptimizer{.failed = ended.failed, .stopped = ended.stopped});
  if (ended.early()) {
    Advise(finding::RunCallStepIfItTrained{}, verdict);
  } else {
    Advise(finding::RunCallStep{}, verdict);
  }
}

// What it is instead, by its own events.
Verdict NoTraining(const VerdictInput& input) {
  constexpr size_t kMostFunctions = 8;
  const std::set<store::ProfileWriter>& writers = input.facts.writers;
  Verdict verdict;
  verdict.status = VerdictStatus::kNoTraining;
  verdict.headline = Make(finding::VerdictNoTraining{
      .writer = writers.size() == 1 ? std::string(InfoOf(*writers.begin()).title) : ""});
  const Trace& profile = *input.report.profile;
  for (const BusyFunction& one : BusiestFunctions(profile, kMostFunctions)) {
    verdict.evidence.push_back(Make(finding::ProfileBusiest{.share = one.share,
                                                            .time = one.self_ns,
                                                            .calls = one.calls,
                                                            .function = profile.Text(one.name)}));
  }
  Advise(finding::ImportRunTraining{}, verdict);
  return verdict;
}

// No hook has a part in what others recorded.
void ExplainImported(const VerdictInput& input, Verdict& verdict) {
  verdict.headline = Make(finding::VerdictImportWithoutSteps{});
  if (store::ProfileFormatOf(input.facts.imported_as) == store::ProfileFormat::kSagemaker)
    return Advise(finding::ImportAllFiles{}, verdict);
  if (MayBeOf("pytorch", input.facts)) return Advise(finding::ImportRecordHost{}, verdict);
  if (MayBeOf("jax", input.facts)) return Advise(finding::ImportMarkStepsJax{}, verdict);
  if (MayBeOf("tensorflow", input.facts)) {
    return Advise(finding::ImportMarkStepsTensorflow{}, verdict);
  }
  Advise(finding::ImportRunTraining{}, verdict);
}

}  // namespace

Verdict NoStepsVerdict(const VerdictInput& input) {
  if (!input.report.holds_training) return NoTraining(input);
  if (input.report.options.of_time_range) return NoStepInRange(input);
  Verdict verdict;
  verdict.status = VerdictStatus::kNoSteps;
  if (LostWithTheirFile(input, verdict)) return verdict;
  if (CouldNotRecord(input, verdict)) {
    // Said.
  } else if (!input.facts.imported_as.empty()) {
    ExplainImported(input, verdict);
  } else if (input.facts.hooks_off) {
    verdict.headline = Make(finding::VerdictHooksOff{});
    verdict.advice.push_back({Make(finding::RunWithHooks{}), "hooks", "off", "default"});
  } else if (OptimizerLeftOut(input)) {
    ExplainLeftOut(verdict);
  } else if (Live(input) && CapturedWithoutHooks(input)) {
    verdict.headline = Make(finding::VerdictNoHooks{});
    AdviseWithoutHooks(verdict);
  } else if (Live(input)) {
    AddLastSeen(input, verdict);
    verdict.headline = Make(finding::VerdictNoStepYet{});
    if (input.facts.torch_seen) Advise(finding::RunCallStepIfItTrainsAlready{}, verdict);
  } else if (!input.facts.python_seen) {
    ExplainNoPython(input, verdict);
  } else if (!input.facts.torch_seen) {
    ExplainNoTorch(input, verdict);
  } else {
    ExplainNoOptimizer(input, verdict);
  }
  AddHookFailures(input.facts, verdict);
  return verdict;
}

namespace {

// Of steps that were chosen any steady one would do.
Verdict NoSteadyStepInTimeRange(const VerdictInput& input) {
  const int64_t seen = input.selection.count;
  Verdict verdict;
  verdict.status = VerdictStatus::kTooFewSteps;
  verdict.headline = Make(finding::VerdictOnlyWarmUp{.steps = seen});
  verdict.evidence.push_back(Make(finding::VerdictAllWarmUp{.steps = seen}));
  if (Live(input)) {
    Advise(finding::RunCaptureAgain{}, verdict);
  } else {
    Advise(finding::RunLookBehindWarmUp{}, verdict);
  }
  return verdict;
}

}  // namespace

Verdict TooFewStepsVerdict(const VerdictInput& input) {
  if (input.report.options.of_time_range) return NoSteadyStepInTimeRange(input);
  Verdict verdict;
  verdict.status = VerdictStatus::kTooFewSteps;
  const int64_t have = input.selection.steps;
  verdict.headline = Make(finding::VerdictTooFewSteps{
      .steady = have, .seen = input.selection.count, .more = kMinSteadySteps - have});
  verdict.evidence.push_back(Make(
      finding::VerdictWarmUp{.warm_up = input.selection.warm_up, .steps = input.selection.count}));
  const auto& last = input.report.options.last_steps;
  if (last && *last < kMinSteadySteps && input.selection.count > input.selection.steps) {
    verdict.advice.push_back({Make(finding::RunMoreSteps{}), "last_steps", fmt::format("{}", *last),
                              fmt::format("{}", kMinSteadySteps)});
  } else if (Live(input)) {
    Advise(finding::RunAskAgain{}, verdict);
  } else {
    Advise(finding::RunLonger{}, verdict);
  }
  AddHookFailures(input.facts, verdict);
  return verdict;
}

}  // namespace steptrace::analyze
