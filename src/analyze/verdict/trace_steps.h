// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analyze/device/device_steps.h"
#include "analyze/trace/trace.h"
#include "analyze/verdict/stages.h"
#include "store/tables.h"

// The causes of steps whose device activity is known: what the device does comes first, and only
// where it is idle what the host does then.
namespace steptrace::analyze {

// Python between two operators takes so long at most: a longer stretch without an operator is the
// script's own work, and has no name.
inline constexpr int64_t kBetweenOperatorsNs = 1'000'000;

struct TraceStepTimes {
  DeviceStep step;
  StageTimes stages{};  // sum to step.dur_ns exactly
  // Of these, while other threads of the rank were in collectives and its own did nothing by name.
  int64_t awaiting_ns = 0;
  // What Python functions of the profile move between them (PythonWork); sums to 0.
  StageTimes by_functions{};
  StageTimes of_dataset{};  // of that, what they move of the dataset's time
};

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

// Stages of the steps of all ranks, by rank and begin: a file of several processes has more than
// one of a number.
using ProfiledSteps = std::map<std::pair<int32_t, int64_t>, StageTimes>;
ProfiledSteps AttributeProfile(const Trace& trace);

}  // namespace steptrace::analyze
