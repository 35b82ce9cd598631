// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyze/attribution/python_work.h"
#include "analyze/attribution/trace_step_times.h"
#include "analyze/code/stage_table.h"
#include "analyze/trace/trace.h"
#include "store/string_table.h"
#include "store/tables.h"

namespace steptrace::analyze {

// What a profile tells of one rank's steps, found in one go: AttributeTraceSteps and
// DeriveTraceSteps look at the same time ranges.
struct TraceRankSteps {
  std::vector<TraceStepTimes> attributed;
  std::vector<store::StepRow> rows;  // of those that last; `kind` is empty: they are all of train
  FunctionTimes functions;           // what PythonWork names, of the last ones that were asked for
};

// Reads the texts alone, so that ranks can be worked on side by side. `table`: of the stages that
// Python functions tell; null: they are left out, as the rows leave them out in any case.
// `last_steps`: only of so many at the end; the steps before keep the stages that they had.
TraceRankSteps FindRankSteps(const RankTrace& trace, const store::StringTable& strings,
                             const StageTable* table = nullptr,
                             std::optional<int64_t> last_steps = {});

}  // namespace steptrace::analyze
