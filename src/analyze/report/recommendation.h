// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/rules/rule_result.h"
#include "model/finding.h"

namespace steptrace::analyze {

// What a profile suggests to change, whoever the verdict names.
struct Recommendation {
  std::string name;
  std::string source;  // whose rule it is: torch-tb-profiler or steptrace
  RuleStatus status = RuleStatus::kNotApplicable;
  std::optional<double> value;
  double threshold = 0;
  std::optional<double> at_most_share;   // of the steps, were the issue gone
  std::optional<int64_t> at_most_ns;     // of all steps of the profile
  std::optional<model::Finding> text;    // unless it does not apply
  std::vector<model::Finding> evidence;  // likewise
  std::optional<model::Finding> advice;  // of an issue
};

}  // namespace steptrace::analyze
