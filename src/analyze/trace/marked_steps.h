// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analyze/trace/trace.h"

namespace steptrace::analyze {

struct MarkedSteps {
  std::vector<TraceStep> steps;
  int64_t nested = 0;  // marks that are no steps: they lie in a step, or around steps
};

// By begin: ProfilerStep#N of the profiler, and what scripts mark as steps (a step_annotation).
// What a loop does between two of these that follow each other is of the later one: it makes its
// batch.
MarkedSteps StepsOf(const std::vector<TraceEvent>& host, const store::StringTable& strings);

}  // namespace steptrace::analyze
