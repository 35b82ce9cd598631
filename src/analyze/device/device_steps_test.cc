// SPDX-License-Identifier: Apache-2.0
#include "analyze/device/device_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

using ::testing::ElementsAre;

class DeviceStepsTest : public ::testing::Test {
 protected:
  // "number:begin-end" of each step.
  std::vector<std::string> Steps(std::string_view text) {
    const RankTrace trace = DrawRank(text, strings_);
    const DeviceSteps found = FindDeviceSteps(trace);
    dropped_ = found.dropped;
    std::vector<std::string> texts;
    for (const DeviceStep& step : found.steps) {
      texts.push_back(std::to_string(step.number) + ":" + std::to_string(step.ts_ns) + "-" +
                      std::to_string(step.end_ns()));
    }
    return texts;
  }

  store::StringTable strings_;
  int64_t dropped_ = 0;
};

TEST_F(DeviceStepsTest, AStepEndsWithTheDeviceWorkThatItLaunched) {
  EXPECT_THAT(Steps(R"(
t1 step ProfilerStep#1 0 100
t1 runtime cudaLaunchKernel 10 20 corr=1
t1 step ProfilerStep#2 100 200
t1 runtime cudaLaunchKernel 110 120 corr=2
s7 kernel a 50 150 corr=1
s7 kernel b 150 180 corr=2
)"),
              ElementsAre("1:0-150", "2:150-200"));
}

TEST_F(DeviceStepsTest, TheFirstBeginsAfterTheWorkLaunchedBeforeIt) {
  EXPECT_THAT(Steps(R"(
t1 step ProfilerStep#1 100 200
t1 runtime cudaLaunchKernel 110 120 corr=1
s7 kernel early 90 130
s7 kernel a 140 150 corr=1
s7 kernel between 145 150
)"),
              ElementsAre("1:130-200"));
}

TEST_F(DeviceStepsTest, CallsThatReachOutOfTheirStepBelongToNone) {
  EXPECT_THAT(Steps(R"(
t1 step ProfilerStep#1 0 100
t1 step ProfilerStep#2 100 200
t1 runtime cudaLaunchKernel 95 105 corr=1
t1 runtime cudaLaunchKernel 50 60 corr=2
t1 runtime cudaLaunchKernel 100 100 corr=3
t1 runtime cudaLaunchKernel 150 160 corr=4
s7 kernel reaching 300 400 corr=1
s7 kernel a 60 70 corr=2
s7 kernel border 105 110 corr=3
s7 kernel b 170 180 corr=4
)"),
              ElementsAre("1:0-110"));  // and the second has less than 0.8 of the first's work
  EXPECT_EQ(dropped_, 1);
}

TEST_F(DeviceStepsTest, StepsAtTheEndWithoutTheirDeviceWorkAreDropped) {
  EXPECT_THAT(Steps(R"(
t1 step ProfilerStep#1 0 100
t1 runtime cudaLaunchKernel 10 20 corr=1
t1 step ProfilerStep#2 100 200
t1 runtime cudaLaunchKernel 110 120 corr=2
t1 step ProfilerStep#3 200 300
s7 kernel a 20 30 corr=1
s7 kernel b 120 130 corr=2
)"),
              ElementsAre("1:0-100", "2:100-200"));
  EXPECT_EQ(dropped_, 1);
}

TEST_F(DeviceStepsTest, WithoutMarksAllOperatorsAreOneStep) {
  EXPECT_THAT(Steps(R"(
t1 annotation around 0 100
t1 op a 10 20
t1 op b 40 50
t1 runtime cudaLaunchKernel 41 42 corr=1
s7 kernel k 60 80 corr=1
)"),
              ElementsAre("0:10-80"));
}

TEST_F(DeviceStepsTest, WithoutDeviceWorkTheHostsStepsStay) {
  EXPECT_THAT(Steps("t1 step ProfilerStep#4 5 10\nt1 step ProfilerStep#5 10 30\n"),
              ElementsAre("4:5-10", "5:10-30"));
  EXPECT_THAT(Steps("s7 kernel k 60 80\n"), ElementsAre());
}

}  // namespace
}  // namespace steptrace::analyze
