// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analyze/report/report.h"
#include "analyze/report/report_input.h"
#include "analyze/verdict/host_idle.h"
#include "analyze/verdict/job_facts.h"
#include "analyze/verdict/load_summary.h"
#include "analyze/verdict/sample_split.h"
#include "analyze/verdict/step_times.h"

namespace steptrace::analyze {

// A suspect is found when the lower end of its interval is over this: a fifth of the step. Below
// it, mending gains less than 1.25x.
inline constexpr double kSuspectThreshold = 0.20;
// The data pipeline's is higher: one that keeps up still spends up to a quarter of a short step on
// taking over ready batches.
inline constexpr double kDataPipelineThreshold = 0.25;
// ... and when it is this much ahead of the next one: nearer than that, mending either gains alike.
inline constexpr double kClearLead = 1.25;
// Who makes the batches mostly waits: more of them at once need no more cores.
inline constexpr double kMostlyWaits = 0.50;
// A rank that is late by less than this share of the step is within what schedulers do.
inline constexpr double kStragglerThreshold = 0.10;
// One rank is to blame when it is last in so many of the steps, or causes so much of the waiting.
inline constexpr double kConsistentlyLast = 0.80;
// The model fills the step when it has this much of it and nobody else is found.
inline constexpr double kModelFills = 0.70;
// ... and nothing is in the way when every other suspect has less than this.
inline constexpr double kInTheWay = 0.10;

// Everything that a verdict rests on. The references outlive the call.
struct VerdictInput {
  const ReportInput& report;
  const StepSelection& selection;
  const StepTimes& times;
  const LoadSummary& load;
  const JobFacts& facts;
  const HostIdle& idle;
  const std::vector<StageRow>& stages;  // of these steps, in the order of SubStage
  bool profiled = false;                // every ns of the steps is known from device activity
  int64_t training_ns = 0;  // wall time of the loop, for what could be saved over the run
  const DispatchSplit* dispatch = nullptr;  // what windows of operators showed; null: nothing
  SampledWaits waits{};                     // what samples tell of waiting for batches
  bool compiled = false;                    // torch.compile is on, as far as is known
  std::span<const DevicePhaseRow> device_phases{};  // of these steps, by events
  // Computing on the host itself, and nothing tells whether forward computed or waited.
  bool forward_unseen = false;
  // Steps whose device activity is not looked at: a damaged file held slices of them.
  int64_t left_out = 0;
};

// Whether forward has enough of the step, and is so little seen, that its waiting would pass for
// the model's work.
bool MayWaitInForward(const VerdictInput& input);

// Whether nothing of its stacks was to be had, for the reason that the facts tell: more steps of
// such a run would tell no more of forward.
bool StacksWereNotTaken(const VerdictInput& input);

Verdict DecideVerdict(const VerdictInput& input);

}  // namespace steptrace::analyze
