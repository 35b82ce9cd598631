// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyze/input/report_input.h"
#include "analyze/report/report.h"

namespace steptrace::analyze {

// The one way to a report: live on what there is so far, and after the end on all. Pure: the same
// input gives the same report.
Report BuildReport(const ReportInput& input);

}  // namespace steptrace::analyze
