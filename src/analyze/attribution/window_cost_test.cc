// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/window_cost.h"

#include <gtest/gtest.h>

#include <numeric>

namespace steptrace::analyze {
namespace {

// Ten steps before a window and five in it.
class WindowCostTest : public ::testing::Test {
 protected:
  void Steps(int64_t before_ns, int64_t within_ns, int32_t count_before = 10) {
    for (int32_t i = 0; i < count_before + 5; ++i) {
      store::StepRow row;
      row.step = static_cast<int64_t>(rows_.size());
      row.ts_ns = ts_ns_;
      row.dur_ns = i < count_before ? before_ns : within_ns;
      ts_ns_ += row.dur_ns;
      selection_.steady.push_back(static_cast<uint32_t>(rows_.size()));
      rows_.push_back(row);
      if (i >= count_before) profiled_[{0, row.ts_ns}] = stages_;
    }
  }
  std::optional<WindowCost> TakeOff() { return TakeOffWindowCost(rows_, selection_, profiled_); }
  int64_t Of(SubStage stage) const {
    return profiled_.rbegin()->second[static_cast<size_t>(stage)];
  }
  int64_t Sum() const {
    const StageTimes& stages = profiled_.rbegin()->second;
    return std::accumulate(stages.begin(), stages.end(), int64_t{0});
  }
  void Stage(SubStage stage, int64_t ns) { stages_[static_cast<size_t>(stage)] = ns; }

  std::vector<store::StepRow> rows_;
  StepSelection selection_;
  ProfiledSteps profiled_;
  StageTimes stages_{};
  int64_t ts_ns_ = 0;
};

// 14 of 18 us compute, as the kernels say; in the window the host takes 30.
TEST_F(WindowCostTest, WhatTheWindowAddsIsTakenOffTheHostsWay) {
  Stage(SubStage::kCompute, 14'000);
  Stage(SubStage::kDispatch, 12'000);
  Stage(SubStage::kLaunch, 4'000);
  Steps(18'000, 30'000);
  const auto cost = TakeOff();
  ASSERT_TRUE(cost);
  EXPECT_EQ(cost->steps_ns, 30'000);
  EXPECT_EQ(cost->before_ns, 18'000);
  EXPECT_EQ(Sum(), 30'000);
  EXPECT_NEAR(static_cast<double>(Of(SubStage::kCompute)) / 30'000, 14.0 / 18, 1e-3);
  EXPECT_NEAR(static_cast<double>(Of(SubStage::kDispatch)) / 30'000, 3.0 / 18, 1e-3);
  EXPECT_NEAR(static_cast<double>(Of(SubStage::kLaunch)) / 30'000, 1.0 / 18, 1e-3);
}

TEST_F(WindowCostTest, DeviceTimeIsNotReduced) {
  Stage(SubStage::kCompute, 25'000);
  Stage(SubStage::kGetitem, 4'000);
  Stage(SubStage::kLaunch, 1'000);
  Steps(18'000, 30'000);
  ASSERT_TRUE(TakeOff());
  EXPECT_EQ(Of(SubStage::kLaunch), 0);
  EXPECT_EQ(Sum(), 30'000);
  EXPECT_NEAR(
      static_cast<double>(Of(SubStage::kCompute)) / static_cast<double>(Of(SubStage::kGetitem)),
      25.0 / 4, 1e-2);
}

TEST_F(WindowCostTest, SynchronizationIsReducedByTheRest) {
  Stage(SubStage::kCompute, 10'000);
  Stage(SubStage::kLaunch, 2'000);
  Stage(SubStage::kSynchronisation, 18'000);
  Steps(20'000, 30'000);
  ASSERT_TRUE(TakeOff());
  EXPECT_EQ(Of(SubStage::kLaunch), 0);
  EXPECT_EQ(Of(SubStage::kCompute), 15'000);
  EXPECT_EQ(Of(SubStage::kSynchronisation), 15'000);
}

TEST_F(WindowCostTest, OfAShortStepLessIsTakenAndNeverAll) {
  Stage(SubStage::kLaunch, 48'000);
  Stage(SubStage::kCompute, 2'000);
  Steps(40'000, 100'000);
  profiled_.rbegin()->second = stages_;  // 50 us, of a median of 100
  ASSERT_TRUE(TakeOff());
  EXPECT_EQ(Sum(), 50'000);
  EXPECT_EQ(Of(SubStage::kCompute), 5'000);
  stages_ = {};
  Stage(SubStage::kLaunch, 100'000);
  profiled_.rbegin()->second = stages_;
  ASSERT_TRUE(TakeOff());
  EXPECT_EQ(Of(SubStage::kLaunch), 100'000);
}

TEST_F(WindowCostTest, StepsThatAreNoLongerStayAsTheyAre) {
  Stage(SubStage::kLaunch, 30'000);
  Steps(30'000, 30'000);
  EXPECT_FALSE(TakeOff());
  EXPECT_EQ(Of(SubStage::kLaunch), 30'000);
}

TEST_F(WindowCostTest, WithoutStepsBeforeNothingIsKnown) {
  Stage(SubStage::kLaunch, 30'000);
  Steps(18'000, 30'000, 2);
  EXPECT_FALSE(TakeOff());
  EXPECT_EQ(Of(SubStage::kLaunch), 30'000);
}

}  // namespace
}  // namespace steptrace::analyze
