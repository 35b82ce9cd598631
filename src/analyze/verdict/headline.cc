// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/headline.h"

#include <optional>

#include "analyze/code/function_text.h"
#include "analyze/verdict/own_threads.h"
#include "analyze/verdict/questions.h"
#include "present/words/quantity.h"

namespace steptrace::analyze {

namespace part = model::finding::part;

namespace {

using present::FormatShareNumber;

constexpr double kAlone = 0.99;  // of a suspect: the rest of its stages needs no word

template <typename Part>
Part ShareIn(double share, const Interval& interval) {
  Part said{.share = share};
  if (FormatShareNumber(interval.low) == FormatShareNumber(interval.high)) return said;
  said.low = interval.low;
  said.high = interval.high;
  return said;
}

void SetFunction(const StageFunction& function, part::Suspect& said) {
  said.function = CalledText(function);
  said.place = PlaceText(function);
}

bool IsNearlyAll(const StageFunction& function, int64_t of_ns) {
  return static_cast<double>(function.ns) >= kNearlyAllOf * static_cast<double>(of_ns);
}

// The function in which the stage spends its time; of time without a phase only where most of it is
// there. Where the suspect is more than that function, with a share of its own.
void SetWhere(const VerdictInput& input, SubStage stage, bool alone, part::Suspect& said) {
  const StageFunction* function = LargestFunction(input, stage);
  if (function == nullptr) return;
  const int64_t whole_ns = At(input.times.total(), stage);
  const bool code = InfoOf(stage).in_headline;
  if (!code && (stage != SubStage::kUnknown || 2 * function->ns < whole_ns)) return;
  SetFunction(*function, said);
  if (!alone || !IsNearlyAll(*function, whole_ns)) {
    said.share = function->share;
  } else {
    said.comma = !code;
  }
}

// Whether most of the time outside any phase is waiting in one function: that says what it is.
bool SetWait(const VerdictInput& input, SubStage stage, bool alone, part::Suspect& said) {
  const StageFunction* function = LargestFunction(input, stage);
  if (stage != SubStage::kUnknown || function == nullptr || RunsBetween(input, *function)) {
    return false;
  }
  const int64_t whole_ns = At(input.times.total(), stage);
  if (2 * function->ns < whole_ns) return false;
  said.waits = true;
  SetFunction(*function, said);
  if (!alone || !IsNearlyAll(*function, whole_ns)) said.share = function->share;
  return true;
}

}  // namespace

part::Share SharePart(double share, const Interval& interval) {
  return ShareIn<part::Share>(share, interval);
}

part::ShareOfStep ShareOfStepPart(double share, const Interval& interval) {
  return ShareIn<part::ShareOfStep>(share, interval);
}

part::Suspect SuspectPart(const VerdictInput& input, SuspectId suspect) {
  part::Suspect said{
      .mostly = false, .waits = false, .comma = false, .name = SuspectTitle(suspect)};
  if (!IsNamedByStage(suspect)) return said;
  const StageTimes& times = input.times.total();
  const SubStage stage = LargestStage(times, suspect);
  const bool alone = static_cast<double>(At(times, stage)) >=
                     kAlone * static_cast<double>(At(BySuspect(times), suspect));
  said.name = TitleOf(StageName(stage));
  if (SetWait(input, stage, alone, said)) return said;
  said.mostly = !alone;
  SetWhere(input, stage, alone, said);
  return said;
}

part::Slowed SlowedPart(const VerdictInput& input) {
  part::Slowed slowed{.quota = input.load.throttled(),
                      .others = !input.load.throttled() && input.load.crowded_by_others(),
                      .anomalies = input.facts.detects_anomalies};
  if (!slowed.quota.value && !slowed.others.value) {
    if (const auto own = FindOwnThreads(input)) {
      slowed.threads = own->threads;
      if (own->ranks != 1) slowed.ranks = own->ranks;
      slowed.cores = own->cores;
    }
  }
  if (const StageFunction* beside = ConcurrentThread(input)) slowed.beside = FunctionText(*beside);
  return slowed;
}

bool IsSlowed(const part::Slowed& slowed) {
  return slowed.quota.value || slowed.others.value || slowed.threads || slowed.anomalies.value ||
         !slowed.beside.empty();
}

bool HasFewSteps(const VerdictInput& input) {
  return input.selection.steps < kMinSteadySteps;
}

part::Seen SeenPart(const VerdictInput& input) {
  part::Seen seen{.unmarked = !input.report.steps_marked};
  if (HasFewSteps(input) && !seen.unmarked.value) seen.steps = input.selection.steps;
  return seen;
}

}  // namespace steptrace::analyze
