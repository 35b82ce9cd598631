// SPDX-License-Identifier: Apache-2.0
#include "analyze/device/device_phase_sums.h"

#include <gtest/gtest.h>

#include <numeric>

namespace steptrace::analyze {
namespace {

constexpr int64_t kMs = 1'000'000;

store::StepRow StepAt(int64_t number, int64_t from_ms, int64_t to_ms, int32_t rank = 0) {
  store::StepRow row;
  row.rank = rank;
  row.step = number;
  row.ts_ns = from_ms * kMs;
  row.dur_ns = (to_ms - from_ms) * kMs;
  return row;
}

DevicePhaseSums::Slice Phase(DevicePhase phase, int64_t from_ms, int64_t to_ms,
                             std::optional<int64_t> behind_us = {}, int32_t rank = 0) {
  return {rank, from_ms * kMs, (to_ms - from_ms) * kMs, phase, behind_us};
}

int64_t KnownNs(const StepOnDevice& step) {
  return std::accumulate(step.ns.begin(), step.ns.end(), int64_t{0});
}

//   host    |------ step 0 ------|------ step 1 ------|
//   device  |data| fwd | bwd |opt ..|data| fwd | bwd  |
TEST(DevicePhaseSumsTest, APhaseCountsWhereItsPartsLie) {
  const std::vector<store::StepRow> steps = {StepAt(0, 0, 100), StepAt(1, 100, 200)};
  DevicePhaseSums sums(steps);
  sums.Add(Phase(DevicePhase::kData, 0, 10));
  sums.Add(Phase(DevicePhase::kForward, 10, 40));
  sums.Add(Phase(DevicePhase::kBackward, 40, 90));
  sums.Add(Phase(DevicePhase::kOptimizer, 90, 115));
  sums.Add(Phase(DevicePhase::kData, 115, 120));
  sums.Add(Phase(DevicePhase::kForward, 120, 150));
  sums.Add(Phase(DevicePhase::kBackward, 150, 200));
  const StepsOnDevice known = sums.Take();
  ASSERT_EQ(known.size(), 2u);
  const StepOnDevice& first = known.at({0, 0});
  EXPECT_EQ(first.Of(DevicePhase::kOptimizer), 10 * kMs);
  EXPECT_EQ(first.BusyNs(), 90 * kMs);
  EXPECT_EQ(KnownNs(first), 100 * kMs);
  const StepOnDevice& second = known.at({0, 100 * kMs});
  EXPECT_EQ(second.Of(DevicePhase::kOptimizer), 15 * kMs) << "the device is behind the host";
  EXPECT_EQ(second.Of(DevicePhase::kData), 5 * kMs);
}

TEST(DevicePhaseSumsTest, AStepThatIsNotCoveredIsNotKnown) {
  const std::vector<store::StepRow> steps = {StepAt(0, 0, 100), StepAt(1, 100, 200)};
  DevicePhaseSums sums(steps);
  sums.Add(Phase(DevicePhase::kForward, 1, 100));    // all but 1 %
  sums.Add(Phase(DevicePhase::kForward, 103, 200));  // all but 3 %
  const StepsOnDevice known = sums.Take();
  ASSERT_EQ(known.size(), 1u);
  EXPECT_TRUE(known.contains({0, 0}));
}

TEST(DevicePhaseSumsTest, RanksAreApart) {
  const std::vector<store::StepRow> steps = {StepAt(0, 0, 100, 0), StepAt(0, 0, 100, 1)};
  DevicePhaseSums sums(steps);
  sums.Add(Phase(DevicePhase::kForward, 0, 100, {}, 1));
  sums.Add(Phase(DevicePhase::kForward, 0, 100, {}, 7));
  const StepsOnDevice known = sums.Take();
  ASSERT_EQ(known.size(), 1u);
  EXPECT_TRUE(known.contains({1, 0}));
}

TEST(DevicePhaseSumsTest, IdleDeviceAtAPhaseEndIsCounted) {
  const std::vector<store::StepRow> steps = {StepAt(0, 0, 100), StepAt(1, 100, 200)};
  DevicePhaseSums sums(steps);
  sums.Add(Phase(DevicePhase::kData, 0, 10, 3));  // no work of the model's
  sums.Add(Phase(DevicePhase::kForward, 10, 40, kCaughtUpUs));
  sums.Add(Phase(DevicePhase::kBackward, 40, 90, kCaughtUpUs + 1));
  sums.Add(Phase(DevicePhase::kOptimizer, 90, 110));  // not known
  sums.Add(Phase(DevicePhase::kForward, 110, 200, 5));
  const StepsOnDevice known = sums.Take();
  EXPECT_EQ(known.at({0, 0}).ended, 2);
  EXPECT_EQ(known.at({0, 0}).caught_up, 1);
  EXPECT_EQ(known.at({0, 100 * kMs}).ended, 0) << "the last ends with the step after it";
  const std::vector<uint32_t> all = {0, 1};
  const auto rows = MakeDevicePhases(known, steps, all);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].caught_up_share, 0.5);
}

