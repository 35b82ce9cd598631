// SPDX-License-Identifier: Apache-2.0
#include "analyze/stats/distribution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace steptrace::analyze {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Integers = std::vector<int64_t>;

TEST(PercentileTest, IsAValueThatOccurred) {
  const Integers sorted = {10, 20, 30, 40};
  EXPECT_EQ(PercentileOfSorted(sorted, 50), 20);  // two of four do not exceed it
  EXPECT_EQ(PercentileOfSorted(sorted, 51), 30);
  EXPECT_EQ(PercentileOfSorted(sorted, 75), 30);
  EXPECT_EQ(PercentileOfSorted(sorted, 99), 40);
  EXPECT_EQ(PercentileOfSorted(sorted, 1), 10);
}

TEST(PercentileTest, OfAHundredIsThatOne) {
  Integers values(100);
  std::iota(values.begin(), values.end(), 1);
  for (int percent = 1; percent <= 100; ++percent) {
    EXPECT_EQ(PercentileOfSorted(values, percent), percent);
  }
}

TEST(PercentileTest, OfAnyOrderIsThatOfTheSorted) {
  for (int count : {1, 2, 7, 20, 101}) {
    Integers sorted(static_cast<size_t>(count));
    std::iota(sorted.begin(), sorted.end(), -3);
    Integers values(sorted.rbegin(), sorted.rend());
    for (int percent : {1, 50, 90, 99, 100}) {
      EXPECT_EQ(TakePercentile(values, percent), PercentileOfSorted(sorted, percent));
    }
  }
  EXPECT_EQ(TakePercentile({}, 50), 0);
}

TEST(DescribeTest, CountsWholeNumbersExactly) {
  // Doubles would lose the last digits.
  const int64_t big = int64_t{1} << 60;
  const auto d = Describe(Integers{big + 1, big + 3, big + 2});
  ASSERT_TRUE(d.has_value());
  EXPECT_EQ(d->mean, big + 2);
  EXPECT_EQ(d->min, big + 1);
  EXPECT_EQ(d->p50, big + 2);
  EXPECT_EQ(d->max, big + 3);
}

TEST(DescribeTest, OfAnyOrderItIsThatOfTheSorted) {
  for (const size_t count : {1u, 2u, 9u, 10u, 11u, 100u, 1000u}) {
    Integers values;
    for (size_t i = 0; i < count; ++i) values.push_back(static_cast<int64_t>(i * 7919 % 997));
    const auto d = Describe(values);
    std::sort(values.begin(), values.end());
    EXPECT_EQ(d->min, values.front());
    EXPECT_EQ(d->p50, PercentileOfSorted(values, 50));
    EXPECT_EQ(d->p90, PercentileOfSorted(values, 90));
    EXPECT_EQ(d->p95, PercentileOfSorted(values, 95));
    EXPECT_EQ(d->p99, PercentileOfSorted(values, 99));
    EXPECT_EQ(d->max, values.back());
  }
}

TEST(DescribeTest, RoundsTheMeanToTheNearest) {
  EXPECT_EQ(Describe(Integers{1, 2})->mean, 2);
  EXPECT_EQ(Describe(Integers{1, 1, 2})->mean, 1);
  EXPECT_EQ(Describe(Integers{-1, -2})->mean, -2);
  const int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(Describe(Integers{most, most, most})->mean, most);
}

TEST(DescribeTest, NothingIsNotZero) {
  EXPECT_FALSE(Describe(Integers{}).has_value());
  EXPECT_FALSE(Describe(std::vector<double>{NAN, INFINITY}).has_value());
}

TEST(DescribeTest, LeavesOutWhatIsNoNumber) {
  const auto d = Describe(std::vector<double>{2, NAN, 1, INFINITY, 3});
  ASSERT_TRUE(d.has_value());
  EXPECT_EQ(d->samples, 3);
  EXPECT_EQ(d->mean, 2);
  EXPECT_EQ(d->p50, 2);
}

TEST(SparklineTest, AveragesRangesOfValues) {
  const Integers times = {0, 10, 20, 30, 40, 50, 60, 70};
  const std::vector<double> values = {1, 3, 2, 2, 0, 0, 5, 7};
  EXPECT_THAT(Sparkline(times, values, 0, 80, 4), ElementsAre(2, 2, 0, 6));
}

TEST(SparklineTest, RepeatsOverAGap) {
  const Integers times = {0, 10, 70, 75};
  const std::vector<double> values = {4, 4, 9, 9};
  EXPECT_THAT(Sparkline(times, values, 0, 80, 4), ElementsAre(4, 4, 4, 9));
}

TEST(SparklineTest, NoValuesGiveNoSparkline) {
  EXPECT_THAT(Sparkline({}, {}, 0, 80, 4), IsEmpty());
  const Integers times = {1};
  const std::vector<double> values = {1};
  EXPECT_THAT(Sparkline(times, values, 5, 5, 4), IsEmpty());
}

TEST(PerSecondTest, IsExactWhereItIsAWholeNumber) {
  EXPECT_EQ(PerSecond(4096, 10'000), 409'600'000.0);
  EXPECT_EQ(PerSecond(3, 7), 3e9 / 7);
  EXPECT_EQ(PerSecond(std::numeric_limits<int64_t>::max(), 1), 9223372036854775807.0 * 1e9);
  EXPECT_EQ(PerSecond(0, 5), 0.0);
}

TEST(SaturatingAddTest, StopsAtTheEnds) {
  const int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(SaturatingAdd(most, 1), most);
  EXPECT_EQ(SaturatingAdd(-most, -most), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(SaturatingAdd(2, 3), 5);
}

}  // namespace
}  // namespace steptrace::analyze
