// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "analyze/report/function_text.h"
#include "analyze/report/sentence.h"
#include "analyze/verdict/advice.h"
#include "analyze/verdict/device_caveats.h"
#include "analyze/verdict/evidence.h"
#include "analyze/verdict/no_verdict.h"
#include "analyze/verdict/own_threads.h"
#include "analyze/verdict/rank_spread.h"
#include "base/time.h"
#include "store/metrics.h"

namespace steptrace::analyze {
namespace {

constexpr double kKeptBusy = 0.6;     // of the time, a device
constexpr double kAlone = 0.99;       // of a suspect: the rest of its stages needs no word
constexpr double kWorthAWord = 0.05;  // of the step, of a second suspect
constexpr double kOfEvents = 0.9;     // of a suspect: less, and something else is in the way too
constexpr double kNearlyAllOf = 0.9;  // of a stage: a function with so much of it is all of it

struct Candidate {
  SuspectId suspect = SuspectId::kUnattributed;
  double share = 0;
  Interval interval;
};

// Shares are rounded so that they sum to 1; their interval is not: it holds them all the same.
Interval Around(double share, const Interval& interval) {
  if (interval.low == interval.high) return {share, share};
  return {std::min(share, interval.low), std::max(share, interval.high)};
}

// All but the model, the largest first: it is what a step is for.
std::vector<Candidate> RankSuspects(const VerdictInput& input) {
  const auto shares = ExactShares(BySuspect(input.times.total()));
  std::vector<Candidate> result;
  for (SuspectId suspect : kSuspects) {
    if (suspect == SuspectId::kModel) continue;
    const double share = shares[static_cast<size_t>(suspect)];
    result.push_back({suspect, share, Around(share, input.times.Share(suspect))});
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const Candidate& a, const Candidate& b) { return a.share > b.share; });
  return result;
}

double ModelShare(const VerdictInput& input) {
  return ExactShares(BySuspect(input.times.total()))[static_cast<size_t>(SuspectId::kModel)];
}

// What nobody else is to blame for: samples alone tell how much of it is which.
double BesideTheModel(const VerdictInput& input) {
  const auto shares = ExactShares(BySuspect(input.times.total()));
  return shares[static_cast<size_t>(SuspectId::kOtherWork)] +
         shares[static_cast<size_t>(SuspectId::kUnattributed)];
}

struct LateRank {
  int32_t rank = 0;
  const RankTimes* times = nullptr;
  double least_gain = kStragglerThreshold;  // of being on time, to be found
};

std::optional<LateRank> ConsistentlyLate(const StepTimes& times) {
  if (times.shared_steps() == 0) return std::nullopt;
  LateRank worst;
  double caused = 0;
  for (const auto& [number, rank] : times.ranks()) {
    caused += static_cast<double>(rank.caused_wait_ns);
    if (worst.times == nullptr || rank.caused_wait_ns > worst.times->caused_wait_ns) {
      worst.rank = number;
      worst.times = &rank;
    }
  }
  if (caused <= 0) return std::nullopt;
  const double last =
      static_cast<double>(worst.times->last_in_steps) / static_cast<double>(times.shared_steps());
  if (last >= kConsistentlyLast) return worst;
  if (static_cast<double>(worst.times->caused_wait_ns) < kConsistentlyLast * caused) {
    return std::nullopt;
  }
  // Late now and then, as by saving: chance does that too, so it has to cost more.
  worst.least_gain = kSuspectThreshold;
  return worst;
}

// What would still be in the way, were the late rank like the others: the largest suspect on them,
// their waiting left out. Of what is left of the step then, or where the gain leads clearly, of the
// step as it is: what is left is so short that whatever is in it looks large.
double LargestElsewhere(const VerdictInput& input, int32_t late) {
  StageTimes others{};
  for (const auto& [number, rank] : input.times.ranks()) {
    if (number != late) AddTo(others, rank.stages);
  }
  const double whole = static_cast<double>(std::max<int64_t>(Sum(others), 1));
  At(others, SubStage::kStraggler) = 0;
  const double left = static_cast<double>(std::max<int64_t>(Sum(others), 1));
  const SuspectTimes times = BySuspect(others);
  double largest = 0;
  for (SuspectId suspect : kSuspects) {
    if (suspect == SuspectId::kModel) continue;
    largest = std::max(largest, static_cast<double>(At(times, suspect)));
  }
  return std::min(largest / left, kClearLead * largest / whole);
}

void SetGain(const VerdictInput& input, double removable_share, Verdict& verdict) {
  if (removable_share <= 0 || removable_share >= 1) return;
  verdict.at_most_speedup = 1 / (1 - removable_share);
  verdict.at_most_saving_ns =
      std::llround(removable_share * static_cast<double>(input.training_ns));
  if (const auto price = input.report.options.price_per_hour) {
    verdict.at_most_saving_money =
        static_cast<double>(*verdict.at_most_saving_ns) / static_cast<double>(kNsPerHour) * *price;
  }
}

// "65 % of the step (63-67)"; an interval that rounds to one number adds nothing.
Sentence ShareText(double share, const Interval& interval, const char* of = "") {
  const Figure low = figure::ShareNumber(interval.low);
  const Figure high = figure::ShareNumber(interval.high);
  if (low.text == high.text) return Phrase("{}{}", figure::Share(share), of);
  return Phrase("{}{} ({}-{})", figure::Share(share), of, low, high);
}
constexpr const char* kOfTheStep = " of the step";

// " in log (train.py:12)"; where the suspect is more than that function, with a share of its own:
// " (57 % in log, train.py:12)". Of time without a phase only where most of it is there.
Sentence WhereText(const VerdictInput& input, SubStage stage, bool alone) {
  const StageFunction* function = LargestFunction(input, stage);
  if (function == nullptr) return "";
  const StageTimes& times = input.times.total();
  const bool code = stage == SubStage::kLoopCode || stage == SubStage::kLogging;
  if (!code && (stage != SubStage::kUnknown || 2 * function->ns < At(times, stage))) return "";
  const auto whole = static_cast<double>(At(times, stage));
  if (!alone || static_cast<double>(function->ns) < kNearlyAllOf * whole) {
    return Phrase(" ({} in {}, {})", figure::Share(function->share), CalledText(*function),
                  PlaceText(*function));
  }
  return fmt::format("{} in {}", code ? "" : ",", FunctionText(*function));
}

// "mostly waiting in time.sleep (29 %, train.py:13)", where that is most of the time outside any
// phase; where it is nearly all of the suspect, "waiting in time.sleep (train.py:13)". Else
// nothing.
Sentence WaitText(const VerdictInput& input, SubStage stage, bool alone) {
  const StageFunction* function = LargestFunction(input, stage);
  if (stage != SubStage::kUnknown || function == nullptr || RunsBetween(input, *function))
    return "";
  const int64_t whole_ns = At(input.times.total(), stage);
  if (2 * function->ns < whole_ns) return "";
  if (alone && static_cast<double>(function->ns) >= kNearlyAllOf * static_cast<double>(whole_ns)) {
    return "waiting in " + FunctionText(*function);
  }
  return Phrase("mostly waiting in {} ({}, {})", CalledText(*function),
                figure::Share(function->share), PlaceText(*function));
}

// What a suspect is called in a sentence: other work is nobody, its largest stage is somebody. Time
// that is not attributed is blamed on nobody: the sentence says where it is, as far as that is
// seen.
Sentence SuspectText(const VerdictInput& input, SuspectId suspect) {
  if (!IsNamedByStage(suspect)) return SuspectTitle(suspect);
  const StageTimes& times = input.times.total();
  const SubStage stage = LargestStage(times, suspect);
  const bool alone = static_cast<double>(At(times, stage)) >=
                     kAlone * static_cast<double>(At(BySuspect(times), suspect));
  const Sentence waits = WaitText(input, stage, alone);
  if (!waits.empty()) return waits;
  return Phrase("{}{}{}", alone ? "" : "mostly ", TitleOf(StageName(stage)),
                WhereText(input, stage, alone));
}

void SetSubStage(const VerdictInput& input, SubStage stage, Verdict& verdict) {
  verdict.sub_stage = StageName(stage);
  if (const auto* function = LargestFunction(input, stage)) verdict.function = *function;
}

Sentence CandidateText(const VerdictInput& input, const Candidate& candidate) {
  return Phrase("{} {}", SuspectText(input, candidate.suspect),
                ShareText(candidate.share, candidate.interval));
}

// What makes a rank late, in a sentence, with its function where samples know one.
std::string LateText(const VerdictInput& input, Verdict& verdict) {
  const std::string& cause = verdict.straggler_cause;
  if (cause == SuspectName(SuspectId::kDataPipeline)) {
    const StageTimes& times = input.times.total();
    const auto* most = LargestFunction(input, LargestStage(times, SuspectId::kDataPipeline));
    if (most == nullptr) return TitleOf(cause);
    verdict.function = *most;
    return fmt::format("{} ({}, {})", TitleOf(cause), CalledText(*most), PlaceText(*most));
  }
  const bool waits = cause == StageName(SubStage::kUnknown);
  const SubStage stage = waits ? SubStage::kUnknown : SubStage::kLoopCode;
  const StageFunction* function =
      cause == StageName(stage) ? LargestFunction(input, stage) : nullptr;
  if (function == nullptr) return TitleOf(cause);
  verdict.function = *function;
  return (waits ? "waiting in " : "code in ") + FunctionText(*function);
}

std::optional<Verdict> StragglerVerdict(const VerdictInput& input) {
  const auto late = ConsistentlyLate(input.times);
  if (!late) return std::nullopt;
  const Interval interval = input.times.StragglerGainShare();
  const double share = static_cast<double>(input.times.straggler_gain_ns()) /
                       static_cast<double>(std::max<int64_t>(input.times.total_ns(), 1));
  if (interval.low < late->least_gain || share < LargestElsewhere(input, late->rank)) {
    return std::nullopt;
  }
  Verdict verdict;
  verdict.status = VerdictStatus::kFound;
  verdict.suspect = SuspectName(SuspectId::kCommunication);
  verdict.sub_stage = StageName(SubStage::kStraggler);
  verdict.share = share;
  verdict.share_low = interval.low;
  verdict.share_high = interval.high;
  verdict.straggler_rank = late->rank;
  verdict.straggler_cause = LateCause(late->times->excess);
  SetGain(input, share, verdict);
  verdict.headline = Phrase("communication: rank {} is late by its {} and the others wait, {}{}",
                            late->rank, LateText(input, verdict),
                            ShareText(share, interval, kOfTheStep), RanksSeenText(input));
  return verdict;
}

Verdict SuspectVerdict(const VerdictInput& input, const Candidate& candidate) {
  Verdict verdict;
  verdict.status = VerdictStatus::kFound;
  verdict.suspect = SuspectName(candidate.suspect);
  SetSubStage(input, LargestStage(input.times.total(), candidate.suspect), verdict);
  verdict.share = candidate.share;
  verdict.share_low = candidate.interval.low;
  verdict.share_high = candidate.interval.high;
  // What nothing explains may be needed: nobody can say what the step would be without it, unless
  // nearly all of it is in one place.
  const bool in_one_place =
      verdict.function && verdict.function->share >= kNearlyAllOf * candidate.share;
  if (IsBlamed(candidate.suspect) || in_one_place) SetGain(input, candidate.share, verdict);
  verdict.headline = Phrase("{}, {}{}", SuspectText(input, candidate.suspect),
                            ShareText(candidate.share, candidate.interval, kOfTheStep),
                            RankSpreadText(input, candidate.suspect));
  if (IsHeldUp(input, verdict)) verdict.headline += ", slowed by other work on the cores";
  return verdict;
}

// A device of which no kernels are known, and which has too little to do: it had caught up at the
// end of most phases, or was busy in a part of the time alone. Its counter says busy as soon as any
// kernel runs.
bool DeviceWaitsForHost(const VerdictInput& input) {
  if ((input.profiled && SawDeviceWork(input)) || !MayUseDevice(input.facts)) return false;
  return MostlyCaughtUp(input.device_phases) ||
         input.load.Mean(store::Metric::kGpuUtilization).value_or(1) < kKeptBusy;
}

Verdict ModelVerdict(const VerdictInput& input, const Candidate& next) {
  const Interval interval = Around(ModelShare(input), input.times.Share(SuspectId::kModel));
  Verdict verdict;
  verdict.status = VerdictStatus::kFound;
  verdict.suspect = SuspectName(SuspectId::kModel);
  SetSubStage(input, LargestStage(input.times.total(), SuspectId::kModel), verdict);
  verdict.share = ModelShare(input);
  verdict.share_low = interval.low;
  verdict.share_high = interval.high;
  const Sentence share =
      ShareText(verdict.share, interval) + RankSpreadText(input, SuspectId::kModel);
  // What slows it is in the way, whatever else is not.
  Sentence slowed;
  if (input.load.throttled()) {
    slowed = ", slowed by a CPU quota";
  } else if (input.load.crowded_by_others()) {
    slowed = ", slowed by other work on its cores";
  } else if (const auto own = FindOwnThreads(input)) {
    slowed = Phrase(", slowed by its own threads, {}", OwnThreadsText(*own));
  }
  if (input.facts.detects_anomalies) {
    slowed += slowed.empty() ? ", slowed by autograd's anomaly detection"
                             : " and by autograd's anomaly detection";
  }
  if (const StageFunction* beside = ThreadBeside(input)) {
    slowed += Phrase("{} its interpreter with {}", slowed.empty() ? ", sharing" : ", and sharing",
                     FunctionText(*beside));
  }
  const bool unsplit =
      input.dispatch == nullptr && input.facts.windows_too_short && !MayUseDevice(input.facts);
  const std::optional<RankSuspect> of_rank = LargestOfARank(input);
  const char* fill = unsplit ? "the model and framework overhead fill" : "the model fills";
  if (MayWaitInForward(input)) {
    verdict.headline = Phrase(
        "the model fills the step, {}{}, if its forward computes: too little of it was seen to "
        "tell computing from waiting",
        share, slowed);
  } else if (next.share >= kInTheWay) {
    verdict.headline = Phrase("{} most of the step, {}{}; next: {}, {}", fill, share, slowed,
                              SuspectText(input, next.suspect), figure::Share(next.share));
  } else if (of_rank && of_rank->share >= kSuspectThreshold) {
    // Little of all ranks' time together is much of one rank's.
    verdict.headline =
        Phrase("{} most of the step, {}{}; next: {}, {} of rank {}'s", fill, share, slowed,
               SuspectText(input, of_rank->suspect), figure::Share(of_rank->share), of_rank->rank);
  } else if (const double beside = BesideTheModel(input); beside >= kInTheWay) {
    verdict.headline =
        Phrase("{} most of the step, {}{}; next: other work and unattributed time, {} together",
               fill, share, slowed, figure::Share(beside));
  } else if (unsplit) {
    verdict.headline =
        Phrase("{} the step, {}{}: the window that tells them apart was full too soon", fill, share,
               slowed);
  } else if (slowed.empty() && DeviceWaitsForHost(input)) {
    verdict.headline =
        Phrase("the model fills the step, {}, and the device waits for the host in it", share);
  } else {
    verdict.healthy = slowed.empty();
    verdict.headline = Phrase("the model fills the step, {}{}", share,
                              slowed.empty() ? "; nothing around it is in the way" : slowed);
  }
  return verdict;
}

Verdict NoSingleSuspect(const VerdictInput& input, const std::vector<Candidate>& ranked) {
  Verdict verdict;
  verdict.status = VerdictStatus::kNoSingleSuspect;
  verdict.headline = Phrase("no single suspect: {}", CandidateText(input, ranked[0]));
  if (ranked[1].share >= kWorthAWord)
    verdict.headline += Phrase(", {}", CandidateText(input, ranked[1]));
  if (const double model = ModelShare(input); model >= ranked[0].share) {
    verdict.headline += Phrase("; the model has {}", figure::Share(model));
  }
  if (const Sentence ranks = RankSpreadText(input, ranked[0].suspect); !ranks.empty()) {
    verdict.headline += Phrase("; the first{}", ranks);
  }
  return verdict;
}

double ThresholdOf(SuspectId suspect) {
  return suspect == SuspectId::kDataPipeline ? kDataPipelineThreshold : kSuspectThreshold;
}

bool ClearlyAhead(const VerdictInput& input, const Candidate& first, const Candidate& second) {
  return first.share >= kClearLead * second.share &&
         input.times.Lead(first.suspect, second.suspect).low > 0;
}

// A few events of known length: evaluations, checkpoints, compilations, the start of workers. How
// many there will be is chance to who draws steps anew, what they took of this run is not.
bool IsOfEvents(const VerdictInput& input, const Candidate& first, const Candidate& second) {
  const StageTimes& times = input.times.total();
  int64_t events_ns = 0;
  for (SubStage stage : {SubStage::kWorkerStart, SubStage::kEvaluation, SubStage::kCheckpoint,
                         SubStage::kRecompilation}) {
    if (SuspectOf(stage) == first.suspect) events_ns += At(times, stage);
  }
  return static_cast<double>(events_ns) >=
             kOfEvents * static_cast<double>(At(BySuspect(times), first.suspect)) &&
         first.share >= kClearLead * ThresholdOf(first.suspect) &&
         first.share >= kClearLead * second.share;
}

Verdict Decide(const VerdictInput& input) {
  if (auto straggler = StragglerVerdict(input)) return *std::move(straggler);
  const auto ranked = RankSuspects(input);
  const bool over = ranked[0].interval.low >= ThresholdOf(ranked[0].suspect);
  if (over && ClearlyAhead(input, ranked[0], ranked[1])) return SuspectVerdict(input, ranked[0]);
  if (!over && IsOfEvents(input, ranked[0], ranked[1])) return SuspectVerdict(input, ranked[0]);
  if (!over && ModelShare(input) >= kModelFills) return ModelVerdict(input, ranked[0]);
  return NoSingleSuspect(input, ranked);
}

}  // namespace

