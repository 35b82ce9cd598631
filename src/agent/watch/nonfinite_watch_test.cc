// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/nonfinite_watch.h"

#include <gtest/gtest.h>

#include "base/time.h"
#include "testing/job_by_hand.h"

namespace steptrace::agent {
namespace {

using wire::TensorRole;

class NonfiniteWatchTest : public testing::Test {
 protected:
  void AddTensor(int32_t rank, int64_t step, TensorRole role, const char* name, int64_t nan,
                 int64_t ts_ns) {
    ReportedTensor tensor;
    tensor.ts_ns = ts_ns;
    tensor.step = step;
    tensor.role = role;
    tensor.name = strings_.Intern(name);
    tensor.numel = 10;
    tensor.nan = nan;
    watch_.OnTensors({rank, 1, true}, std::span(&tensor, 1));
  }
  // What is told at that moment, in a sentence.
  std::string Said(int64_t now_ns) {
    const auto alerts = watch_.Check(Moment::kPoll, now_ns, job_);
    if (alerts.empty()) return "";
    EXPECT_EQ(alerts.size(), 1u);
    EXPECT_TRUE(alerts[0].noticed);
    return strings_.Text(RowOf(alerts[0], now_ns, strings_).severity) + ": " +
           RowOf(alerts[0], now_ns, strings_).text;
  }

  store::StringTable strings_;
  NonfiniteWatch watch_{strings_};
  JobByHand job_;
};

TEST_F(NonfiniteWatchTest, FiniteTensorsGiveNoAlert) {
  AddTensor(0, 5, TensorRole::kLoss, "loss", 0, 100);
  EXPECT_EQ(Said(5 * kNsPerSecond), "");
}

TEST_F(NonfiniteWatchTest, TheWeightsOfTheStepBeforeCameFirst) {
  AddTensor(1, 5, TensorRole::kLoss, "loss", 1, 100);
  AddTensor(1, 4, TensorRole::kWeight, "b.weight", 3, 110);
  AddTensor(1, 5, TensorRole::kGradient, "a.weight", 10, 120);
  EXPECT_EQ(Said(130), "");  // more may come
  EXPECT_EQ(Said(120 + 400 * kNsPerMs),
            "error: b.weight is not finite after step 4 on rank 1: 3 of 10 elements; 2 other "
            "tensors followed");
  AddTensor(0, 6, TensorRole::kLoss, "loss", 1, 200);
  EXPECT_EQ(Said(5 * kNsPerSecond), "");
}

TEST_F(NonfiniteWatchTest, TheRankWhoseLossItWasAndNotThoseThatGotItsGradients) {
  AddTensor(0, 5, TensorRole::kGradient, "a.weight", 10, 100);
  AddTensor(1, 5, TensorRole::kLoss, "loss", 1, 110);
  AddTensor(1, 5, TensorRole::kGradient, "a.weight", 10, 120);
  EXPECT_EQ(Said(5 * kNsPerSecond),
            "error: the loss is not finite in step 5 on rank 1: 1 of 10 elements; 2 other tensors "
            "followed");
}

TEST_F(NonfiniteWatchTest, LastNonFiniteGradientIsWhereBackwardMetItFirst) {
  AddTensor(0, 5, TensorRole::kGradient, "a.weight", 10, 100);
  AddTensor(0, 5, TensorRole::kGradient, "b.weight", 2, 110);
  EXPECT_EQ(Said(5 * kNsPerSecond),
            "error: the gradient of b.weight is not finite in step 5 on rank 0: 2 of 10 elements, "
            "the last of 2 in the order of registration; 1 other tensor followed");
}

TEST_F(NonfiniteWatchTest, OfWeightsTheFirstThatIsRegistered) {
  AddTensor(0, 4, TensorRole::kWeight, "a.weight", 3, 100);
  AddTensor(0, 4, TensorRole::kWeight, "b.weight", 3, 110);
  EXPECT_EQ(Said(5 * kNsPerSecond),
            "error: a.weight is not finite after step 4 on rank 0: 3 of 10 elements, the first of "
            "2 in the order of registration; 1 other tensor followed");
}

TEST_F(NonfiniteWatchTest, FiniteAgainIsToldAndTheNextOneToo) {
  AddTensor(1, 5, TensorRole::kLoss, "loss", 1, 100);
  AddTensor(1, 6, TensorRole::kLoss, "loss", 1, 200);
  EXPECT_EQ(Said(kNsPerSecond),
            "error: the loss is not finite in step 5 on rank 1: 1 of 10 elements");
  AddTensor(1, 7, TensorRole::kLoss, "loss", 1, 300);
  for (int64_t step = 8; step < 15; ++step) AddTensor(1, step, TensorRole::kLoss, "loss", 0, 400);
  AddTensor(0, 16, TensorRole::kLoss, "loss", 0, 500);  // another rank
  EXPECT_EQ(Said(2 * kNsPerSecond), "");
  AddTensor(1, 15, TensorRole::kLoss, "loss", 0, 600);
  EXPECT_EQ(Said(2 * kNsPerSecond),
            "info: all tensors that were looked at are finite again since step 8 on rank 1, 3 "
            "steps after the first that was not");
  EXPECT_EQ(Said(3 * kNsPerSecond), "");
  AddTensor(1, 30, TensorRole::kLoss, "loss", 1, 700);
  EXPECT_EQ(Said(4 * kNsPerSecond),
            "error: the loss is not finite in step 30 on rank 1: 1 of 10 elements");
}

TEST_F(NonfiniteWatchTest, ALossThatIsFiniteSaysNothingOfAWeightThatWasNot) {
  AddTensor(0, 4, TensorRole::kWeight, "a.weight", 1, 100);
  EXPECT_NE(Said(kNsPerSecond), "");
  for (int64_t step = 5; step < 30; ++step) AddTensor(0, step, TensorRole::kLoss, "loss", 0, 200);
  EXPECT_EQ(Said(2 * kNsPerSecond), "");
}

TEST_F(NonfiniteWatchTest, AlertComesWithinASecondUnderLoad) {
  for (int64_t step = 5; step < 20; ++step) {
    AddTensor(0, step, TensorRole::kLoss, "loss", 1, step * 100 * kNsPerMs);
  }
  EXPECT_EQ(Said(20 * 100 * kNsPerMs),
            "error: the loss is not finite in step 5 on rank 0: 1 of 10 elements");
}

}  // namespace
}  // namespace steptrace::agent
