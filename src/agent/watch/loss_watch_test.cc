// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/loss_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "testing/job_by_hand.h"

namespace steptrace::agent {
namespace {

// What is said of so many losses.
std::vector<std::string> Said(int64_t steps, const std::function<double(int64_t)>& loss_at) {
  LossWatch watch;
  store::StringTable strings;
  for (int64_t step = 0; step < steps; ++step) {
    ReportedTensor loss;
    loss.step = step;
    loss.role = wire::TensorRole::kLoss;
    loss.numel = 1;
    loss.sum = loss_at(step);
    watch.OnTensors({3, 1, true}, std::span(&loss, 1));
  }
  std::vector<std::string> said;
  for (const Alert& alert : watch.Check(Moment::kSettled, 0, JobByHand{})) {
    said.push_back(RowOf(alert, 0, strings).text);
  }
  return said;
}

// The same for every seed; between -1 and 1.
double Noise(int64_t step) {
  return static_cast<double>(step * 7919 % 1000) / 500 - 1;
}

TEST(LossWatch, ALossThatFallsIsFine) {
  EXPECT_TRUE(
      Said(5000, [](int64_t i) { return 2.3 - 0.0001 * double(i) + 0.3 * Noise(i); }).empty());
}

TEST(LossWatch, StagnantLossIsReportedOnce) {
  EXPECT_THAT(
      Said(5000, [](int64_t) { return 2.3; }),
      testing::ElementsAre("the loss has not fallen in 576 steps, up to step 575 on rank 3"));
}

TEST(LossWatch, ALossThatRises) {
  EXPECT_THAT(Said(600, [](int64_t i) { return 1 + 0.01 * double(i); }),
              testing::ElementsAre(testing::HasSubstr("higher)")));
}

TEST(LossWatch, ALossBelowZeroMayFallToo) {
  EXPECT_TRUE(Said(2000, [](int64_t i) { return -1 - 0.01 * double(i); }).empty());
}

TEST(LossWatch, LossThatFallsLateIsReportedToo) {
  EXPECT_EQ(Said(2000, [](int64_t i) { return i < 1000 ? 2.3 : 1.0; }).size(), 1u);
}

}  // namespace
}  // namespace steptrace::agent
