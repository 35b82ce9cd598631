// SPDX-License-Identifier: Apache-2.0
#include "analyze/device/device_phases.h"

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
  EXPECT_EQ(first.KnownNs(), 100 * kMs);
  const StepOnDevice& second = known.at({0, 1});
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

TEST(DevicePhaseSumsTest, WhoIsLateIsCountedWhereAPhaseEnds) {
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
  EXPECT_EQ(known.at({0, 1}).ended, 0) << "the last ends with the step after it";
  const std::vector<uint32_t> all = {0, 1};
  const auto rows = MakeDevicePhases(known, steps, all);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].caught_up_share, 0.5);
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
  for (const auto& [step, times] : known) EXPECT_LE(times.KnownNs(), 100 * kMs);
  EXPECT_EQ(known.at({0, 0}).BusyNs(), 100 * kMs);
}

TEST(MakeDevicePhasesTest, ARowIsTheMeanOfTheStepsThatAreKnown) {
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
