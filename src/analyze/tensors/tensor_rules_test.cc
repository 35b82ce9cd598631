// SPDX-License-Identifier: Apache-2.0
#include "analyze/tensors/tensor_rules.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "model/finding_kinds.h"

namespace steptrace::analyze {
namespace {

const TensorRule& RuleOf(const std::vector<TensorRule>& rules, model::FindingKind kind) {
  return *std::ranges::find(rules, kind, &TensorRule::kind);
}

TEST(TensorRulesTest, NothingWasLookedAt) {
  for (const TensorRule& rule : JudgeTensorRules({}, {})) {
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

TEST(TensorRulesTest, WhatWasFound) {
  const model::Finding finding = Make(model::finding::LiveLossNotFalling{
      .steps = int64_t{10}, .step = int64_t{10}, .rank = int64_t{0}});
  const model::Finding* found[] = {&finding};
  const auto rules = JudgeTensorRules({{"", 5}, {"loss", 5}}, found);
  const TensorRule& rule = RuleOf(rules, model::FindingKind::kLiveLossNotFalling);
  EXPECT_EQ(rule.status, TensorRuleStatus::kFound);
  EXPECT_EQ(rule.findings, 1);
  EXPECT_EQ(RuleOf(rules, model::FindingKind::kLiveGradientVanishing).status,
            TensorRuleStatus::kNotApplicable);
}

}  // namespace
}  // namespace steptrace::analyze
