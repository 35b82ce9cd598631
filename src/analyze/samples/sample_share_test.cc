// SPDX-License-Identifier: Apache-2.0
#include "analyze/samples/sample_share.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace steptrace::analyze {
namespace {

TEST(SampleShareTest, IsWilsonsWhereSamplesAreIndependent) {
  // 81 of 263: the worked example of Newcombe, Statistics in Medicine 17 (1998) 857, method 3.
  const std::vector<ShareCell> one = {{81, 263}};
  const Interval interval = SampleShareInterval(one, 263);
  EXPECT_NEAR(interval.low, 0.2553, 0.0001);
  EXPECT_NEAR(interval.high, 0.3662, 0.0001);
  const std::vector<ShareCell> none = {{0, 20}};
  EXPECT_EQ(SampleShareInterval(none, 20).low, 0);
  EXPECT_NEAR(SampleShareInterval(none, 20).high, 0.1611, 0.0001);  // the same, 0 of 20
}

TEST(SampleShareTest, NoSamplesGiveNoShare) {
  EXPECT_EQ(SampleShareInterval({}, 0).low, 0);
  EXPECT_EQ(SampleShareInterval({}, 0).high, 1);
}

// Blocks of steps whose true share differs: each has 10 samples.
std::vector<ShareCell> Draw(std::mt19937_64& random, double spread) {
  std::vector<ShareCell> blocks;
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int b = 0; b < 100; ++b) {
    const double share = 0.3 + spread * (uniform(random) - 0.5);
    ShareCell cell{0, 10};
    for (int i = 0; i < 10; ++i) cell.part += uniform(random) < share ? 1 : 0;
    blocks.push_back(cell);
  }
  return blocks;
}

TEST(SampleShareTest, HoldsTheTruthInNineteenOfTwenty) {
  std::mt19937_64 random(1);
  for (double spread : {0.0, 0.6}) {
    int held = 0;
    constexpr int kRuns = 2000;
    for (int run = 0; run < kRuns; ++run) {
      const Interval interval = SampleShareInterval(Draw(random, spread), 1000);
      held += interval.low <= 0.3 && 0.3 <= interval.high;
    }
    EXPECT_GT(held, kRuns * 0.935) << spread;
    EXPECT_LT(held, kRuns * 0.985) << spread;
  }
}

TEST(SampleShareTest, BlocksThatAgreeWithinWidenIt) {
  std::vector<ShareCell> alike;
  for (int b = 0; b < 20; ++b) alike.push_back({b % 2 == 0 ? 10.0 : 0.0, 10});
  const Interval wide = SampleShareInterval(alike, 200);
  const std::vector<ShareCell> even(20, ShareCell{5, 10});
  const Interval narrow = SampleShareInterval(even, 200);
  EXPECT_GT(wide.high - wide.low, 2.5 * (narrow.high - narrow.low));
}

}  // namespace
}  // namespace steptrace::analyze
