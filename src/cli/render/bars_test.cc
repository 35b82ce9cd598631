// SPDX-License-Identifier: Apache-2.0
#include "cli/render/bars.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace steptrace::cli {
namespace {

TEST(BarTest, IsExactToAnEighth) {
  EXPECT_EQ(Bar(1, 4, true), "████");
  EXPECT_EQ(Bar(0.5, 4, true), "██");
  EXPECT_EQ(Bar(0.53125, 4, true), "██▏");
  EXPECT_EQ(Bar(0.71875, 4, true), "██▉");
}

TEST(BarTest, SmallNonZeroShareIsVisible) {
  EXPECT_EQ(Bar(1e-9, 40, true), "▏");
  EXPECT_EQ(Bar(1e-9, 40, false), "#");
  EXPECT_EQ(Bar(0, 40, true), "");
}

TEST(BarTest, NeverLongerThanItsCells) {
  EXPECT_EQ(Bar(7, 2, true), "██");
  EXPECT_EQ(Bar(NAN, 2, true), "");
  EXPECT_EQ(Bar(-1, 2, true), "");
  EXPECT_EQ(Bar(0.5, -1, true), "");
}

TEST(SparklineTextTest, RisesWithTheValue) {
  const double values[] = {0, 0.5, 1, 2, -1};
  EXPECT_EQ(SparklineText(values, 0, 1, 10, true), "▁▅██▁");
  EXPECT_EQ(SparklineText(values, 0, 1, 10, false), "_=##_");
}

TEST(SparklineTextTest, AveragesNeighbours) {
  const double values[] = {0, 1, 1, 1};
  EXPECT_EQ(SparklineText(values, 0, 1, 2, true), "▅█");
}

TEST(SparklineTextTest, HoldsWhatIsNoNumber) {
  const double values[] = {NAN, 1};
  EXPECT_EQ(SparklineText(values, 0, 1, 2, true), " █");
  EXPECT_EQ(SparklineText(values, 1, 1, 2, true), "▁▁");
  EXPECT_EQ(SparklineText({}, 0, 1, 2, true), "");
}

}  // namespace
}  // namespace steptrace::cli
