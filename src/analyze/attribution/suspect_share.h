// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "analyze/attribution/step_times.h"
#include "analyze/stages/stages.h"
#include "analyze/stats/bootstrap.h"

namespace steptrace::analyze {

// A suspect's part of the steps: what the verdict weighs, and the report tells.
struct SuspectShare {
  SuspectId suspect = SuspectId::kUnattributed;
  double share = 0;
  Interval interval;  // 95 %; it holds the share
};

// In the order of kSuspects; the shares sum to 1. Of no steps all are 0.
std::array<SuspectShare, kSuspectCount> SuspectShares(const StepTimes& times);

// Shares are rounded so that they sum to 1; their interval is not: it holds them all the same.
Interval Around(double share, const Interval& interval);

}  // namespace steptrace::analyze
