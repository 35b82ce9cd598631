// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/clock_calibration.h"

#include <gtest/gtest.h>

#include <random>

#include "base/time.h"
#include "testing/held_bytes.h"

namespace steptrace::agent {
namespace {

TEST(ClockCalibration, IsExactAtAnchorsAndLinearBetween) {
  ClockCalibration clock({1'000, 5'000});
  clock.Add({4'000, 6'000});
  EXPECT_EQ(clock.ToMonotonicNs(1'000), 5'000);
  EXPECT_EQ(clock.ToMonotonicNs(4'000), 6'000);
  EXPECT_EQ(clock.ToMonotonicNs(2'500), 5'500);
  EXPECT_EQ(clock.ToMonotonicNs(7'000), 7'000) << "beyond the last anchor, along the same rate";
  EXPECT_EQ(clock.ToMonotonicNs(400), 4'800) << "before the first one too";
}

TEST(ClockCalibration, FollowsDriftWithoutAddingItUp) {
  // The counter runs at 3 GHz and monotonic time is slewed by up to 500 ppm either way.
  ClockCalibration clock({0, 0});
  std::mt19937 random(7);
  uint64_t tsc = 0;
  double ns = 0;
  for (int i = 0; i < 10'000; ++i) {
    const double slew = 1.0 + (static_cast<int>(random() % 1001) - 500) * 1e-6;
    const uint64_t mid_tsc = tsc + 15'000'000;
    const double mid_ns = ns + 5e6 * slew;
    tsc += 30'000'000;
    ns += 1e7 * slew;
    clock.Add({tsc, static_cast<int64_t>(ns)});
    EXPECT_NEAR(static_cast<double>(clock.ToMonotonicNs(mid_tsc)), mid_ns, 2.0);
  }
}

TEST(ClockCalibration, IsMonotonic) {
  ClockCalibration clock({10, 10});
  std::mt19937_64 random(11);
  uint64_t tsc = 10;
  int64_t ns = 10;
  for (int i = 0; i < 5'000; ++i) {
    tsc += 1 + random() % 100'000;
    ns += 1 + static_cast<int64_t>(random() % 100'000);
    clock.Add({tsc, ns});
  }
  int64_t last = clock.ToMonotonicNs(0);
  for (uint64_t t = 0; t < tsc + 1'000'000; t += 1 + random() % 50'000) {
    const int64_t now = clock.ToMonotonicNs(t);
    ASSERT_GE(now, last) << t;
    last = now;
  }
}

// Whatever was asked before, and also after the older anchors were thinned out.
TEST(ClockCalibration, AnAnswerDoesNotDependOnTheQuestionBefore) {
  ClockCalibration asked_often({10, 10});
  std::mt19937_64 random(13);
  uint64_t tsc = 10;
  int64_t ns = 10;
  std::vector<ClockAnchor> anchors;
  for (int i = 0; i < 9'000; ++i) {
    tsc += 1 + random() % 60'000'000;
    ns += 1 + static_cast<int64_t>(random() % 20'000'000);
    anchors.push_back({tsc, ns});
    asked_often.Add(anchors.back());
    asked_often.ToMonotonicNs(random() % tsc);
  }
  ClockCalibration asked_once({10, 10});
  for (const ClockAnchor& anchor : anchors) asked_once.Add(anchor);
  for (int i = 0; i < 2'000; ++i) {
    const uint64_t at = random() % (tsc + 1'000'000);
    ClockCalibration fresh = asked_once;
    ASSERT_EQ(asked_often.ToMonotonicNs(at), fresh.ToMonotonicNs(at)) << at;
  }
}

TEST(ClockCalibration, BoundsItsMemory) {
  const size_t before = HeldBytes();
  ClockCalibration clock({0, 0});
  for (uint64_t i = 1; i < 100'000; ++i)
    clock.Add({i * 3'000'000, static_cast<int64_t>(i) * 1'000'000});
  EXPECT_LT(HeldBytes() - before, 512u << 10) << "each anchor has 16 bytes";
  EXPECT_EQ(clock.ToMonotonicNs(4'500'000), 1'500'000) << "old times stay convertible";
  EXPECT_EQ(clock.TicksPerSecond(), 3'000'000'000);
}

TEST(ClockCalibration, IgnoresAnchorsThatDoNotAdvance) {
  ClockCalibration clock({100, 100});
  clock.Add({200, 200});
  clock.Add({200, 250});
  clock.Add({300, 200});
  EXPECT_EQ(clock.ToMonotonicNs(250), 250);
  EXPECT_EQ(clock.TicksPerSecond(), kNsPerSecond);
}

TEST(ClockCalibration, StartsAnewWhenTheCounterWasReset) {
  ClockCalibration clock({1'000'000, 100});
  clock.Add({2'000'000, 1'100});
  clock.Add({50, 5'000});
  clock.Add({3'050, 6'000});
  EXPECT_EQ(clock.ToMonotonicNs(50), 5'000);
  EXPECT_EQ(clock.ToMonotonicNs(1'550), 5'500);
}

TEST(ClockCalibration, MaliceExtremeReadingsDoNotOverflow) {
  ClockCalibration clock({1'000, 1'000});
  clock.Add({3'000, 2'000});
  EXPECT_GT(clock.ToMonotonicNs(~0ull), 0);
  EXPECT_LT(clock.ToMonotonicNs(0), 1'000);
  ClockCalibration one({~0ull - 1, 5});
  EXPECT_LT(one.ToMonotonicNs(0), 5);
}

TEST(ClockCalibration, RealClocksAgree) {
  ClockCalibration clock(ReadClockAnchor());
  while (MonotonicNowNs() < clock.ToMonotonicNs(0)) {
  }
  const int64_t start = MonotonicNowNs();
  while (MonotonicNowNs() < start + 20 * kNsPerMs) {
  }
  clock.Add(ReadClockAnchor());
  const ClockAnchor now = ReadClockAnchor();
  EXPECT_NEAR(static_cast<double>(clock.ToMonotonicNs(now.tsc)),
              static_cast<double>(now.monotonic_ns), 50'000.0);
}

}  // namespace
}  // namespace steptrace::agent
