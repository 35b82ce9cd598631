// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "analyze/report/report.h"
#include "analyze/rules/rule_result.h"

namespace steptrace::analyze {

// The rules that found something and point at what the verdict names, in the order of the
// catalogue. A rule that asks for something else, or found nothing, is not among them.
std::vector<AgreeingRule> AgreeingRules(const Verdict& verdict,
                                        std::span<const RuleResult> results);

}  // namespace steptrace::analyze
