// SPDX-License-Identifier: Apache-2.0
#include "agent/capture/capture_rows.h"

#include <gtest/gtest.h>

#include "base/time.h"

namespace steptrace::agent {
namespace {

constexpr uint64_t kDemand = 1;
constexpr int64_t kStepNs = 3 * kNsPerSecond;

// A loop of steps of 3 s from time 0 on; step 5 and 6 were captured.
class CaptureRowsTest : public ::testing::Test {
 protected:
  void Write(int64_t step, int32_t rank = 0) {
    store::StepRow row;
    row.rank = rank;
    row.ts_ns = step * kStepNs;
    row.dur_ns = kStepNs;
    rows_.OnStep(row);
  }
  void WriteUpTo(int64_t end, int32_t rank = 0) {
    for (int64_t step = 0; step < end; ++step) Write(step, rank);
  }
  // Marks lie just before the boundary that a window begins with, and just after its last one.
  void Capture(int32_t rank = 0, int64_t steps = 2) {
    rows_.OnCaptured(kDemand,
                     {.rank = rank,
                      .pid = 100 + rank,
                      .from_ns = 5 * kStepNs - 1000,
                      .to_ns = 7 * kStepNs + 1000,
                      .steps = steps},
                     kNowNs);
  }
  int64_t UntilNs() const { return rows_.WaitUntilNs(kDemand); }

  static constexpr int64_t kNowNs = 7 * kStepNs + kNsPerSecond;
  CaptureRows rows_;
};

TEST_F(CaptureRowsTest, ALastStepThatIsNotClosedYetIsWaitedFor) {
  rows_.Begin(kDemand);
  WriteUpTo(6);
  Capture();
  EXPECT_EQ(UntilNs(), kNowNs + 10 * kNsPerSecond);
  Write(6);
  EXPECT_EQ(UntilNs(), 0);
}

TEST_F(CaptureRowsTest, RowsOfLongStepsAreWaitedFor) {
  rows_.Begin(kDemand);
  WriteUpTo(6);
  rows_.OnCaptured(kDemand, {.from_ns = 0, .to_ns = 120 * kNsPerSecond, .steps = 2},
                   120 * kNsPerSecond);
  EXPECT_EQ(UntilNs(), (120 + 3 * 60) * kNsPerSecond);
}

TEST_F(CaptureRowsTest, ARunsFirstRowsAreWaitedForLonger) {
  rows_.Begin(kDemand);
  Capture();
  EXPECT_EQ(UntilNs(), kNowNs + 25 * kNsPerSecond);
  WriteUpTo(7);
  EXPECT_EQ(UntilNs(), 0);
}

TEST_F(CaptureRowsTest, WhereTheProcessCountsLessTheNextStepShowsThatAllAreThere) {
  rows_.Begin(kDemand);
  WriteUpTo(6);
  Capture(0, 1);  // by its count the one row is enough: there is room for another
  EXPECT_NE(UntilNs(), 0);
  Write(6);
  EXPECT_EQ(UntilNs(), 0);
}

TEST_F(CaptureRowsTest, WhereTheProcessCountsMoreTheNextStepShowsThatAllAreThere) {
  rows_.Begin(kDemand);
  WriteUpTo(7);
  Capture(0, 4);
  EXPECT_NE(UntilNs(), 0);
  Write(7);
  EXPECT_EQ(UntilNs(), 0);
}

TEST_F(CaptureRowsTest, EachRankIsWaitedFor) {
  rows_.Begin(kDemand);
  WriteUpTo(7);
  WriteUpTo(6, 1);
  Capture(0);
  Capture(1);
  EXPECT_NE(UntilNs(), 0);
  Write(6, 1);
  EXPECT_EQ(UntilNs(), 0);
}

TEST_F(CaptureRowsTest, AProcessThatIsGoneIsNotWaitedForLong) {
  rows_.Begin(kDemand);
  WriteUpTo(6);
  Capture();
  rows_.Check([](int32_t) { return true; }, kNowNs);
  EXPECT_EQ(UntilNs(), kNowNs + 10 * kNsPerSecond);
  rows_.Check([](int32_t pid) { return pid != 100; }, kNowNs);
  EXPECT_EQ(UntilNs(), kNowNs + kNsPerSecond);
  rows_.Check([](int32_t) { return false; }, kNowNs + kNsPerSecond / 2);
  EXPECT_EQ(UntilNs(), kNowNs + kNsPerSecond) << "from its end on, not from each look on";
}

TEST_F(CaptureRowsTest, DemandOfADisconnectedClientIsForgotten) {
  rows_.Begin(kDemand);
  rows_.Forget(kDemand);
  Capture();
  EXPECT_EQ(UntilNs(), 0);
}

TEST_F(CaptureRowsTest, RowsBeforeAnybodyAskedShowThatTheRankIsPastItsFirst) {
  WriteUpTo(5);
  rows_.Begin(kDemand);
  Capture();
  EXPECT_EQ(UntilNs(), kNowNs + 10 * kNsPerSecond);
}

}  // namespace
}  // namespace steptrace::agent
