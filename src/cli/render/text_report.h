// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "analyze/report/comparison.h"
#include "analyze/report/report.h"
#include "analyze/report/report_json.h"
#include "cli/render/page.h"

namespace steptrace::cli {

// The report as text: where a step goes, how the machine was used, the verdict with its evidence
// and advice, what was lost. It shows what the value says and computes nothing of its own.
std::string RenderText(const analyze::Report& report, const RenderOptions& options);

// One section alone, its tables with at most `top` rows.
std::string RenderSection(const analyze::Report& report, const analyze::SectionName& section,
                          int64_t top, const RenderOptions& options);

// Two runs side by side: their verdicts, which step is shorter, and part by part what changed,
// with intervals. a, b: the reports of the runs that are compared.
std::string RenderComparison(const analyze::Comparison& comparison, const analyze::Report& a,
                             const analyze::Report& b, const RenderOptions& options);

}  // namespace steptrace::cli
