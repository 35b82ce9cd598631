// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/cast_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "testing/tensors_by_hand.h"

namespace steptrace::agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class CastWatchTest : public testing::Test {
 protected:
  // A tensor with so many elements of each of two sizes.
  void TellTwo(const std::string& name, int64_t many, double size, int64_t few, double small) {
    ReportedTensor reported = ToldOf({.name = name, .numel = many, .value = size}, strings_);
    const ReportedTensor other = ToldOf({.numel = few, .value = small}, strings_);
    reported.numel += few;
    reported.min = std::fmin(size, small);
    reported.max = std::fmax(size, small);
    for (size_t i = 0; i < reported.bins.size(); ++i) reported.bins[i] += other.bins[i];
    watch_.OnTensors({2, 1, true}, std::span(&reported, 1));
  }

  store::StringTable strings_;
  CastWatch watch_{strings_};
  TensorsByHand tensors_{watch_, strings_};
};

TEST_F(CastWatchTest, NumbersOfUsualSizesSayNothing) {
  TellTwo("a.weight", 90, 0.5, 10, 1e-4);
  EXPECT_THAT(tensors_.Said(Moment::kFinished), IsEmpty());
  EXPECT_THAT(watch_.WhyUnjudged(), IsEmpty());
}

TEST_F(CastWatchTest, WhatFloat16WouldLoseIsCountedWithTheTensorThatHasMost) {
  TellTwo("a.weight", 98, 1e-3, 2, 1e-8);
  TellTwo("b.weight", 90, 1e-3, 10, 1e-8);
  EXPECT_THAT(tensors_.Said(Moment::kFinished),
              ElementsAre("of the gradients' elements other than 0, all readings together: float16 "
                          "would turn at least 6 % into 0 (most of them in b.weight)"));
}

TEST_F(CastWatchTest, AtTheEdgeNothingIsCountedThatWouldBeKept) {
  TellTwo("kept", 50, 1, 50, 0x1p-25 * 1.5);
  EXPECT_THAT(tensors_.Said(Moment::kFinished), Not(testing::Contains(HasSubstr("float16"))));
}

TEST_F(CastWatchTest, WhatWouldBeInfinite) {
  TellTwo("a.weight", 90, 1e3, 10, 1e6);
  EXPECT_THAT(tensors_.Said(Moment::kFinished),
              ElementsAre(HasSubstr("float16 would turn 10 into infinity")));
}

TEST_F(CastWatchTest, Float8IsScaledToTheLargestOfEachTensor) {
  TellTwo("a.weight", 90, 1e-3, 10, 1e-3 * 0x1p-21);
  EXPECT_THAT(tensors_.Said(Moment::kFinished),
              ElementsAre(HasSubstr("float8_e4m3fn, scaled to the largest of each tensor, would "
                                    "turn at least 10 % into 0 (most of them in a.weight)")));
}

TEST_F(CastWatchTest, NarrowTypesHaveLostIt) {
  tensors_.Tell({.type = wire::ElementType::kFloat16});
  EXPECT_THAT(tensors_.Said(Moment::kFinished), IsEmpty());
  EXPECT_EQ(watch_.WhyUnjudged().at(0).lack, MissingInput::kWide);
}

}  // namespace
}  // namespace steptrace::agent
