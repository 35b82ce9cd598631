// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/leave_out_bounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace steptrace::analyze {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> BoundedChanges(const WithoutBound& of, int64_t world_size = 1) {
  std::vector<WhatIf> changes;
  for (const char* stage : {"data", "communication", "compute"}) {
    WhatIf change;
    change.stage = stage;
    change.at_most_ns = 3;
    change.step_at_most_ns = 1;
    changes.push_back(change);
  }
  ProfileDistributed calls;
  calls.ranks.resize(1);
  calls.world_size = world_size;
  LeaveOutBounds(of, calls, changes);
  std::vector<std::string> bounded;
  for (const WhatIf& change : changes) {
    EXPECT_EQ(change.at_most_ns.has_value(), change.step_at_most_ns.has_value());
    if (change.at_most_ns) bounded.push_back(change.stage);
  }
  return bounded;
}

TEST(LeaveOutBoundsTest, ChangesHaveNoneWhereTheVerdictHasNone) {
  EXPECT_THAT(BoundedChanges({}), ElementsAre("data", "communication", "compute"));
  EXPECT_THAT(BoundedChanges({.all = true}), IsEmpty());
  EXPECT_THAT(BoundedChanges({.communication = true}), ElementsAre("data", "compute"));
  EXPECT_THAT(BoundedChanges({.data = true}), ElementsAre("communication", "compute"));
  EXPECT_THAT(BoundedChanges({}, 2), ElementsAre("data", "compute"));
}

TEST(LeaveOutBoundsTest, RecommendationsHaveNoBoundWhereTheVerdictHasNone) {
  const auto bounded = [](const WithoutBound& of) {
    std::vector<Recommendation> all(2);
    all[0].name = "high_input_cost";
    all[1].name = "launch_bound";
    for (Recommendation& one : all) {
      one.at_most_share = 0.5;
      one.at_most_ns = 7;
    }
    LeaveOutBounds(of, all);
    std::vector<std::string> names;
    for (const Recommendation& one : all) {
      EXPECT_EQ(one.at_most_share.has_value(), one.at_most_ns.has_value());
      if (one.at_most_ns) names.push_back(one.name);
    }
    return names;
  };
  EXPECT_THAT(bounded({}), ElementsAre("high_input_cost", "launch_bound"));
  EXPECT_THAT(bounded({.all = true}), IsEmpty());
  EXPECT_THAT(bounded({.data = true}), ElementsAre("launch_bound"));
}

}  // namespace
}  // namespace steptrace::analyze
