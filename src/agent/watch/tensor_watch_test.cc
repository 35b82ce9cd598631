// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/tensor_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/tensors_by_hand.h"

namespace steptrace::agent {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class TensorWatchTest : public testing::Test {
 protected:
  store::StringTable strings_;
  TensorWatch watch_{AllTensorRules(strings_)};
  TensorsByHand tensors_{watch_, strings_};
};

TEST_F(TensorWatchTest, WithoutTensorsItSaysNothing) {
  EXPECT_THAT(tensors_.Said(Moment::kFinished), IsEmpty());
}

TEST_F(TensorWatchTest, AtTheEndItSaysWhatCouldNotBeJudgedAndWhy) {
  for (int64_t step = 0; step < 100; ++step) {
    tensors_.Tell({.step = step, .role = wire::TensorRole::kLoss, .name = "loss", .numel = 1});
  }
  EXPECT_THAT(tensors_.Said(), IsEmpty());
  EXPECT_THAT(tensors_.Said(Moment::kFinished),
              ElementsAre(AllOf(testing::StartsWith("tensor rules without a result: "),
                                HasSubstr("gradient_vanishing (no gradient was seen); "),
                                HasSubstr("loss_not_falling (100 of 576 readings); "),
                                testing::Not(HasSubstr("loss_spike")))));
}

TEST_F(TensorWatchTest, WhatItsRulesFindIsPassedOn) {
  for (int64_t step = 0; step < 50; ++step) {
    tensors_.Tell({.step = step,
                   .role = wire::TensorRole::kLoss,
                   .name = "loss",
                   .numel = 1,
                   .value = step == 49 ? 9.0 : 1.0});
  }
  EXPECT_THAT(tensors_.Said(), ElementsAre(testing::StartsWith("the loss spikes to 9")));
}

}  // namespace
}  // namespace steptrace::agent
