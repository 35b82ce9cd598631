// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/agreement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/finding_kinds.h"

namespace steptrace::analyze {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

RuleResult Found(RuleId rule, RuleStatus status = RuleStatus::kIssuesFound) {
  RuleResult result;
  result.rule = rule;
  result.status = status;
  result.evidence = {
      Make(model::finding::RunDataLoss{.detail = "the first line", .where = model::Conditions()}),
      Make(model::finding::RunDataLoss{.detail = "the second", .where = model::Conditions()})};
  return result;
}

std::vector<std::string> Names(const char* suspect, const char* stage,
                               const std::vector<RuleResult>& results) {
  Verdict verdict;
  verdict.suspect = suspect;
  verdict.sub_stage = stage;
  std::vector<std::string> names;
  for (const AgreeingRule& one : AgreeingRules(verdict, results)) names.push_back(one.name);
  return names;
}

std::vector<RuleResult> All(RuleStatus status) {
  std::vector<RuleResult> results;
  for (const RuleInfo& info : RuleCatalogue()) results.push_back(Found(info.id, status));
  return results;
}

TEST(Agreement, RuleAgreesWithItsSuspect) {
  const auto all = All(RuleStatus::kIssuesFound);
  EXPECT_THAT(Names("data_pipeline", "decode", all),
              ElementsAre("LowGPUUtilization", "CPUBottleneck", "IOBottleneck", "Dataloader"));
  EXPECT_THAT(Names("communication", "straggler", all), ElementsAre("LoadBalancing"));
  EXPECT_THAT(Names("communication", "exposed", all), IsEmpty());
  EXPECT_THAT(Names("framework_overhead", "launch", all),
              ElementsAre("LowGPUUtilization", "BatchSize"));
  EXPECT_THAT(Names("framework_overhead", "garbage_collection", all),
              ElementsAre("LowGPUUtilization", "StepOutlier"));
  EXPECT_THAT(Names("other_work", "checkpoint", all),
              ElementsAre("LowGPUUtilization", "IOBottleneck", "StepOutlier"));
  EXPECT_THAT(Names("unattributed", "unknown", all), ElementsAre("LowGPUUtilization"));
  EXPECT_THAT(Names("model", "compute", all), IsEmpty());
}

TEST(Agreement, RuleWithoutAFindingAgreesWithNothing) {
  for (const RuleStatus status :
       {RuleStatus::kOk, RuleStatus::kNotApplicable, RuleStatus::kError}) {
    EXPECT_THAT(Names("data_pipeline", "decode", All(status)), IsEmpty());
  }
}

TEST(Agreement, WithoutASuspectNoRuleAgrees) {
  EXPECT_THAT(Names("", "", All(RuleStatus::kIssuesFound)), IsEmpty());
}

TEST(Agreement, ItsFirstEvidenceIsShown) {
  Verdict verdict;
  verdict.suspect = "data_pipeline";
  const std::vector<RuleResult> results = {Found(RuleId::kDataloader)};
  const std::vector<AgreeingRule> agreeing = AgreeingRules(verdict, results);
  ASSERT_EQ(agreeing.size(), 1u);
  EXPECT_EQ(agreeing[0].name, "Dataloader");
  EXPECT_EQ(agreeing[0].first.kind, model::FindingKind::kRunDataLoss);
  EXPECT_THAT(agreeing[0].first.texts, ElementsAre("the first line"));
}

}  // namespace
}  // namespace steptrace::analyze
