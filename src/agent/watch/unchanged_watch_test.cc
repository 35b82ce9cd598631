// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/unchanged_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/tensors_by_hand.h"

namespace steptrace::agent {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class UnchangedWatchTest : public testing::Test {
 protected:
  void TellLook(int64_t step, const std::string& name, double gradient, double weight,
                int32_t rank = 2) {
    tensors_.Tell({.step = step, .name = name, .value = gradient}, rank);
    TellWeight(step, name, weight, rank);
  }
  void TellWeight(int64_t step, const std::string& name, double weight, int32_t rank = 2) {
    tensors_.Tell({.step = step, .role = wire::TensorRole::kWeight, .name = name, .value = weight},
                  rank);
  }

  store::StringTable strings_;
  UnchangedWatch watch_{strings_};
  TensorsByHand tensors_{watch_, strings_};
};

TEST_F(UnchangedWatchTest, AParameterWithGradientsThatStaysAsItWasIsNamed) {
  for (int64_t step = 0; step < 200; step += 10) {
    TellLook(step, "a.weight", 1, 0.5 + static_cast<double>(step));
    TellLook(step, "b.weight", 1, 0.5);
  }
  EXPECT_THAT(tensors_.Said(),
              ElementsAre("b.weight never changes, though there were gradients that are not 0 at "
                          "each of 9 readings up to step 80 on rank 2"));
}

TEST_F(UnchangedWatchTest, WhereNoneChangesTheOptimizerDoesNothing) {
  for (int64_t step = 0; step < 9; ++step) {
    for (int32_t rank = 0; rank < 2; ++rank) {
      TellLook(step, "a.weight", 1, 2, rank);
      TellLook(step, "b.weight", 1, 3, rank);
    }
  }
  EXPECT_THAT(tensors_.Said(), ElementsAre(testing::StartsWith("no parameter changes, though")));
}

TEST_F(UnchangedWatchTest, FrozenUnusedAndSlowOnesAreFine) {
  for (int64_t step = 0; step < 50; ++step) {
    TellWeight(step, "frozen.weight", 1);
    TellLook(step, "unused.weight", 0, 1);
    TellLook(step, "slow.weight", 1, 1 + static_cast<double>(step / 8) * 0x1p-52);
  }
  EXPECT_THAT(tensors_.Said(), IsEmpty());
  EXPECT_THAT(watch_.WhyUnjudged(), IsEmpty());
}

TEST_F(UnchangedWatchTest, WhatItLacksIsTold) {
  EXPECT_EQ(watch_.WhyUnjudged().at(0).lack, MissingInput::kGradient);
  tensors_.Tell({.name = "a.weight"});
  EXPECT_EQ(watch_.WhyUnjudged().at(0).lack, MissingInput::kWeight);
  TellWeight(0, "a.weight", 1);
  EXPECT_EQ(watch_.WhyUnjudged().at(0).lack, MissingInput::kReads);
}

}  // namespace
}  // namespace steptrace::agent
