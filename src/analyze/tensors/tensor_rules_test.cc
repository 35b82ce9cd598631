// SPDX-License-Identifier: Apache-2.0
#include "analyze/tensors/tensor_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "analyze/json/stored_finding.h"
#include "model/finding_kinds.h"

namespace steptrace::analyze {
namespace {

const TensorRuleResult& RuleOf(const std::vector<TensorRuleResult>& rules,
                               model::FindingKind kind) {
  return *std::ranges::find(rules, kind, &TensorRuleResult::kind);
}

TEST(TensorRulesTest, NothingWasLookedAt) {
  for (const TensorRuleResult& rule : JudgeTensorRules({}, {})) {
    EXPECT_EQ(rule.status, TensorRuleStatus::kNotApplicable);
    EXPECT_EQ(model::InfoOf(rule.kind).topic, model::Topic::kTensor);
  }
}

TEST(TensorRulesTest, WithFewLooksItCannotTell) {
  const auto rules = JudgeTensorRules({{"", 5}, {"loss", 5}, {"gradient", 5}}, {});
  EXPECT_EQ(RuleOf(rules, model::FindingKind::kLiveTensorNonfinite).status,
            TensorRuleStatus::kNotFound);
  EXPECT_EQ(RuleOf(rules, model::FindingKind::kLiveGradientVanishing).status,
            TensorRuleStatus::kNotFound);
  EXPECT_EQ(RuleOf(rules, model::FindingKind::kLiveGradientExploding).status,
            TensorRuleStatus::kCannotTell);
  EXPECT_EQ(RuleOf(rules, model::FindingKind::kLiveLossNotFalling).status,
            TensorRuleStatus::kCannotTell);
}

TEST(TensorRulesTest, WhatARuleSaidThatItLackedCountsForMoreThanTheLooks) {
  using Unjudged = model::finding::LiveTensorUnjudged;
  const auto item = [](const char* rule, bool no_module, std::optional<int64_t> seen) {
    return Unjudged::Item{.no_loss = false,
                          .no_gradient = false,
                          .no_weight = false,
                          .no_module = no_module,
                          .no_wide = false,
                          .few_weights = false,
                          .no_replica = false,
                          .seen = seen,
                          .needed = seen ? std::optional<int64_t>(33) : std::nullopt,
                          .rule = rule};
  };
  const model::Finding unjudged = Make(
      Unjudged{.items = std::vector{item("dead_units", true, {}), item("loss_spike", false, 20)}});
  const model::Finding* found[] = {&unjudged};
  const auto rules = JudgeTensorRules({{"", 60}, {"gradient", 60}, {"loss", 60}}, found);
  EXPECT_EQ(RuleOf(rules, model::FindingKind::kLiveDeadUnits).status,
            TensorRuleStatus::kNotApplicable);
  const TensorRuleResult& spike = RuleOf(rules, model::FindingKind::kLiveLossSpike);
  EXPECT_EQ(spike.status, TensorRuleStatus::kCannotTell);
  EXPECT_EQ(spike.readings, 20);
  EXPECT_EQ(spike.least_readings, 33);
  EXPECT_EQ(RuleOf(rules, model::FindingKind::kLiveGradientSpike).status,
            TensorRuleStatus::kNotFound);
}

TEST(TensorRulesTest, EveryKindThatARuleFindsIsJudgedByARule) {
  const auto rules = JudgeTensorRules({}, {});
  for (const auto kind :
       {model::FindingKind::kLiveTensorNonfinite, model::FindingKind::kLiveGradientVanishing,
        model::FindingKind::kLiveGradientExploding, model::FindingKind::kLiveGradientSpike,
        model::FindingKind::kLiveLossNotFalling, model::FindingKind::kLiveLossSpike,
        model::FindingKind::kLiveDeadUnits, model::FindingKind::kLiveParameterUnchanged,
        model::FindingKind::kLiveCastRange}) {
    EXPECT_EQ(std::ranges::count(rules, kind, &TensorRuleResult::kind), 1);
  }
}

// As the agent writes it into `findings`.
TEST(TensorRulesTest, AStoredFindingIsFound) {
  const auto stored = ReadFinding(
      R"({"finding":"live.tensor_nonfinite","subject":{},"values":{"step":40,"rank":0,"bad":1,)"
      R"("numel":64,"alike":null,"more":172,"loss":false,"gradient":true,"weight":false,)"
      R"("tensor":"2.weight"}})");
  ASSERT_TRUE(stored);
  const model::Finding* found[] = {&*stored};
  const auto rules = JudgeTensorRules({{"", 60}, {"gradient", 60}}, found);
  EXPECT_EQ(RuleOf(rules, model::FindingKind::kLiveTensorNonfinite).status,
            TensorRuleStatus::kFound);
}

TEST(TensorRulesTest, WhatWasFound) {
  const model::Finding finding = Make(model::finding::LiveLossNotFalling{
      .steps = int64_t{10}, .step = int64_t{10}, .rank = int64_t{0}});
  const model::Finding* found[] = {&finding};
  const auto rules = JudgeTensorRules({{"", 5}, {"loss", 5}}, found);
  const TensorRuleResult& rule = RuleOf(rules, model::FindingKind::kLiveLossNotFalling);
  EXPECT_EQ(rule.status, TensorRuleStatus::kFound);
  EXPECT_EQ(rule.findings, 1);
  EXPECT_EQ(RuleOf(rules, model::FindingKind::kLiveGradientVanishing).status,
            TensorRuleStatus::kNotApplicable);
}

}  // namespace
}  // namespace steptrace::analyze
