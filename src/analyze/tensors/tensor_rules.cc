// SPDX-License-Identifier: Apache-2.0
#include "analyze/tensors/tensor_rules.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <variant>

#include "model/finding_kinds.h"

namespace steptrace::analyze {
namespace {

using model::FindingKind;

// What a rule judges, and of how many readings at least: as its observer has it.
struct Needs {
  FindingKind kind;
  const char* role;
  int64_t least_readings;
};
constexpr Needs kNeeds[] = {
    {FindingKind::kLiveTensorNonfinite, "", 1},
    {FindingKind::kLiveGradientVanishing, "gradient", 3},
    {FindingKind::kLiveGradientExploding, "gradient", 10},
    {FindingKind::kLiveGradientSpike, "gradient", 33},
    {FindingKind::kLiveLossNotFalling, "loss", 9 * 64},
    {FindingKind::kLiveLossSpike, "loss", 33},
    {FindingKind::kLiveDeadUnits, "gradient", 8},
    {FindingKind::kLiveParameterUnchanged, "weight", 9},
    {FindingKind::kLiveCastRange, "", 1},
};

constexpr FindingKind kUnjudged = FindingKind::kLiveTensorUnjudged;

// What the rule itself said at the end, where it judged nothing: it knows what it lacked, which the
// number of readings alone does not say.
const model::Item* UnjudgedOf(FindingKind kind, std::span<const model::Finding* const> found) {
  const std::string_view id = model::InfoOf(kind).id;
  for (const model::Finding* one : found) {
    if (one->kind != kUnjudged) continue;
    for (const model::Item& item : one->items) {
      if (!item.texts.empty() && id == "live." + item.texts[0]) return &item;
    }
  }
  return nullptr;
}

std::optional<int64_t> FigureOf(const model::Item& item, std::string_view name) {
  const auto& figures = model::InfoOf(kUnjudged).item.figures;
  for (size_t i = 0; i < std::min(figures.size(), item.figures.size()); ++i) {
    if (figures[i].name != name) continue;
    const auto* number = std::get_if<int64_t>(&item.figures[i]);
    return number == nullptr ? std::nullopt : std::optional(*number);
  }
  return std::nullopt;
}

// What it said of itself counts for more than the readings that there were.
void ApplyUnjudged(const model::Item& said, TensorRuleResult& rule) {
  const auto seen = FigureOf(said, "seen");
  const auto needed = FigureOf(said, "needed");
  if (!seen || !needed) {
    rule.status = TensorRuleStatus::kNotApplicable;
    return;
  }
  rule.readings = *seen;
  rule.least_readings = *needed;
  rule.status = TensorRuleStatus::kCannotTell;
}

TensorRuleStatus StatusOf(const TensorRuleResult& rule) {
  if (rule.findings > 0) return TensorRuleStatus::kFound;
  if (rule.readings == 0) return TensorRuleStatus::kNotApplicable;
  return rule.readings < rule.least_readings ? TensorRuleStatus::kCannotTell
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

std::vector<TensorRuleResult> JudgeTensorRules(const std::map<std::string, int64_t>& readings,
                                               std::span<const model::Finding* const> found) {
  std::vector<TensorRuleResult> rules;
  for (const Needs& needs : kNeeds) {
    TensorRuleResult rule{
        .kind = needs.kind, .needs = needs.role, .least_readings = needs.least_readings};
    const auto of_role = readings.find(needs.role);
    if (of_role != readings.end()) rule.readings = of_role->second;
    rule.findings = std::ranges::count_if(
        found, [&](const model::Finding* one) { return one->kind == needs.kind; });
    rule.status = StatusOf(rule);
    const model::Item* said = rule.findings > 0 ? nullptr : UnjudgedOf(needs.kind, found);
    if (said != nullptr) ApplyUnjudged(*said, rule);
    rules.push_back(std::move(rule));
  }
  return rules;
}

}  // namespace steptrace::analyze
