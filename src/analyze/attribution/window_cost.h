// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "analyze/attribution/step_times.h"
#include "analyze/attribution/trace_step_times.h"
#include "store/packed_rows.h"

// What a window of kernels adds to the steps in it: CUPTI makes launches longer (on an H200 by 3 us
// of 4 and more), so that a training that waits for its host looks as if it waited twice as much,
// while kernels take as long as ever.
namespace steptrace::analyze {

struct WindowCost {
  int64_t steps_ns = 0;   // the median step whose device activity is known
  int64_t before_ns = 0;  // … and of those before the first of these
};

// Takes that off: by which part a rank's steps in windows are longer than its steady ones before is
// taken from what they launch, go from operator to operator and synchronise, and the rest is
// stretched in proportion to what the step took, so that its stages still sum to it exactly. Of a
// rank with fewer than three steps before its windows nothing is known, and nothing is taken. The
// cost of the rank where it is the largest part of a step; nothing: none was taken.
std::optional<WindowCost> TakeOffWindowCost(const store::PackedSteps& steps,
                                            const StepSelection& selection,
                                            ProfiledSteps& profiled);

}  // namespace steptrace::analyze
