// SPDX-License-Identifier: Apache-2.0
#include "analyze/stats/bootstrap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace steptrace::analyze {
namespace {

struct Steps {
  std::vector<int64_t> waits;
  std::vector<int64_t> totals;
};

// Steps that wait a share of their time; shares of neighbours are alike when `memory` is near 1.
Steps Draw(size_t count, double share, double spread, double memory, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Steps steps;
  double drift = 0;
  for (size_t i = 0; i < count; ++i) {
    drift = memory * drift + spread * normal(random);
    const double total = 1e8;
    steps.totals.push_back(static_cast<int64_t>(total));
    steps.waits.push_back(static_cast<int64_t>(total * (share + drift)));
  }
  return steps;
}

double CoverageOf(size_t count, double memory) {
  int held = 0;
  constexpr int kRuns = 300;
  for (uint32_t seed = 1; seed <= kRuns; ++seed) {
    const Steps steps = Draw(count, 0.5, 0.05, memory, seed);
    const Interval interval = BootstrapRatioOfSums(steps.waits, steps.totals);
    held += interval.low <= 0.5 && 0.5 <= interval.high;
  }
  return static_cast<double>(held) / kRuns;
}

TEST(BootstrapTest, HoldsTheTruthAsOftenAsItSays) {
  EXPECT_GT(CoverageOf(200, 0.0), 0.90);
  EXPECT_LT(CoverageOf(200, 0.0), 0.99);
}

TEST(BootstrapTest, NeighboursThatAreAlikeWidenIt) {
  const Steps alike = Draw(500, 0.5, 0.02, 0.9, 7);
  Steps shuffled = alike;
  std::mt19937 random(1);
  std::shuffle(shuffled.waits.begin(), shuffled.waits.end(), random);
  const Interval wide = BootstrapRatioOfSums(alike.waits, alike.totals);
  const Interval narrow = BootstrapRatioOfSums(shuffled.waits, shuffled.totals);
  EXPECT_GT(wide.high - wide.low, 1.5 * (narrow.high - narrow.low));
}

TEST(BootstrapTest, IsTheSameEachTime) {
  const Steps steps = Draw(3000, 0.3, 0.1, 0.2, 3);
  const Interval once = BootstrapRatioOfSums(steps.waits, steps.totals);
  const Interval again = BootstrapRatioOfSums(steps.waits, steps.totals);
  EXPECT_EQ(once.low, again.low);
  EXPECT_EQ(once.high, again.high);
}

TEST(BootstrapTest, NarrowsWithTheSteps) {
  const Steps few = Draw(30, 0.3, 0.1, 0, 3);
  const Steps many = Draw(30'000, 0.3, 0.1, 0, 3);
  const Interval wide = BootstrapRatioOfSums(few.waits, few.totals);
  const Interval narrow = BootstrapRatioOfSums(many.waits, many.totals);
  EXPECT_LT(narrow.high - narrow.low, 0.2 * (wide.high - wide.low));
}

TEST(BootstrapTest, EqualStepsGiveAnIntervalWithoutWidth) {
  const std::vector<int64_t> waits(50, 25), totals(50, 100);
  const Interval interval = BootstrapRatioOfSums(waits, totals);
  EXPECT_DOUBLE_EQ(interval.low, 0.25);
  EXPECT_DOUBLE_EQ(interval.high, 0.25);
}

TEST(BootstrapTest, LongStepsCountForMore) {
  // The mean of the steps' shares would be 0.5; the share of the time is 0.9.
  std::vector<int64_t> waits, totals;
  for (int i = 0; i < 100; ++i) {
    waits.push_back(i % 2 == 0 ? 900 : 0);
    totals.push_back(i % 2 == 0 ? 900 : 100);
  }
  const Interval interval = BootstrapRatioOfSums(waits, totals);
  EXPECT_LE(interval.low, 0.9);
  EXPECT_GE(interval.high, 0.9);
  EXPECT_GT(interval.low, 0.8);
}

TEST(BootstrapTest, NothingHasNoShare) {
  const Interval empty = BootstrapRatioOfSums({}, {});
  EXPECT_EQ(empty.low, 0);
  EXPECT_EQ(empty.high, 0);
  const std::vector<int64_t> zeros(10, 0);
  EXPECT_EQ(BootstrapRatioOfSums(zeros, zeros).high, 0);
}

}  // namespace
}  // namespace steptrace::analyze
