// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyze/attribution/trace_rank_steps.h"
#include "analyze/code/stage_table.h"
#include "analyze/input/report_input.h"
#include "analyze/report/profile_sections.h"
#include "analyze/report/report.h"

namespace steptrace::analyze {

// All that the report takes from a profile. A value.
struct ProfileAnalysis {
  Profile sections;
  std::vector<TraceRankSteps> ranks;  // in the order of Trace::ranks
};

// The sections side by side, on as many threads as there are cores; it returns when all are done.
// What is found does not depend on their number. `last_steps`: as ReportOptions has it.
ProfileAnalysis AnalyseProfile(const Trace& trace, const TensorCorePatterns& patterns = {},
                               const StageTable& stages = {},
                               std::optional<int64_t> last_steps = {});

// Of what a live run's windows captured: sections of operators, memory and modules.
void AnalyseOperators(const Trace& trace, Profile& profile);

// BuildReport for a caller who has the analysis of input.profile at hand.
Report BuildReport(const ReportInput& input, ProfileAnalysis analysis);

}  // namespace steptrace::analyze
