// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyze/attribution/dispatch_split.h"
#include "analyze/attribution/host_idle.h"
#include "analyze/attribution/load_summary.h"
#include "analyze/attribution/sample_functions.h"
#include "analyze/attribution/step_times.h"
#include "analyze/device/device_phase_sums.h"
#include "analyze/input/job_facts.h"
#include "analyze/input/report_input.h"
#include "analyze/input/step_selection.h"
#include "analyze/stages/stage_row.h"

namespace steptrace::analyze {

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
  // Of the steps: forward of which nothing tells whether it computed or waited; unattributed.
  double unseen_forward = 0;
  // Steps whose device activity is not looked at: a damaged file held slices of them.
  int64_t left_out = 0;
  std::string host_exchange{};  // FindHostExchange
};

}  // namespace steptrace::analyze
