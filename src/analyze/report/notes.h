// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyze/attribution/window_cost.h"
#include "analyze/input/job_facts.h"
#include "analyze/input/report_input.h"
#include "analyze/memory/host_memory.h"
#include "analyze/report/report.h"

namespace steptrace::analyze {

// What was found on the way to the verdict.
struct NotesInput {
  const JobFacts& facts;
  bool by_devices = false;  // the verdict is of device activity
  int64_t left_out = 0;     // steps, for a damaged file held slices of them
  std::optional<WindowCost> window_cost;
  const StepAxes& axes;  // of the ranks whose processes were measured
};

// What a reader of the report is to know beside its figures; of the report all else is there.
std::vector<model::Finding> MakeNotes(const ReportInput& input, const Report& report,
                                      const NotesInput& found);

}  // namespace steptrace::analyze
