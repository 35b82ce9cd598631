// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "analyze/attribution/trace_step_times.h"
#include "analyze/input/report_input.h"

namespace steptrace::analyze {

// Takes out of a profile's steps those of which a damaged file may have held slices, and the ones
// beside them: what a step launches may run behind it. The number of these.
int64_t LeaveOutLost(const ReportInput& input, ProfiledSteps& profiled);

}  // namespace steptrace::analyze
