// SPDX-License-Identifier: Apache-2.0
#include "agent/capture/capture_findings.h"

#include <optional>
#include <string>
#include <utility>

#include "agent/capture/window_parts.h"
#include "agent/capture/window_plan.h"
#include "model/finding_kinds.h"
#include "wire/ring_layout.h"

namespace steptrace::agent {
namespace {

using Source = CaptureOutcome::Source;
using store::LossCause;
using wire::WindowEnd;

// Nothing of what the user asked for by name; one that a run takes on top of its first is no loss.
bool CapturedNothingRequested(const CaptureOutcome& outcome) {
  if (outcome.to_ns > 0) return false;
  if (outcome.source == Source::kPlan) return true;
  return outcome.source == Source::kAutomatic && outcome.only &&
         outcome.end == WindowEnd::kMissed &&
         (outcome.asked & static_cast<uint32_t>(wire::CaptureKind::kKernels)) != 0;
}

// As a user writes a window from the second step on; of the first, which cannot be had either, none
// can be written.
bool BeginsTooEarly(const CaptureOutcome& outcome) {
  return outcome.first_step == 1;
}

model::Finding NothingCaptured(const CaptureOutcome& outcome) {
  const bool automatic = outcome.source == Source::kAutomatic;
  const bool missed = outcome.end == WindowEnd::kMissed;
  return Make(model::finding::LossCaptureNothing{
      .unsteady = automatic,
      .interrupted = outcome.interrupted,
      .first_steps = missed && BeginsTooEarly(outcome) && outcome.asked_steps == 1,
      .missed = missed,
      .unavailable = outcome.end == WindowEnd::kUnavailable,
      .window = automatic ? std::string() : outcome.window});
}

// Who asked for what, as a user wrote it: "the window 60:1000", "the capture of 5 steps".
model::finding::part::Capture WhatWas(const CaptureOutcome& outcome) {
  if (outcome.source == Source::kAutomatic) return {};
  if (!outcome.window.empty()) return {.window = outcome.window};
  return {.asked = outcome.asked_steps};
}

enum class CutReason { kFirstSteps, kAside, kInterrupted, kReplaced, kFull, kEnded };

model::finding::LossCaptureCut::Item ItemOf(CutReason why) {
  return {.first_steps = why == CutReason::kFirstSteps,
          .aside = why == CutReason::kAside,
          .interrupted = why == CutReason::kInterrupted,
          .replaced = why == CutReason::kReplaced,
          .full = why == CutReason::kFull};
}

// Of one that has fewer whole steps than it asked for: why.
std::vector<CutReason> WhyCut(const CaptureOutcome& outcome) {
  std::vector<CutReason> why;
  const bool too_early = BeginsTooEarly(outcome) && outcome.steps < outcome.asked_steps;
  if (too_early) why.push_back(CutReason::kFirstSteps);
  const bool lacks_more = !too_early || outcome.asked_steps - outcome.steps > 1;
  if (outcome.aside) why.push_back(CutReason::kAside);
  if (outcome.interrupted) why.push_back(CutReason::kInterrupted);
  const bool replaced = outcome.end == WindowEnd::kReplaced && !outcome.interrupted;
  if (replaced) why.push_back(CutReason::kReplaced);
  if (outcome.end == WindowEnd::kFull) {
    why.push_back(CutReason::kFull);
  } else if (why.empty() || (too_early && lacks_more && !outcome.aside && !replaced) ||
             (outcome.interrupted && outcome.short_of_end)) {
    why.push_back(CutReason::kEnded);
  }
  return why;
}

model::Finding CutShort(const CaptureOutcome& outcome) {
  std::vector<model::finding::LossCaptureCut::Item> items;
  for (const CutReason why : WhyCut(outcome)) items.push_back(ItemOf(why));
  const bool holds_some = outcome.asked_steps > 0 && outcome.steps > 0;
  return Make(model::finding::LossCaptureCut{
      .timed = outcome.asked_steps == 0,
      .held = holds_some ? std::optional(outcome.steps) : std::nullopt,
      .wanted = holds_some ? std::optional(outcome.asked_steps) : std::nullopt,
      .capture = WhatWas(outcome),
      .items = std::move(items)});
}

// Fewer steps than were asked for.
std::optional<CaptureLack> LackOfSteps(const CaptureOutcome& outcome) {
  if (outcome.source == Source::kAutomatic) return std::nullopt;
  const int64_t missing = outcome.asked_steps - outcome.steps;
  const bool of_time = outcome.asked_steps == 0 && outcome.interrupted;
  if (missing <= 0 && !of_time) return std::nullopt;
  // A process that is gone has told no number. Of a time it is not known how many there were.
  const int64_t count = outcome.counted && missing > 0 ? missing : -1;
  return CaptureLack{LossCause::kWindowCut, count, CutShort(outcome)};
}

// Kinds that were not on, all of the time or some of it.
void AddLackOfKinds(const CaptureOutcome& outcome, std::vector<CaptureLack>& lacks) {
  uint32_t ever = 0;
  uint32_t absent = 0;  // in some time range
  for (const CapturedRange& on : outcome.captured_ranges) {
    ever |= KindsWithin(on.kinds);
    absent |= outcome.asked & ~KindsWithin(on.kinds);
  }
  // Of what a run captures by itself the user asks for kernels alone.
  if (outcome.source == Source::kAutomatic) {
    absent &= static_cast<uint32_t>(wire::CaptureKind::kKernels);
  }
  const auto tell = [&](uint32_t kinds, bool partly) {
    if (kinds == 0) return;
    lacks.push_back(
        {LossCause::kWindow, -1,
         Make(model::finding::LossCaptureWithout{
             .partly = partly, .kinds = KindsText(kinds), .capture = WhatWas(outcome)})});
  };
  tell(absent & ~ever, false);
  tell(absent & ever, true);
}

}  // namespace

std::vector<CaptureLack> LacksOf(const CaptureOutcome& outcome) {
  std::vector<CaptureLack> lacks;
  if (CapturedNothingRequested(outcome)) {
    lacks.push_back({LossCause::kWindow, -1, NothingCaptured(outcome)});
  }
  if (outcome.to_ns == 0 || outcome.unwanted) return lacks;
  if (auto lack = LackOfSteps(outcome)) lacks.push_back(*std::move(lack));
  AddLackOfKinds(outcome, lacks);
  return lacks;
}

}  // namespace steptrace::agent