bool MayWaitInForward(const VerdictInput& input) {
  const int64_t whole_ns = std::max<int64_t>(input.times.total_ns(), 1);
  return input.forward_unseen && static_cast<double>(At(input.times.total(), SubStage::kForward)) >=
                                     kInTheWay * static_cast<double>(whole_ns);
}

bool StacksWereNotTaken(const VerdictInput& input) {
  return input.report.samples == nullptr && !input.facts.no_stacks.empty();
}

Verdict DecideVerdict(const VerdictInput& input) {
  if (input.selection.count == 0) return NoStepsVerdict(input);
  // A profile is a few steps by its nature, and so is what was chosen of a run: what was asked for
  // is where those went. They have a verdict, without an interval, that says on how few it rests.
  const bool few = input.selection.steps < kMinSteadySteps;
  const bool chosen = input.profiled || input.report.options.of_stretch;
  if (few && (!chosen || input.selection.steps == 0)) return TooFewStepsVerdict(input);
  Verdict verdict = Decide(input);
  if (!input.report.steps_marked) {
    verdict.headline += "; the profile marks no steps, and is taken as one";
  } else if (few) {
    verdict.headline +=
        Phrase("; seen in {} step{}", input.selection.steps, input.selection.steps == 1 ? "" : "s");
  }
  verdict.evidence = CollectEvidence(input, verdict);
  for (model::Finding& one : DeviceCaveats(input)) verdict.evidence.push_back(std::move(one));
  verdict.advice = CollectAdvice(input, verdict);
  return verdict;
}

}  // namespace steptrace::analyze
