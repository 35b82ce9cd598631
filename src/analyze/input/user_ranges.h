// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "analyze/input/report_input.h"
#include "analyze/input/step_selection.h"

namespace steptrace::analyze {

// Own time of a range that the script named, in the phase `other` of steps.
struct UserRange {
  std::string name;
  int64_t ns = 0;
};

// The range with most time in the steady steps; of equals the one whose name comes first. Empty:
// the script named none. Runs of earlier versions know of each step the longest alone: there the
// time is a lower bound.
UserRange LargestUserRange(const ReportInput& input, const StepSelection& selection);

}  // namespace steptrace::analyze
