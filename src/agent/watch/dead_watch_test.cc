// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/dead_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/tensors_by_hand.h"

namespace steptrace::agent {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class DeadWatchTest : public testing::Test {
 protected:
  // Of a hundred elements of the bias and a thousand of the weight so many are 0.
  void TellModule(int64_t step, const std::string& module, int64_t bias, int64_t weight,
                  int32_t rank = 2) {
    tensors_.Tell({.step = step, .name = module + ".weight", .numel = 1000, .zeros = weight}, rank);
    tensors_.Tell({.step = step, .name = module + ".bias", .numel = 100, .zeros = bias}, rank);
  }

  store::StringTable strings_;
  DeadWatch watch_{strings_};
  TensorsByHand tensors_{watch_, strings_};
};

TEST_F(DeadWatchTest, OfModulesWithoutGradientsTheLastIsNamed) {
  for (int64_t step = 10; step < 30; ++step) {
    TellModule(step, "a.1", 100, 1000);
    TellModule(step, "a.2", 95, 960);
    TellModule(step, "a.3", 10, 0);
  }
  EXPECT_THAT(
      tensors_.Said(),
      ElementsAre("units of a.2 are dead: 95 % of its gradient was 0 at each of 8 readings in "
                  "a row, since step 10 on rank 2; the same holds for 1 other module"));
  EXPECT_THAT(tensors_.Said(), IsEmpty());
}

TEST_F(DeadWatchTest, ZerosOfOneOfThemAreNoReason) {
  for (int64_t step = 0; step < 30; ++step) {
    TellModule(step, "k_proj", 100, 0);
    tensors_.Tell({.step = step, .name = "embedding.weight", .numel = 1000, .zeros = 999});
    TellModule(step, "relu_of_one_sample", 70, 700);
  }
  EXPECT_THAT(tensors_.Said(), IsEmpty());
  EXPECT_THAT(watch_.WhyUnjudged(), IsEmpty());
}

TEST_F(DeadWatchTest, SevenLooksOrAUnitThatLivesAgainAreNone) {
  for (int64_t step = 0; step < 70; ++step) {
    const bool lives = step % 8 == 7;
    TellModule(step, "a", lives ? 0 : 100, lives ? 0 : 1000);
  }
  EXPECT_THAT(tensors_.Said(), IsEmpty());
}

TEST_F(DeadWatchTest, ReplicasAreToldOnce) {
  for (int64_t step = 0; step < 20; ++step) {
    for (int32_t rank = 0; rank < 3; ++rank) TellModule(step, "a", 100, 1000, rank);
  }
  EXPECT_THAT(tensors_.Said(), ElementsAre(testing::HasSubstr("on rank 0")));
}

TEST_F(DeadWatchTest, WhatItLacksIsTold) {
  EXPECT_EQ(watch_.WhyUnjudged().at(0).lack, MissingInput::kGradient);
  tensors_.Tell({.name = "weight"});
  tensors_.Tell({.name = "head.bias", .numel = 1});
  EXPECT_EQ(watch_.WhyUnjudged().at(0).lack, MissingInput::kModule);
  TellModule(1, "a", 0, 0);
  EXPECT_EQ(watch_.WhyUnjudged().at(0).lack, MissingInput::kReads);
}

}  // namespace
}  // namespace steptrace::agent
