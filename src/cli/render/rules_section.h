// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analyze/cost/cost.h"
#include "analyze/report/report_lines.h"
#include "analyze/rules/profiling_report.h"
#include "cli/render/page.h"

namespace steptrace::cli {

// The profiling report as text, its tables with at most `top` rows; a section without data says
// why.
void RenderRules(const analyze::ProfilingReport& report, int64_t top, Page& page);

// What the rules and the agent said while the run went on; nothing where they said nothing.
void RenderFindings(const std::vector<analyze::FindingLine>& findings, int64_t top, Page& page);

void RenderCost(const analyze::CostSection& cost, Page& page);

}  // namespace steptrace::cli