// It has the number of the step that it lies in, and is none of its own.
TEST(DevicePhaseSumsTest, AnEvaluationInAStepHidesNeitherItNorTheOneAfterIt) {
  const std::vector<store::StepRow> steps = {StepAt(0, 0, 100), StepAt(0, 20, 30),
                                             StepAt(1, 100, 200), StepAt(1, 100, 150),
                                             StepAt(2, 200, 300)};
  DevicePhaseSums sums(steps);
  sums.Add(Phase(DevicePhase::kOther, 0, 40));
  sums.Add(Phase(DevicePhase::kForward, 40, 100, 5));
  sums.Add(Phase(DevicePhase::kForward, 100, 190));
  sums.Add(Phase(DevicePhase::kData, 190, 300));
  const StepsOnDevice known = sums.Take();
  ASSERT_EQ(known.size(), 3u);
  const StepOnDevice& first = known.at({0, 0});
  EXPECT_EQ(first.Of(DevicePhase::kOther), 40 * kMs);
  EXPECT_EQ(first.Of(DevicePhase::kForward), 60 * kMs);
  EXPECT_EQ(known.at({0, 100 * kMs}).Of(DevicePhase::kForward), 90 * kMs);
  const std::vector<uint32_t> training = {0, 2, 4};
  const auto rows = MakeDevicePhases(known, steps, training);
  EXPECT_EQ(rows.at(0).ns[0], 50 * kMs);
  EXPECT_EQ(rows.at(0).step_ns, 100 * kMs);
}

TEST(DevicePhaseSumsTest, APhaseMayLieAcrossManySteps) {
  std::vector<store::StepRow> steps;
  for (int64_t i = 0; i < 6; ++i) steps.push_back(StepAt(i, i * 10, i * 10 + 10));
  DevicePhaseSums sums(steps);
  sums.Add(Phase(DevicePhase::kForward, 0, 5));
  sums.Add(Phase(DevicePhase::kData, 5, 48, 3));
  sums.Add(Phase(DevicePhase::kOptimizer, 48, 60, 3));
  const StepsOnDevice known = sums.Take();
  ASSERT_EQ(known.size(), 6u);
  int64_t waited_ns = 0;
  for (const auto& [which, step] : known) {
    EXPECT_EQ(KnownNs(step), 10 * kMs);
    waited_ns += step.Of(DevicePhase::kData);
  }
  EXPECT_EQ(waited_ns, 43 * kMs);
  EXPECT_EQ(known.at({0, 40 * kMs}).Of(DevicePhase::kData), 8 * kMs);
  EXPECT_EQ(known.at({0, 50 * kMs}).ended, 0) << "it ends with the run";
}

