// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/drain_pace.h"

#include <gtest/gtest.h>

namespace steptrace::agent {
namespace {

class DrainPaceTest : public testing::Test {
 protected:
  int64_t After(int64_t most, int64_t of_small_rings = 0, int64_t processes = 1) {
    return pace_.NextWaitMs({processes, most, of_small_rings, false}, now_ns_);
  }
  DrainPace pace_;
  int64_t now_ns_ = 0;
};

TEST_F(DrainPaceTest, BacksOffAtRestAndHurriesUnderLoad) {
  EXPECT_EQ(After(0, 0, 0), DrainPace::kNoRingsMs);
  EXPECT_EQ(After(0), 2);
  EXPECT_EQ(After(0), 4);
  EXPECT_EQ(After(20), 8);
  EXPECT_EQ(After(0), 16);
  EXPECT_EQ(After(0), DrainPace::kQuietMs);
  EXPECT_EQ(After(0), DrainPace::kQuietMs);
  EXPECT_EQ(After(5000), DrainPace::kBusyMs);
  EXPECT_EQ(After(400), DrainPace::kBusyMs) << "between the two it stays as it is";
}

TEST_F(DrainPaceTest, DoesNotRestWhileItIsBehind) {
  EXPECT_EQ(After(DrainPace::kBehindRecords), 0);
  EXPECT_EQ(After(40'000), 0);
  EXPECT_EQ(After(DrainPace::kBehindRecords - 1), DrainPace::kBusyMs);
}

TEST_F(DrainPaceTest, SmallRingsBearLess) {
  for (int i = 0; i < 10; ++i) After(0);
  EXPECT_EQ(After(1, 1), DrainPace::kIdleMs);
  EXPECT_EQ(After(0), DrainPace::kIdleMs);
  now_ns_ += DrainPace::kSmallRingsTalkNs;
  EXPECT_EQ(After(0), 20);
  EXPECT_EQ(After(0), DrainPace::kQuietMs);
}

TEST_F(DrainPaceTest, RecordsOfAWorkersSendingThreadDoNotSpeedUpDraining) {
  EXPECT_EQ(DrainPace::Talk(2, /*of_worker=*/true), 0);
  EXPECT_EQ(DrainPace::Talk(DrainPace::kFewRecords, /*of_worker=*/true), DrainPace::kFewRecords);
  EXPECT_EQ(DrainPace::Talk(2, /*of_worker=*/false), 2);
}

TEST_F(DrainPaceTest, AWindowIsFollowedCloselyThroughItsPauses) {
  for (int i = 0; i < 10; ++i) After(0);
  EXPECT_EQ(pace_.NextWaitMs({.processes = 1, .in_window = true}, now_ns_), DrainPace::kWindowMs);
  EXPECT_EQ(pace_.NextWaitMs({.processes = 1, .in_window = true}, now_ns_), DrainPace::kWindowMs);
  EXPECT_EQ(After(0), 4) << "it is over";
}

TEST_F(DrainPaceTest, ANewProcessIsFollowedClosely) {
  for (int i = 0; i < 10; ++i) After(0);
  EXPECT_EQ(After(0, 0, 2), 2);
}

}  // namespace
}  // namespace steptrace::agent
