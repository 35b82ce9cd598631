// SPDX-License-Identifier: Apache-2.0
#include "analyze/rules/device_use.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class DeviceUseTest : public ::testing::Test {
 protected:
  void Step(int32_t rank, int64_t ts_ns, int64_t dur_ns, const char* kind, int64_t data_ns = 0) {
    store::StepRow row;
    row.rank = rank;
    row.step = static_cast<int64_t>(steps_.size());
    row.ts_ns = ts_ns;
    row.dur_ns = dur_ns;
    row.kind = strings_.Intern(kind);
    row.data_ns = row.data_pipeline_ns = data_ns;
    row.other_phase_ns = row.other_ns = dur_ns - data_ns;
    steps_.push_back(row);
  }
  std::vector<DeviceUse> Use(std::string_view text) {
    return DeviceUseOf(DrawTrace(text, strings_), steps_, strings_);
  }
  static std::vector<int64_t> Busy(const DeviceUse& use) {
    std::vector<int64_t> busy_ns;
    for (const DeviceUse::Part& part : use.parts) busy_ns.push_back(part.busy_ns);
    return busy_ns;
  }

  store::StringTable strings_;
  std::vector<store::StepRow> steps_;
};

TEST_F(DeviceUseTest, WhatOverlapsCountsOnceAndOnlyWithinSteadySteps) {
  Step(0, 0, 100, "warm-up");
  Step(0, 100, 100, "train", 30);
  Step(0, 400, 100, "train");
  Step(0, 200, 100, "train");
  Step(0, 300, 100, "eval");
  const auto uses = Use(R"(
s7 kernel a 50 120
s9 kernel b 110 130
s7 memcpy "Memcpy HtoD" 150 160
s7 memset Memset 155 165
s7 sync "Stream Wait Event" 100 300
s7 gpu_annotation around 0 400
s7 kernel c 290 350
)");
  ASSERT_EQ(uses.size(), 1U);
  EXPECT_TRUE(uses[0].by_step);
  EXPECT_THAT(Busy(uses[0]), ElementsAre(30 + 15, 10, 0));
  EXPECT_EQ(uses[0].parts[0].data_ns, 30);
  EXPECT_EQ(uses[0].parts[1].dur_ns, 100);
}

TEST_F(DeviceUseTest, EachDeviceOfEachRank) {
  for (const int64_t ts_ns : {0, 100, 200}) Step(0, ts_ns, 100, "train");
  for (const int64_t ts_ns : {0, 100}) Step(1, ts_ns, 100, "train");
  const auto uses = Use(R"(
rank 0
d0s7 kernel a 0 10
d3s7 kernel a 500 520
rank 1
d0s7 kernel a 5 10
d0s7 kernel a 20 25
)");
  ASSERT_EQ(uses.size(), 3U);
  EXPECT_THAT(Busy(uses[0]), ElementsAre(10, 0, 0));
  EXPECT_EQ(uses[1].device, 3);
  EXPECT_THAT(Busy(uses[1]), ElementsAre(0, 0, 0));  // it worked, in no step
  EXPECT_EQ(uses[2].rank, 1);
  EXPECT_FALSE(uses[2].by_step);  // that rank has two steps: of the whole
  EXPECT_EQ(uses[2].parts[0].dur_ns, 20);
  EXPECT_THAT(Busy(uses[2]), ElementsAre(10));
}

TEST_F(DeviceUseTest, WorkInAnyOrder) {
  for (const int64_t ts_ns : {0, 100, 200}) Step(0, ts_ns, 100, "train");
  DeviceUseBuilder builder;
  for (const TimeRange& work : std::vector<TimeRange>{
           {60, 80}, {10, 20}, {15, 30}, {70, 90}, {0, 12}, {95, 95}, {40, 35}}) {
    builder.Add(0, 0, 0, work);
  }
  const auto uses = builder.Finish(steps_, strings_);
  ASSERT_EQ(uses.size(), 1U);
  EXPECT_THAT(Busy(uses[0]), ElementsAre(30 + 30, 0, 0));
}

TEST_F(DeviceUseTest, TooManyDevicesForTheStepsAreTakenAsAWhole) {
  constexpr int64_t kSteps = 4096;
  for (int64_t i = 0; i < kSteps; ++i) Step(0, i * 100, 100, "train");
  constexpr auto kMost = static_cast<int32_t>(DeviceUseBuilder::kMostParts / kSteps);
  DeviceUseBuilder builder;
  for (int32_t device = 0; device < kMost; ++device) builder.Add(0, 0, device, {0, 50});
  EXPECT_EQ(builder.Finish(steps_, strings_).back().parts.size(), kSteps);
  builder.Add(0, 0, kMost, {20, 50});
  const auto uses = builder.Finish(steps_, strings_);
  ASSERT_EQ(uses.size(), kMost + 1);
  EXPECT_FALSE(uses.back().by_step);
  EXPECT_THAT(Busy(uses.back()), ElementsAre(30));
}

TEST_F(DeviceUseTest, ImpossibleTimesAndTooManyRangesAreHandled) {
  DeviceUseBuilder builder;
  builder.Add(0, 0, 0, {INT64_MIN, 5});
  builder.Add(0, 0, 0, {5, INT64_MAX});
  EXPECT_THAT(builder.Finish(steps_, strings_), IsEmpty());
  DeviceUseBuilder full;
  for (size_t i = 0; i <= DeviceUseBuilder::kMostRanges; ++i) {
    const auto at = static_cast<int64_t>(2 * i);
    full.Add(0, 0, 0, {at, at + 1});
  }
  EXPECT_THAT(full.Finish(steps_, strings_), IsEmpty());
}

}  // namespace
}  // namespace steptrace::analyze
