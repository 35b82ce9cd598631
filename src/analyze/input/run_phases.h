// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analyze/input/report_input.h"
#include "model/finding.h"

namespace steptrace::analyze {

// Before the first step that trains, from there to the end of the last, and after it.
struct PhasesSection {
  std::optional<int64_t> initialization_ns;
  std::optional<int64_t> training_ns;
  std::optional<int64_t> finalization_ns;
  std::optional<model::Finding> finalization_unknown;  // why: steps may have come then
};

// When it began, as ISO 8601 with milliseconds; empty for a date that is none.
std::string StartedUtc(const RunInfo& run);

PhasesSection MakePhases(const ReportInput& input);

}  // namespace steptrace::analyze
