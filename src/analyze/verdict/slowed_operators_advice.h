// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "analyze/verdict/verdict_input.h"
#include "analyze/verdict/verdict_value.h"

// Calls of an operator that take many times as long as others for the same shapes. What the numbers
// are nobody recorded: denormal numbers are named as one cause, not as the cause.
namespace steptrace::analyze {

std::optional<model::Finding> SlowedOperatorsEvidence(const VerdictInput& input);
// That, and what single calls tell else: deterministic fill.
std::vector<model::Finding> CallsOfOperatorsEvidence(const VerdictInput& input);
std::optional<Advice> AdviseFlushDenormals(const VerdictInput& input);

}  // namespace steptrace::analyze
