// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/rules/rule_catalogue.h"
#include "model/finding.h"

namespace steptrace::analyze {

enum class RuleStatus : uint8_t { kOk, kIssuesFound, kNotApplicable, kError };

inline const char* NameOf(RuleStatus status) {
  constexpr const char* kNames[] = {"ok", "issues_found", "not_applicable", "error"};
  return kNames[static_cast<size_t>(status)];
}

struct RuleResult {
  RuleId rule{};
  RuleMode mode{};
  RuleStatus status = RuleStatus::kOk;
  // Why not applicable or an error; else what to know of the result.
  std::optional<model::Finding> reason;
  int64_t triggered = 0;   // compat: scans, as the reference counts; modern: windows
  int64_t violations = 0;  // compat alone
  int64_t datapoints = 0;
  std::vector<RuleParameter> parameters;
  std::vector<model::Finding> evidence;
  std::optional<model::Finding> advice;  // nothing to do: none
};

}  // namespace steptrace::analyze
