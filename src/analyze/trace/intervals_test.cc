// SPDX-License-Identifier: Apache-2.0
#include "analyze/trace/intervals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bitset>
#include <random>

namespace steptrace::analyze {
namespace {

using ::testing::ElementsAre;

constexpr int kMoments = 64;
using Moments = std::bitset<kMoments>;  // the same set, a bit a nanosecond

std::vector<TimeRange> Random(std::mt19937& random) {
  std::vector<TimeRange> time_ranges(random() % 9);
  for (TimeRange& one : time_ranges) {
    one.begin_ns = static_cast<int64_t>(random() % kMoments);
    one.end_ns = static_cast<int64_t>(random() % kMoments);  // may be before its begin
  }
  return time_ranges;
}

Moments BitsOf(const std::vector<TimeRange>& time_ranges) {
  Moments bits;
  for (const TimeRange& one : time_ranges) {
    for (int64_t ns = one.begin_ns; ns < one.end_ns; ++ns) bits.set(static_cast<size_t>(ns));
  }
  return bits;
}

void ExpectSame(const Intervals& set, const Moments& bits) {
  EXPECT_EQ(BitsOf(set), bits);
  EXPECT_EQ(Length(set), static_cast<int64_t>(bits.count()));
  for (size_t i = 0; i < set.size(); ++i) {
    EXPECT_LT(set[i].begin_ns, set[i].end_ns);
    if (i > 0) {
      EXPECT_GT(set[i].begin_ns, set[i - 1].end_ns);
    }
  }
}

TEST(IntervalsTest, AgreeWithBitsOnRandomSets) {
  std::mt19937 random(20240917);
  for (int round = 0; round < 20'000; ++round) {
    const auto first = Random(random);
    const auto second = Random(random);
    const Intervals a = Union(first);
    const Intervals b = Union(second);
    const Moments bits_a = BitsOf(first);
    const Moments bits_b = BitsOf(second);
    ExpectSame(a, bits_a);
    ExpectSame(Union(a, b), bits_a | bits_b);
    ExpectSame(Intersection(a, b), bits_a & bits_b);
    ExpectSame(Difference(a, b), bits_a & ~bits_b);
    EXPECT_EQ(Overlap(a, b), static_cast<int64_t>((bits_a & bits_b).count()));
    const TimeRange window = {static_cast<int64_t>(random() % kMoments),
                              static_cast<int64_t>(random() % kMoments)};
    const Moments bits_window = BitsOf({window});
    ExpectSame(Within(a, window), bits_a & bits_window);
    EXPECT_EQ(LengthWithin(a, window), static_cast<int64_t>((bits_a & bits_window).count()));
    EXPECT_EQ(MeasuredIntervals(a).LengthWithin(window), LengthWithin(a, window));
    const size_t moment = random() % kMoments;
    EXPECT_EQ(Contains(a, static_cast<int64_t>(moment)), bits_a.test(moment));
    if (HasFailure()) FAIL() << "round " << round;
  }
}

TEST(IntervalsTest, TouchingRangesAreJoined) {
  EXPECT_THAT(Union({{5, 9}, {0, 5}, {20, 20}, {30, 10}}), ElementsAre(TimeRange{0, 9}));
}

TEST(IntervalsTest, TimesBeyondADoubleStayExact) {
  const int64_t large = int64_t{1} << 60;
  const Intervals set = Union({{large, large + 3}, {large + 2, large + 7}});
  EXPECT_EQ(Length(set), 7);
  EXPECT_EQ(LengthWithin(set, {large + 1, large + 6}), 5);
}

TEST(MeasuredIntervalsTest, SetsOfHalfOfAllMomentsAreMeasured) {
  const int64_t far = int64_t{1} << 62;
  const MeasuredIntervals set({{-far, far - 1}, {far, far + 9}, {far + 20, far + 25}});
  EXPECT_EQ(set.LengthWithin({far - 5, far + 22}), 4 + 9 + 2);
  EXPECT_EQ(set.LengthWithin({far + 9, far + 20}), 0);
  EXPECT_EQ(MeasuredIntervals().LengthWithin({0, 5}), 0);
}

}  // namespace
}  // namespace steptrace::analyze
