// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/rank_assigner.h"

#include <gtest/gtest.h>

namespace steptrace::agent {
namespace {

class RankAssignerTest : public testing::Test {
 protected:
  std::map<int32_t, int32_t> parents_;
  RankAssigner ranks_{[this](int32_t pid) {
    auto found = parents_.find(pid);
    return found == parents_.end() ? 0 : found->second;
  }};
};

TEST_F(RankAssignerTest, TheFirstTrainingIsRankZero) {
  parents_ = {{100, 50}, {50, 1}};
  EXPECT_EQ(ranks_.Assign(100, -1, true), 0);
  EXPECT_EQ(ranks_.numbered(), 1);
}

//  50 bash ─ 100 trains ─ 101 worker
//                       └ 102 forkserver (no ring) ─ 103 worker
TEST_F(RankAssignerTest, WorkersBelongToTheTrainingAboveThem) {
  parents_ = {{100, 50}, {101, 100}, {102, 100}, {103, 102}};
  ranks_.Assign(100, 3, true);
  EXPECT_EQ(ranks_.Assign(101, -1, false), 3);
  EXPECT_EQ(ranks_.Assign(103, -1, false), 3);
}

TEST_F(RankAssignerTest, ReportedRanksTakePrecedence) {
  parents_ = {{100, 50}, {200, 50}};
  EXPECT_EQ(ranks_.Assign(200, 1, true), 1);
  EXPECT_EQ(ranks_.Assign(100, 0, true), 0);
  EXPECT_EQ(ranks_.numbered(), 0);
}

TEST_F(RankAssignerTest, TrainingsWithoutRanksAreNumberedInOrder) {
  EXPECT_EQ(ranks_.Assign(300, -1, true), 0);
  EXPECT_EQ(ranks_.Assign(400, -1, true), 1);
  EXPECT_EQ(ranks_.Assign(300, -1, true), 0) << "and keep their number";
  EXPECT_EQ(ranks_.numbered(), 2);
}

TEST_F(RankAssignerTest, WhatDoesNotTrainUsesNoNumberUp) {
  EXPECT_EQ(ranks_.Assign(10, -1, false), 0);
  EXPECT_EQ(ranks_.Assign(11, -1, true), 0);
  EXPECT_EQ(ranks_.Assign(10, -1, true), 1) << "it trains after all";
}

TEST_F(RankAssignerTest, MaliceALoopOfParentsEnds) {
  parents_ = {{5, 6}, {6, 5}};
  EXPECT_EQ(ranks_.Assign(5, -1, true), 0);
}

TEST_F(RankAssignerTest, APidMayComeBackAsAnotherProcess) {
  EXPECT_EQ(ranks_.Assign(7, -1, true), 0);
  ranks_.Forget(7);
  EXPECT_EQ(ranks_.Assign(7, -1, true), 1);
}

}  // namespace
}  // namespace steptrace::agent
