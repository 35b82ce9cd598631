// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "analyze/input/report_input.h"
#include "model/finding.h"

namespace steptrace::analyze {

std::set<int32_t> RanksWithSteps(const ReportInput& input);

// Ranks that told of themselves, beside those of the steps.
int64_t RanksWithoutSteps(const ReportInput& input, const std::set<int32_t>& with_steps);

// Whether files that held steps are damaged, or the disk did not take some.
bool LostWrittenSteps(const ReportInput& input);

// Why steps may have come after that moment that are not in the run; nothing: none of its losses
// says so. What follows the last step is finalization only then.
std::optional<model::Finding> WhyStepsMayFollow(const ReportInput& input, int64_t moment_ns);

}  // namespace steptrace::analyze
