// SPDX-License-Identifier: Apache-2.0
#include "analyze/stats/outliers.h"

#include <gtest/gtest.h>

#include <random>

namespace steptrace::analyze {
namespace {

TEST(OutlierRuleTest, FindsTheLongOnesAndNoOther) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal(100e6, 5e6);
  std::vector<int64_t> durations;
  for (int i = 0; i < 10'000; ++i) durations.push_back(static_cast<int64_t>(normal(random)));
  durations.push_back(200'000'000);
  const auto rule = FindOutlierRule(durations);
  ASSERT_TRUE(rule.has_value());
  int found = 0;
  for (int64_t duration : durations) found += duration > rule->threshold_ns;
  EXPECT_EQ(found, 1);
}

// A mean with its standard deviation would be dragged along by them.
TEST(OutlierRuleTest, ManyLongOnesDoNotHideEachOther) {
  std::vector<int64_t> durations(80, 100);
  durations.insert(durations.end(), 20, 1000);
  EXPECT_LT(FindOutlierRule(durations)->threshold_ns, 1000);
}

TEST(OutlierRuleTest, EqualStepsHaveNone) {
  std::vector<int64_t> durations(100, 1000);
  durations.push_back(1100);  // a tenth longer is no news
  EXPECT_GT(FindOutlierRule(durations)->threshold_ns, 1100);
}

TEST(OutlierRuleTest, NothingHasNoRule) {
  EXPECT_FALSE(FindOutlierRule({}).has_value());
}

TEST(LargestGrowthTest, IsOverThePartsOwnMedian) {
  const std::vector<int64_t> parts = {500, 90, 30};
  const std::vector<int64_t> medians = {480, 10, 30};
  const StepGrowth growth = LargestGrowth(parts, medians);
  EXPECT_EQ(growth.part, 1u);
  EXPECT_EQ(growth.excess, 80);
}

}  // namespace
}  // namespace steptrace::analyze
