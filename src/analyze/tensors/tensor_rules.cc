// SPDX-License-Identifier: Apache-2.0
#include "analyze/tensors/tensor_rules.h"

#include <algorithm>

#include "model/finding_kinds.h"

namespace steptrace::analyze {
namespace {

using model::FindingKind;

// What a rule judges, and of how many looks at least: as its observer has it.
struct Needs {
  FindingKind kind;
  const char* role;
  int64_t least_looks;
};
constexpr Needs kNeeds[] = {
    {FindingKind::kLiveTensorNonfinite, "", 1},
    {FindingKind::kLiveGradientVanishing, "gradient", 3},
    {FindingKind::kLiveGradientExploding, "gradient", 10},
    {FindingKind::kLiveLossNotFalling, "loss", 9 * 64},
};

TensorRuleStatus StatusOf(const TensorRule& rule) {
  if (rule.findings > 0) return TensorRuleStatus::kFound;
  if (rule.looks == 0) return TensorRuleStatus::kNotApplicable;
  return rule.looks < rule.least_looks ? TensorRuleStatus::kCannotTell
                                       : TensorRuleStatus::kNotFound;
}

}  // namespace

std::string_view NameOf(TensorRuleStatus status) {
  switch (status) {
    case TensorRuleStatus::kFound:
      return "found";
    case TensorRuleStatus::kNotFound:
      return "not_found";
    case TensorRuleStatus::kCannotTell:
      return "cannot_tell";
    case TensorRuleStatus::kNotApplicable:
      break;
  }
  return "not_applicable";
}

std::vector<TensorRule> JudgeTensorRules(const std::map<std::string, int64_t>& looks,
                                         std::span<const model::Finding* const> found) {
  std::vector<TensorRule> rules;
  for (const Needs& needs : kNeeds) {
    TensorRule rule{.kind = needs.kind, .needs = needs.role, .least_looks = needs.least_looks};
    const auto of_role = looks.find(needs.role);
    if (of_role != looks.end()) rule.looks = of_role->second;
    rule.findings = std::ranges::count_if(
        found, [&](const model::Finding* one) { return one->kind == needs.kind; });
    rule.status = StatusOf(rule);
    rules.push_back(std::move(rule));
  }
  return rules;
}

}  // namespace steptrace::analyze
