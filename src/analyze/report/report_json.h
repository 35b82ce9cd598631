// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analyze/report/report.h"

namespace steptrace::analyze {

inline constexpr const char* kReportSchema = "steptrace.report/1";

// The report as JSON (docs/reference/report.md), indented by two, ended by a line break. Times are
// whole nanoseconds. Bytes that are no UTF-8 become U+FFFD.
std::string ReportToJson(const Report& report);

}  // namespace steptrace::analyze
