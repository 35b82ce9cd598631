// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analyze/attribution/trace_step_times.h"
#include "analyze/trace/trace.h"
#include "store/tables.h"

// The causes of steps whose device activity is known: what the device does comes first, and only
// where it is idle what the host does then.
namespace steptrace::analyze {

// One for each of FindDeviceSteps. In a profile without any device work the operators are the
// model.
std::vector<TraceStepTimes> AttributeTraceSteps(const RankTrace& trace,
                                                const store::StringTable& strings);

// The same of the profile's own steps as they stand (RankTrace::steps; in order and disjoint),
// which are the training thread's: what the device still does when a step has ended is of the next
// one.
std::vector<TraceStepTimes> AttributeHostSteps(const RankTrace& trace,
                                               const store::StringTable& strings);

// The same as rows of `steps`, for a run made of profiles. Their phases are those of the training
// thread.
std::vector<store::StepRow> DeriveTraceSteps(const RankTrace& trace, store::StringTable& strings);

// Those of all ranks.
ProfiledSteps AttributeProfile(const Trace& trace);

}  // namespace steptrace::analyze
