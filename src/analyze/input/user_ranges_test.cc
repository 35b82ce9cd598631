// SPDX-License-Identifier: Apache-2.0
#include "analyze/input/user_ranges.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace steptrace::analyze {
namespace {

class UserRangesTest : public testing::Test {
 protected:
  UserRangesTest() { input_.strings = &strings_; }

  // A step that begins at `ts_ns`, and whether it is looked at.
  void Step(int64_t ts_ns, int32_t rank, bool steady = true, const char* longest = "",
            int64_t longest_ns = 0) {
    store::StepRow row;
    row.ts_ns = ts_ns;
    row.rank = rank;
    row.longest_user_range = strings_.Intern(longest);
    row.longest_user_range_ns = longest_ns;
    if (steady) selection_.steady.push_back(static_cast<uint32_t>(steps_.size()));
    steps_.push_back(row);
  }
  void Stage(int64_t ts_ns, int32_t rank, const char* name, int64_t dur_ns) {
    stages_.push_back(
        {.rank = rank, .ts_ns = ts_ns, .stage = strings_.Intern(name), .dur_ns = dur_ns});
  }
  UserRange Largest() {
    input_.steps = steps_;
    input_.step_stages = stages_;
    return LargestUserRange(input_, selection_);
  }

  store::StringTable strings_;
  ReportInput input_;
  StepSelection selection_;
  std::vector<store::StepRow> steps_;
  std::vector<store::StepStageRow> stages_;
};

TEST_F(UserRangesTest, WhatIsNeverTheLongestOfItsStepMayBeTheLargestOfAll) {
  for (int64_t step = 0; step < 3; ++step) {
    const char* longest = step == 0 ? "a" : step == 1 ? "b" : "c";
    Step(step, 0, true, longest, 50);
    Stage(step, 0, longest, 50);
    Stage(step, 0, "each", 40);
  }
  EXPECT_EQ(Largest().name, "each");
  EXPECT_EQ(Largest().ns, 120);
}

TEST_F(UserRangesTest, OtherStepsAndOtherRanksAreNotCounted) {
  Step(0, 0, false);
  Step(10, 0);
  Step(10, 1, false);
  Stage(0, 0, "warm-up", 100);
  Stage(10, 1, "of rank 1", 100);
  Stage(10, 0, "steady", 1);
  EXPECT_EQ(Largest().name, "steady");
  EXPECT_EQ(Largest().ns, 1);
}

TEST_F(UserRangesTest, RunsWithoutStagesTellTheLongestOfEachStep) {
  Step(0, 0, true, "log", 3);
  Step(10, 0, true, "metrics", 2);
  Step(20, 0, true, "metrics", 2);
  EXPECT_EQ(Largest().name, "metrics");
  EXPECT_EQ(Largest().ns, 4);
}

TEST_F(UserRangesTest, WithoutRangesThereIsNone) {
  Step(0, 0);
  EXPECT_EQ(Largest().name, "");
  EXPECT_EQ(Largest().ns, 0);
}

TEST_F(UserRangesTest, EqualsAreOrderedAndWildTimesDoNotWrap) {
  Step(0, 0);
  Stage(0, 0, "b", 7);
  Stage(0, 0, "a", 7);
  EXPECT_EQ(Largest().name, "a");
  const int64_t most = std::numeric_limits<int64_t>::max();
  Stage(0, 0, "b", most);
  Stage(0, 0, "a", std::numeric_limits<int64_t>::min());
  EXPECT_EQ(Largest().name, "b");
  EXPECT_EQ(Largest().ns, most);
}

}  // namespace
}  // namespace steptrace::analyze
