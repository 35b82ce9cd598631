// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/loss_spike_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/tensors_by_hand.h"

namespace steptrace::agent {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

class LossSpikeWatchTest : public testing::Test {
 protected:
  void Tell(int64_t step, double loss, int32_t rank = 2) {
    tensors_.Tell(
        {.step = step, .role = wire::TensorRole::kLoss, .name = "loss", .numel = 1, .value = loss},
        rank);
  }

  store::StringTable strings_;
  LossSpikeWatch watch_;
  TensorsByHand tensors_{watch_, strings_};
};

TEST_F(LossSpikeWatchTest, ASpikeIsToldOnceAndTheNextOneWhenItIsApart) {
  for (int64_t step = 0; step < 600; ++step) {
    const bool spikes = step == 100 || step == 110 || step == 400;
    Tell(step, spikes ? 8.0 : 2 + 0.1 * static_cast<double>(step % 3));
  }
  EXPECT_THAT(tensors_.Said(),
              ElementsAre("the loss spikes to 8 in step 100 on rank 2: the median before is 2.1, "
                          "and the value is 39 standard deviations (by MAD) above it",
                          StartsWith("the loss spikes to 8 in step 400")));
  EXPECT_THAT(watch_.WhyUnjudged(), IsEmpty());
}

TEST_F(LossSpikeWatchTest, OfRanksThatSeeTheSameOneIsTold) {
  for (int64_t step = 0; step < 101; ++step) {
    for (int32_t rank = 0; rank < 4; ++rank) {
      Tell(step, step == 100 ? 8.0 : 2 + 0.1 * static_cast<double>(step % 3), rank);
    }
  }
  EXPECT_THAT(tensors_.Said(), ElementsAre(testing::HasSubstr("on rank 0")));
}

TEST_F(LossSpikeWatchTest, ALossThatFallsAndWaversIsFine) {
  for (int64_t step = 0; step < 600; ++step) {
    Tell(step, 3.0 / static_cast<double>(step + 1) + 0.1 * static_cast<double>(step % 7));
  }
  EXPECT_THAT(tensors_.Said(), IsEmpty());
}

TEST_F(LossSpikeWatchTest, WhatItLacksIsTold) {
  ASSERT_EQ(watch_.WhyUnjudged().size(), 1u);
  EXPECT_EQ(watch_.WhyUnjudged()[0].lack, MissingInput::kLoss);
  Tell(0, 1);
  EXPECT_EQ(watch_.WhyUnjudged()[0].lack, MissingInput::kReads);
}

}  // namespace
}  // namespace steptrace::agent
