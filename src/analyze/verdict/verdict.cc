// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/verdict.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "analyze/attribution/suspect_share.h"
#include "analyze/code/function_text.h"
#include "analyze/input/advice_of_framework.h"
#include "analyze/verdict/absent_ranks.h"
#include "analyze/verdict/advice.h"
#include "analyze/verdict/bound.h"
#include "analyze/verdict/device_caveats.h"
#include "analyze/verdict/evidence.h"
#include "analyze/verdict/headline.h"
#include "analyze/verdict/no_verdict.h"
#include "analyze/verdict/questions.h"
#include "analyze/verdict/rank_spread.h"
#include "analyze/verdict/thresholds.h"
#include "base/time.h"
#include "model/finding_kinds.h"
#include "store/metrics.h"

namespace steptrace::analyze {

namespace finding = model::finding;
namespace part = model::finding::part;

namespace {

constexpr double kKeptBusy = 0.6;     // of the time, a device
constexpr double kWorthAWord = 0.05;  // of the step, of a second suspect
constexpr double kOfEvents = 0.9;     // of a suspect: less, and something else is in the way too

// All but the model, the largest first: it is what a step is for.
std::vector<SuspectShare> RankSuspects(const VerdictInput& input) {
  std::vector<SuspectShare> result;
  for (const SuspectShare& one : SuspectShares(input.times)) {
    if (one.suspect != SuspectId::kModel) result.push_back(one);
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const SuspectShare& a, const SuspectShare& b) { return a.share > b.share; });
  return result;
}

double ModelShare(const VerdictInput& input) {
  return ExactShares(BySuspect(input.times.total()))[static_cast<size_t>(SuspectId::kModel)];
}

// What nobody else is to blame for: samples alone tell how much of it is which.
double ShareOutsideModel(const VerdictInput& input) {
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

// Or why there is none, as evidence.
void SetGain(const VerdictInput& input, Bound bound, Verdict& verdict) {
  if (bound.reason) verdict.evidence.push_back(*std::move(bound.reason));
  const double share = bound.share.value_or(0);
  if (share <= 0 || share >= 1) return;
  verdict.at_most_speedup = 1 / (1 - share);
  if (bound.more) verdict.evidence.push_back(*std::move(bound.more));
  verdict.at_most_saving_ns = std::llround(share * static_cast<double>(input.training_ns));
  if (const auto price = input.report.options.price_per_hour) {
    verdict.at_most_saving_money =
        static_cast<double>(*verdict.at_most_saving_ns) / static_cast<double>(kNsPerHour) * *price;
  }
}

void SetSubStage(const VerdictInput& input, SubStage stage, Verdict& verdict) {
  verdict.sub_stage = StageName(stage);
  if (const auto* function = LargestFunction(input, stage)) verdict.function = *function;
}

// What makes a rank late, with its function where samples know one.
void SetCause(const VerdictInput& input, const LateRank& late, finding::VerdictStraggler& said,
              Verdict& verdict) {
  const StragglerCause cause = LateCause(late.times->excess);
  verdict.straggler_cause = cause;
  const StageFunction* function = nullptr;
  if (cause == StragglerCause(SuspectId::kDataPipeline)) {
    const StageTimes& times = input.times.total();
    function = LargestFunction(input, LargestStage(times, SuspectId::kDataPipeline));
  } else if (cause == StragglerCause(SubStage::kUnknown)) {
    function = LargestFunction(input, SubStage::kUnknown);
    said.waits = function != nullptr;
  } else if (cause == StragglerCause(SubStage::kLoopCode)) {
    function = LargestFunction(input, SubStage::kLoopCode);
    said.code = function != nullptr;
  }
  said.name = TitleOf(cause);
  if (function == nullptr) return;
  verdict.function = *function;
  said.function = CalledText(*function);
  said.place = PlaceText(*function);
}

std::optional<Verdict> StragglerVerdict(const VerdictInput& input) {
  // Of the ranks that are absent one may be later: what the others gain is not known.
  if (AbsentRanks(input) > 0) return std::nullopt;
  const auto late = ConsistentlyLate(input.times);
  if (!late) return std::nullopt;
  const double gain = static_cast<double>(input.times.straggler_gain_ns()) /
                      static_cast<double>(std::max<int64_t>(input.times.total_ns(), 1));
  if (input.times.StragglerGainShare().low < late->least_gain ||
      gain < LargestElsewhere(input, late->rank)) {
    return std::nullopt;
  }
  // The share is its stage's, as everywhere; what the step would be shorter is the gain alone.
  const double share = ExactShares(input.times.total())[static_cast<size_t>(SubStage::kStraggler)];
  const Interval interval = Around(share, input.times.Share(SubStage::kStraggler));
  Verdict verdict;
  verdict.status = VerdictStatus::kFound;
  verdict.suspect = SuspectName(SuspectId::kCommunication);
  verdict.sub_stage = StageName(SubStage::kStraggler);
  verdict.share = share;
  verdict.share_low = interval.low;
  verdict.share_high = interval.high;
  verdict.straggler_rank = late->rank;
  SetGain(input, BoundOfStraggler(input, gain), verdict);
  finding::VerdictStraggler said{.rank = late->rank,
                                 .waits = false,
                                 .code = false,
                                 .name = "",
                                 .share = ShareOfStepPart(share, interval),
                                 .ranks = RanksSeenPart(input),
                                 .seen = SeenPart(input)};
  SetCause(input, *late, said, verdict);
  verdict.headline = Make(std::move(said));
  return verdict;
}

// Of a job of which ranks are absent: no bound, for what the exchange itself takes is not known.
model::Finding ExchangeOrWaiting(const VerdictInput& input, const SuspectShare& candidate) {
  return Make(finding::VerdictExchangeOrWaiting{
      .missing = AbsentRanks(input),
      .imported = input.profiled,
      .share = ShareOfStepPart(candidate.share, candidate.interval),
      .ranks = RankSpreadPart(input, candidate.suspect),
      .seen = SeenPart(input)});
}

Verdict SuspectVerdict(const VerdictInput& input, const SuspectShare& candidate) {
  Verdict verdict;
  verdict.status = VerdictStatus::kFound;
  verdict.suspect = SuspectName(candidate.suspect);
  SetSubStage(input, LargestStage(input.times.total(), candidate.suspect), verdict);
  verdict.share = candidate.share;
  verdict.share_low = candidate.interval.low;
  verdict.share_high = candidate.interval.high;
  if (candidate.suspect == SuspectId::kCommunication && AbsentRanks(input) > 0) {
    verdict.headline = ExchangeOrWaiting(input, candidate);
    return verdict;
  }
  // What nothing explains may be needed: nobody can say what the step would be without it, unless
  // nearly all of it is in one place.
  const bool in_one_place =
      verdict.function && verdict.function->share >= kNearlyAllOf * candidate.share;
  if (IsBlamed(candidate.suspect) || in_one_place) {
    SetGain(input, BoundWithout(input, candidate.suspect), verdict);
  }
  if (candidate.suspect == SuspectId::kDataPipeline && TrainingLacksCore(input)) {
    const StepCounts& counts = input.times.counts();
    verdict.headline = Make(finding::VerdictTrainingWithoutCore{
        .ready = counts.waits - counts.starved_waits,
        .waits = counts.waits,
        .share = ShareOfStepPart(candidate.share, candidate.interval)});
    return verdict;
  }
  verdict.headline =
      Make(finding::VerdictSuspect{.by_others = IsDelayedByContention(input, verdict),
                                   .who = SuspectPart(input, candidate.suspect),
                                   .share = ShareOfStepPart(candidate.share, candidate.interval),
                                   .ranks = RankSpreadPart(input, candidate.suspect),
                                   .seen = SeenPart(input)});
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

// Whether what would tell computing from overhead was asked for and is lost: a window that was full
// before it held a step, or of which a damaged file left none. That nothing is in the way rests on
// nothing then.
bool LacksItsWindows(const VerdictInput& input) {
  if (input.dispatch != nullptr) return false;
  if (input.left_out > 0 && !input.profiled) return true;
  return input.facts.windows_too_short && !MayUseDevice(input.facts);
}

// What is next to the model, or that nothing is.
model::Finding ModelHeadline(const VerdictInput& input, const SuspectShare& next,
                             const part::ShareOfStep& share) {
  const part::Ranks ranks = RankSpreadPart(input, SuspectId::kModel);
  const part::Slowed slowed = SlowedPart(input);
  const part::Seen seen = SeenPart(input);
  const bool unsplit = LacksItsWindows(input);
  const auto and_next = [&](SuspectId suspect, double of_step, std::optional<int64_t> rank) {
    return Make(finding::VerdictModelAndNext{.unsplit = unsplit,
                                             .of_step = of_step,
                                             .rank = rank,
                                             .share = share,
                                             .ranks = ranks,
                                             .slowed = slowed,
                                             .seen = seen,
                                             .next = SuspectPart(input, suspect)});
  };
  if (const Unrecognised& others = input.report.unrecognised; HidesMuch(others)) {
    return Make(finding::VerdictModelUnrecognised{
        .unrecognised = others.share(),
        .share = part::Share{.share = share.share, .low = share.low, .high = share.high},
        .ranks = ranks,
        .seen = seen});
  }
  if (MayWaitInForward(input)) {
    return Make(finding::VerdictModelIfItComputes{
        .share = share, .ranks = ranks, .slowed = slowed, .seen = seen});
  }
  if (next.share >= kInTheWay) return and_next(next.suspect, next.share, std::nullopt);
  // Little of all ranks' time together is much of one rank's.
  const std::optional<RankSuspect> of_rank = LargestOfARank(input);
  if (of_rank && of_rank->share >= kSuspectThreshold) {
    return and_next(of_rank->suspect, of_rank->share, of_rank->rank);
  }
  if (const double beside = ShareOutsideModel(input); beside >= kInTheWay) {
    return Make(finding::VerdictModelAndRest{.unsplit = unsplit,
                                             .rest = beside,
                                             .share = share,
                                             .ranks = ranks,
                                             .slowed = slowed,
                                             .seen = seen});
  }
  if (unsplit && !DeviceWaitsForHost(input)) {
    return Make(finding::VerdictModelWithOverhead{
        .share = share, .ranks = ranks, .slowed = slowed, .seen = seen});
  }
  if (IsSlowed(slowed)) {
    return Make(finding::VerdictModelSlowed{
        .share = share, .ranks = ranks, .slowed = slowed, .seen = seen});
  }
  if (DeviceWaitsForHost(input)) {
    return Make(finding::VerdictModelWaitsForHost{.share = share, .ranks = ranks, .seen = seen});
  }
  return Make(finding::VerdictModelHealthy{.share = share, .ranks = ranks, .seen = seen});
}

Verdict ModelVerdict(const VerdictInput& input, const SuspectShare& next) {
  const Interval interval = Around(ModelShare(input), input.times.Share(SuspectId::kModel));
  Verdict verdict;
  verdict.status = VerdictStatus::kFound;
  verdict.suspect = SuspectName(SuspectId::kModel);
  SetSubStage(input, LargestStage(input.times.total(), SuspectId::kModel), verdict);
  verdict.share = ModelShare(input);
  verdict.share_low = interval.low;
  verdict.share_high = interval.high;
  verdict.headline = ModelHeadline(input, next, ShareOfStepPart(verdict.share, interval));
  verdict.healthy = verdict.headline->kind == model::FindingKind::kVerdictModelHealthy;
  return verdict;
}

Verdict NoSingleSuspect(const VerdictInput& input, const std::vector<SuspectShare>& ranked) {
  const SuspectShare &first = ranked[0], &second = ranked[1];
  finding::VerdictNoSingleSuspect said{.first = SuspectPart(input, first.suspect),
                                       .first_part = SharePart(first.share, first.interval),
                                       .ranks = RankSpreadPart(input, first.suspect),
                                       .seen = SeenPart(input)};
  if (second.share >= kWorthAWord) {
    said.second = SuspectPart(input, second.suspect);
    said.second_part = SharePart(second.share, second.interval);
  }
  if (const double model = ModelShare(input); model >= first.share) said.model = model;
  Verdict verdict;
  verdict.status = VerdictStatus::kNoSingleSuspect;
  verdict.headline = Make(std::move(said));
  return verdict;
}

double ThresholdOf(SuspectId suspect) {
  return suspect == SuspectId::kDataPipeline ? kDataPipelineThreshold : kSuspectThreshold;
}

bool ClearlyAhead(const VerdictInput& input, const SuspectShare& first,
                  const SuspectShare& second) {
  return first.share >= kClearLead * second.share &&
         input.times.Lead(first.suspect, second.suspect).low > 0;
}

// A few events of known length: evaluations, checkpoints, compilations, the start of workers. How
// many there will be is chance to who draws steps anew, what they took of this run is not.
bool IsOfEvents(const VerdictInput& input, const SuspectShare& first, const SuspectShare& second) {
  const StageTimes& times = input.times.total();
  int64_t events_ns = 0;
  for (const SubStage stage : kSubStages) {
    const StageInfo& info = InfoOf(stage);
    if (info.is_event && info.suspect == first.suspect) events_ns += At(times, stage);
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

// Of the headline; which rank is late its kind declares.
void SetSubject(Verdict& verdict) {
  if (!verdict.headline) return;
  model::Subject& about = verdict.headline->subject;
  about.suspect = verdict.suspect;
  about.stage = verdict.sub_stage;
  if (!verdict.function) return;
  about.function = CalledText(*verdict.function);
  about.file = verdict.function->file;
  about.line = verdict.function->line;
}

}  // namespace

Verdict DecideVerdict(const VerdictInput& input) {
  if (input.selection.count == 0) return NoStepsVerdict(input);
  // A profile is a few steps by its nature, and so is what was chosen of a run: what was asked for
  // is where those went. They have a verdict, without an interval, that says on how few it rests.
  const bool chosen = input.profiled || input.report.options.of_time_range;
  if (HasFewSteps(input) && (!chosen || input.selection.steps == 0))
    return TooFewStepsVerdict(input);
  Verdict verdict = Decide(input);
  std::vector<model::Finding> no_bound = std::exchange(verdict.evidence, {});
  verdict.evidence = CollectEvidence(input, verdict);
  std::ranges::move(no_bound, std::back_inserter(verdict.evidence));
  if (const Unrecognised& others = input.report.unrecognised; HidesMuch(others)) {
    verdict.evidence.push_back(Make(finding::StepUnrecognised{.share = others.share()}));
  }
  for (model::Finding& one : DeviceCaveats(input)) verdict.evidence.push_back(std::move(one));
  verdict.advice = CollectAdvice(input, verdict);
  std::erase_if(verdict.advice,
                [&](const Advice& one) { return IsForeign(one.what, input.facts); });
  SetSubject(verdict);
  return verdict;
}

}  // namespace steptrace::analyze
