// SPDX-License-Identifier: Apache-2.0
#include "analyze/derive/warm_up.h"

#include <gtest/gtest.h>

#include <numeric>

namespace steptrace::analyze {
namespace {

constexpr auto kTrain = static_cast<store::StringId>(1);
constexpr auto kWarmUp = static_cast<store::StringId>(2);
constexpr auto kEval = static_cast<store::StringId>(3);

std::vector<int64_t> Steps(std::vector<int64_t> first, size_t more, int64_t typical = 1000) {
  // A tenth of noise, in a pattern that has no trend.
  for (size_t i = 0; i < more; ++i) {
    first.push_back(typical + static_cast<int64_t>(i * 7 % 10) * typical / 100);
  }
  return first;
}

TEST(CountWarmUp, NoneInSteadySteps) {
  EXPECT_EQ(CountWarmUp(Steps({}, 64)), 0u);
}

TEST(CountWarmUp, TheFirstThatAreSlower) {
  EXPECT_EQ(CountWarmUp(Steps({9000, 3000, 1600}, 61)), 3u);
}

TEST(CountWarmUp, TheFirstThatAreFaster) {  // a queue that was full at the start
  EXPECT_EQ(CountWarmUp(Steps({100, 100, 100, 100}, 60)), 4u);
}

TEST(CountWarmUp, AQuarterIsNoise) {
  EXPECT_EQ(CountWarmUp(Steps({1250}, 63)), 0u);
}

TEST(CountWarmUp, ASlowStepLaterIsNone) {
  EXPECT_EQ(CountWarmUp(Steps({1000, 9000}, 62)), 0u);
}

TEST(CountWarmUp, AtMostHalf) {
  std::vector<int64_t> falling(64);
  std::iota(falling.rbegin(), falling.rend(), 1);
  EXPECT_LE(CountWarmUp(falling), 32u);
  EXPECT_EQ(CountWarmUp(Steps(std::vector<int64_t>(10, 9000), 10)), 10u);
}

TEST(CountWarmUp, TooFewShowNoNormal) {
  EXPECT_EQ(CountWarmUp(std::vector<int64_t>{}), 0u);
  EXPECT_EQ(CountWarmUp(std::vector<int64_t>{9000, 1000, 1000}), 0u);
}

store::StepRow Row(int64_t step, int64_t dur_ns, store::StringId kind = kTrain) {
  store::StepRow row;
  row.step = step;
  row.ts_ns = step * dur_ns;
  row.dur_ns = dur_ns;
  row.kind = kind;
  return row;
}

TEST(WarmUp, HoldsNoMoreThan64) {
  WarmUp warm_up({kTrain, kWarmUp});
  for (int64_t step = 0; step < 63; ++step) warm_up.Push(Row(step, 1000));
  EXPECT_TRUE(warm_up.Take().empty());
  warm_up.Push(Row(63, 1000));
  EXPECT_EQ(warm_up.Take().size(), 64u);
  warm_up.Push(Row(64, 9000));
  ASSERT_EQ(warm_up.Take().size(), 1u);
}

TEST(WarmUp, ATrainingThatHangsTellsItsSteps) {
  WarmUp warm_up({kTrain, kWarmUp});
  warm_up.Advance(1'000'000'000'000);
  for (int64_t step = 0; step < 8; ++step) warm_up.Push(Row(step, 1'000'000'000));
  warm_up.Advance(17'999'999'999);
  EXPECT_TRUE(warm_up.Take().empty());
  warm_up.Advance(18'000'000'000);
  EXPECT_EQ(warm_up.Take().size(), 8u);
  warm_up.Push(Row(8, 1'000'000'000));
  EXPECT_EQ(warm_up.Take().size(), 1u);
}

TEST(WarmUp, TheFirstStepsMayBeFarApart) {
  WarmUp warm_up({kTrain, kWarmUp});
  for (int64_t step = 0; step < 3; ++step) warm_up.Push(Row(step, 1'000'000'000));
  warm_up.Advance(62'999'999'999);
  EXPECT_TRUE(warm_up.Take().empty());
  warm_up.Advance(63'000'000'000);
  EXPECT_EQ(warm_up.Take().size(), 3u);
}

TEST(WarmUp, LongStepsAreNoHang) {
  WarmUp warm_up({kTrain, kWarmUp});
  for (int64_t step = 0; step < 3; ++step) warm_up.Push(Row(step, 20'000'000'000));
  warm_up.Advance(159'000'000'000);  // 99 s after the last: not five steps yet
  EXPECT_TRUE(warm_up.Take().empty());
  warm_up.Advance(160'000'000'000);
  EXPECT_EQ(warm_up.Take().size(), 3u);
}

TEST(WarmUp, AStepThatTookVeryLongIsNoWarmUpOfOthers) {
  const auto push_all = [](bool advance) {
    WarmUp warm_up({kTrain, kWarmUp});
    for (int64_t step = 0; step < 10; ++step) warm_up.Push(Row(step, 1'000'000));
    if (advance) warm_up.Advance(12'000'000'000);
    store::StepRow slow = Row(10, 1'000'000);
    slow.dur_ns = 20'000'000'000;
    warm_up.Push(slow);
    std::vector<store::StringId> kinds;
    warm_up.Finish();
    for (const auto& row : warm_up.Take()) kinds.push_back(row.kind);
    return kinds;
  };
  EXPECT_EQ(push_all(true), push_all(false));
}

TEST(WarmUp, LongStepsAreNotHeldForLong) {
  WarmUp warm_up({kTrain, kWarmUp});
  for (int64_t step = 0; step < 7; ++step) warm_up.Push(Row(step, 5'000'000'000));
  EXPECT_TRUE(warm_up.Take().empty());
  warm_up.Push(Row(7, 5'000'000'000));
  EXPECT_EQ(warm_up.Take().size(), 8u);
}

TEST(WarmUp, EvaluationsKeepTheirPlaceAndDoNotCount) {
  WarmUp warm_up({kTrain, kWarmUp});
  warm_up.Push(Row(0, 90'000, kEval));
  warm_up.Push(Row(0, 9000));
  for (int64_t step = 1; step < 8; ++step) warm_up.Push(Row(step, 1000));
  warm_up.Finish();
  const auto rows = warm_up.Take();
  ASSERT_EQ(rows.size(), 9u);
  EXPECT_EQ(rows[0].kind, kEval);
  EXPECT_EQ(rows[1].kind, kWarmUp);
  EXPECT_EQ(rows[2].kind, kTrain);
}

TEST(WarmUp, AnEvaluationInAStepMakesItNoWarmUp) {
  WarmUp warm_up({kTrain, kWarmUp});
  auto first = Row(0, 9000);
  first.evaluation_ns = 5000;
  first.checkpoint_ns = 3000;
  warm_up.Push(first);
  for (int64_t step = 1; step < 8; ++step) warm_up.Push(Row(step, 1000));
  warm_up.Finish();
  EXPECT_EQ(warm_up.Take()[0].kind, kTrain);
}

}  // namespace
}  // namespace steptrace::analyze
