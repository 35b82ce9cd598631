// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/gradient_spike_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/tensors_by_hand.h"

namespace steptrace::agent {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class GradientSpikeWatchTest : public testing::Test {
 protected:
  void TellLook(int64_t step, double first, double second, int64_t nan = 0) {
    tensors_.Tell({.step = step, .name = "a.weight", .nan = nan, .value = first});
    tensors_.Tell({.step = step, .name = "b.weight", .value = second});
  }
  static double Wavering(int64_t step) { return 1 + 0.1 * static_cast<double>(step % 3); }

  store::StringTable strings_;
  GradientSpikeWatch watch_{strings_};
  TensorsByHand tensors_{watch_, strings_};
};

TEST_F(GradientSpikeWatchTest, ASpikeNamesTheTensorWithMostOfIt) {
  for (int64_t step = 0; step < 50; ++step) TellLook(step, Wavering(step), 0.5);
  TellLook(50, 1, 20);
  TellLook(51, 1, 0.5);
  EXPECT_THAT(
      tensors_.Said(),
      ElementsAre(testing::HasSubstr("in step 50 on rank 2, most of it in b.weight: the median")));
}

TEST_F(GradientSpikeWatchTest, NoiseAndLooksThatAreNotFiniteAreFine) {
  for (int64_t step = 0; step < 200; ++step) TellLook(step, Wavering(step), 0.5);
  TellLook(200, 1e9, 1, 1);
  TellLook(201, 1, 0.5);
  EXPECT_THAT(tensors_.Said(Moment::kFinished), IsEmpty());
  EXPECT_THAT(watch_.WhyUnjudged(), IsEmpty());
}

TEST_F(GradientSpikeWatchTest, TooFewLooksAreToldAsSuch) {
  EXPECT_EQ(watch_.WhyUnjudged().at(0).lack, MissingInput::kGradient);
  for (int64_t step = 0; step < 20; ++step) TellLook(step, 1, 1);
  TellLook(20, 1, 100);
  EXPECT_THAT(tensors_.Said(Moment::kFinished), IsEmpty());
  EXPECT_EQ(watch_.WhyUnjudged().at(0).lack, MissingInput::kReads);
  EXPECT_EQ(watch_.WhyUnjudged().at(0).seen, 21);
}

}  // namespace
}  // namespace steptrace::agent
