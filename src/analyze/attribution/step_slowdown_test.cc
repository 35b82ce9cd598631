// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/step_slowdown.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace steptrace::analyze {
namespace {

// `ns`: of cell i of so many, in the loop's own code; forward takes 1000 each time.
std::vector<StageTimes> CellsOf(const std::function<double(int)>& ns, int cells = 160) {
  std::vector<StageTimes> all;
  for (int i = 0; i < cells; ++i) {
    StageTimes& one = all.emplace_back();
    At(one, SubStage::kForward) = 1000;
    At(one, SubStage::kLoopCode) = static_cast<int64_t>(ns(i));
  }
  return all;
}

TEST(StepDriftTest, StepsThatGrowLittleByLittle) {
  const auto drift = FindDrift(CellsOf([](int i) { return 100.0 * i; }));
  ASSERT_TRUE(drift);
  EXPECT_NEAR(static_cast<double>(drift->from_ns), 2000, 100);
  EXPECT_NEAR(static_cast<double>(drift->to_ns), 16000, 100);
  EXPECT_EQ(drift->stage, SubStage::kLoopCode);
  EXPECT_NEAR(static_cast<double>(drift->stage_to_ns), 15000, 100);
}

TEST(StepDriftTest, OfTwoThatGrowTheOneThatGrowsMostIsNamed) {
  std::vector<StageTimes> cells = CellsOf([](int i) { return 100.0 * i; });
  for (size_t i = 0; i < cells.size(); ++i) {
    At(cells[i], SubStage::kForward) = static_cast<int64_t>(10000 - 50 * i);
    At(cells[i], SubStage::kUnknown) = static_cast<int64_t>(60 * i);
  }
  const auto drift = FindDrift(cells);
  ASSERT_TRUE(drift);
  EXPECT_EQ(drift->stage, SubStage::kLoopCode);
}

TEST(StepDriftTest, StepsOfNoTimeGrowFromNothing) {
  std::vector<StageTimes> cells(160);
  for (size_t i = 0; i < cells.size(); ++i) {
    At(cells[i], SubStage::kLoopCode) = i < 40 ? 0 : static_cast<int64_t>(100 * (i - 40));
  }
  EXPECT_FALSE(FindDrift(cells));
}

TEST(StepDriftTest, OccasionalLongStepsAreNoDrift) {
  EXPECT_TRUE(FindDrift(CellsOf([](int i) { return 20.0 * i + (i % 7 == 0 ? 9000 : 0); })));
  EXPECT_FALSE(FindDrift(CellsOf([](int i) { return i % 7 == 0 ? 9000.0 + 100 * i : 500; })));
}

TEST(StepDriftTest, JumpIsNoDrift) {
  EXPECT_FALSE(FindDrift(CellsOf([](int i) { return i < 90 ? 500.0 : 9000.0; })));
}

TEST(StepDriftTest, TemporaryRiseIsNoDrift) {
  EXPECT_FALSE(FindDrift(CellsOf([](int i) { return 100.0 * (i % 80); }))) << "of each epoch anew";
  EXPECT_FALSE(FindDrift(CellsOf([](int i) { return 16000 - 100.0 * i; }))) << "it falls";
  EXPECT_FALSE(FindDrift(CellsOf([](int) { return 500.0; })));
}

TEST(StepDriftTest, RiseWithinTheNoiseIsNoDrift) {
  const auto cells = CellsOf([](int i) { return 1000 + 20.0 * i + (i % 2 ? 4000 : 0); });
  EXPECT_FALSE(FindDrift(cells));
}

TEST(StepDriftTest, EvaluationsAndFewStepsTellNothing) {
  std::vector<StageTimes> cells = CellsOf([](int) { return 500.0; });
  for (size_t i = 0; i < cells.size(); ++i) {
    At(cells[i], SubStage::kEvaluation) = static_cast<int64_t>(100 * i);
  }
  EXPECT_FALSE(FindDrift(cells));
  EXPECT_FALSE(FindDrift(CellsOf([](int i) { return 100.0 * i; }, 63)));
}

TEST(StepDriftTest, GrowthSharedByStagesNamesNoStage) {
  std::vector<StageTimes> cells;
  for (int i = 0; i < 160; ++i) {
    StageTimes& one = cells.emplace_back();
    for (SubStage stage : {SubStage::kForward, SubStage::kBackward, SubStage::kOptimizer}) {
      At(one, stage) = 1000 + 100 * i;
    }
  }
  const auto drift = FindDrift(cells);
  ASSERT_TRUE(drift);
  EXPECT_FALSE(drift->stage);
}

}  // namespace
}  // namespace steptrace::analyze