TEST(DevicePhaseSumsTest, StepsOfImpossibleLengthDoNotOverflow) {
  constexpr int64_t kMost = INT64_MAX;
  std::vector<store::StepRow> steps(4);
  for (size_t i = 0; i < steps.size(); ++i) {
    steps[i].rank = i < 2 ? 0 : 1;
    steps[i].ts_ns = i % 2 == 0 ? INT64_MIN + 1 : 0;
    steps[i].dur_ns = kMost;
  }
  DevicePhaseSums sums(steps);
  for (int32_t rank : {0, 1}) {
    for (int i = 0; i < 3; ++i) {
      sums.Add({rank, INT64_MIN + 1, kMost, DevicePhase::kForward, {}});
      sums.Add({rank, 0, kMost, DevicePhase::kBackward, {}});
    }
  }
  const std::vector<uint32_t> all = {0, 1, 2, 3};
  const auto rows = MakeDevicePhases(sums.Take(), steps, all);
  ASSERT_EQ(rows.size(), 2u);
  for (const DevicePhaseRow& row : rows) {
    EXPECT_EQ(row.steps, 2);
    EXPECT_EQ(row.step_ns, kMost / 2) << "no more than there is";
    EXPECT_GE(row.unknown_ns, 0);
  }
  EXPECT_GT(MeanDevicePhases(rows).step_ns, 0);
  DevicePhaseRow longest;
  longest.steps = 1;
  longest.step_ns = longest.ns[0] = kMost;
  EXPECT_GT(MeanDevicePhases({&longest, 1}).ns[0], 0);
}

TEST(DevicePhaseSumsTest, DamageIsNoMoreThanTheStep) {
  const std::vector<store::StepRow> steps = {StepAt(0, 0, 100), StepAt(1, 100, 90),
                                             StepAt(2, INT64_MAX / kMs, INT64_MAX / kMs + 5)};
  DevicePhaseSums sums(steps);
  for (int i = 0; i < 3; ++i) sums.Add(Phase(DevicePhase::kForward, 0, 100));
  sums.Add({0, 50 * kMs, INT64_MAX, DevicePhase::kBackward, {}});
  sums.Add({0, 50 * kMs, -5, DevicePhase::kBackward, {}});
  sums.Add({0, INT64_MIN, INT64_MAX, DevicePhase::kBackward, -3});
  const StepsOnDevice known = sums.Take();
  for (const auto& [step, times] : known) EXPECT_LE(KnownNs(times), 100 * kMs);
  EXPECT_EQ(known.at({0, 0}).BusyNs(), 100 * kMs);
}

TEST(MakeDevicePhasesTest, RowIsTheMeanOfTheKnownSteps) {
  const std::vector<store::StepRow> steps = {StepAt(0, 0, 100), StepAt(1, 100, 200),
                                             StepAt(2, 200, 300), StepAt(0, 0, 50, 1)};
  DevicePhaseSums sums(steps);
  sums.Add(Phase(DevicePhase::kForward, 0, 100));
  sums.Add(Phase(DevicePhase::kForward, 100, 120));
  sums.Add(Phase(DevicePhase::kData, 120, 199));
  sums.Add(Phase(DevicePhase::kData, 0, 50, {}, 1));
  const std::vector<uint32_t> all = {0, 1, 2, 3};
  const auto rows = MakeDevicePhases(sums.Take(), steps, all);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].steps, 2);
  EXPECT_EQ(rows[0].step_ns, 100 * kMs);
  EXPECT_EQ(rows[0].ns[0], 60 * kMs);
  EXPECT_DOUBLE_EQ(rows[0].share[3], 0.395);
  EXPECT_EQ(rows[0].unknown_ns, kMs / 2);
  EXPECT_EQ(std::accumulate(rows[0].ns.begin(), rows[0].ns.end(), rows[0].unknown_ns),
            rows[0].step_ns);
  EXPECT_FALSE(rows[0].caught_up_share);
  const DevicePhaseRow mean = MeanDevicePhases(rows);
  EXPECT_EQ(mean.steps, 3);
  EXPECT_EQ(mean.step_ns, 250 * kMs / 3) << "each rank by its steps";
  EXPECT_DOUBLE_EQ(mean.share[0], 120.0 / 250);
  EXPECT_DOUBLE_EQ(mean.BusyShare(), 120.0 / 250);
}

TEST(DevicePhaseOfTest, NamesAreTheStoredOnes) {
  for (size_t i = 0; i < kDevicePhaseCount; ++i) {
    EXPECT_EQ(DevicePhaseOf(kDevicePhaseNames[i]), static_cast<DevicePhase>(i));
  }
  EXPECT_FALSE(DevicePhaseOf("gc"));
}

}  // namespace
}  // namespace steptrace::analyze
