// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>

#include "analyze/attribution/step_times.h"
#include "analyze/input/report_input.h"

namespace steptrace::analyze {

// Time that the rule for phases calls forward, and in which the process cannot have computed: no
// thread of it ran or waited for a core. A sleep, the network or a lock between the batch and its
// backward shows in no hook; the process's CPU time gives it away. A lower bound: whatever else
// the process computed in that time range counts as if it had been the model.
struct HostIdle {
  std::map<int32_t, double> of_forward;  // by rank: the share of each forward that is idle
  double of_steps = 0;                   // of all steady steps
  // Ranks whose CPU time tells what their forward did: enough samples lie within the steps, or
  // those around them leave no room for computing.
  std::set<int32_t> seen;
};

// For jobs that compute on the CPU alone: with a device the host may rightly be idle. Ranks without
// a known process are left out. Of steps that are too short to hold samples those around them
// count, as if all that they show had been computed in the steps. Each rank is looked at in its
// own.
HostIdle FindHostIdle(const ReportInput& input, const StepSelection& selection);

}  // namespace steptrace::analyze
