// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analyze/input/job_facts.h"
#include "analyze/input/report_input.h"
#include "analyze/report/report_lines.h"

namespace steptrace::analyze {

struct StepSelection;

// What the agent counted, one line a cause, and what only the report can see: rows that make no
// sense, ranks without steps, hooks that did not go in.
std::vector<LossLine> MakeLosses(const ReportInput& input, const StepSelection& selection,
                                 const JobFacts& facts);

}  // namespace steptrace::analyze
