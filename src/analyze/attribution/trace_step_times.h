// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "analyze/device/device_steps.h"
#include "analyze/stages/stages.h"

namespace steptrace::analyze {

// Python between two operators takes so long at most: a longer time range without an operator is
// the script's own work, and has no name.
inline constexpr int64_t kBetweenOperatorsNs = 1'000'000;

// A step whose device activity is known.
struct TraceStepTimes {
  DeviceStep step;
  StageTimes stages{};  // sum to step.dur_ns exactly
  // Of these, while other threads of the rank were in collectives and its own did nothing by name.
  int64_t awaiting_ns = 0;
  // What Python functions of the profile move between them (PythonWork); sums to 0.
  StageTimes by_functions{};
  StageTimes of_dataset{};  // of that, what they move of the dataset's time
};

// Stages of the steps of all ranks, by rank and begin: a file of several processes has more than
// one of a number.
using ProfiledSteps = std::map<std::pair<int32_t, int64_t>, StageTimes>;

}  // namespace steptrace::analyze
