// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analyze/input/report_input.h"
#include "base/time.h"
#include "store/tables.h"

namespace steptrace::analyze {

// Fewer steady steps say nothing of the next thousand.
inline constexpr int64_t kMinSteadySteps = 10;
// Fewer steps in windows may be unlike the others by chance, but where they are so long together:
// then each has so many operators that chance evens out within it.
inline constexpr int64_t kMinSplitSteps = 3;
inline constexpr int64_t kMinSplitNs = 100 * kNsPerMs;

// The steps that a verdict looks at: numbers of rows, in order of (step, rank).
struct StepSelection {
  std::vector<uint32_t> steady;
  int64_t count = 0;     // steps that train, warm-up included: of the rank with most steady ones
  int64_t steps = 0;     // steady ones that are looked at: of the same rank
  int64_t warm_up = 0;   // of the same rank
  int64_t eval = 0;      // of the rank with most
  int64_t rejected = 0;  // rows that no run can hold
  int64_t from_ns = 0;   // stretch of the steady steps
  int64_t to_ns = 0;
};

// Whether a run can hold such a step: a damaged row must not drown all others.
bool IsPlausible(const store::StepRow& row);

StepSelection SelectSteps(const ReportInput& input);

// Whether such a step trains, steady or as warm-up.
bool IsOfTraining(const ReportInput& input, const store::StepRow& row);

}  // namespace steptrace::analyze
