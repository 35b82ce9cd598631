// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/gradient_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/job_by_hand.h"

namespace steptrace::agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class GradientWatchTest : public testing::Test {
 protected:
  // A look: the root mean squares of l0.weight, l1.weight, …, each with a bias that is nothing.
  void TellLook(int64_t step, const std::vector<double>& sizes) {
    for (size_t i = 0; i < sizes.size(); ++i) {
      AddTensor(step, "l" + std::to_string(i) + ".weight", sizes[i]);
      AddTensor(step, "l" + std::to_string(i) + ".bias", 0);
    }
  }
  void AddTensor(int64_t step, const std::string& name, double size, int64_t nan = 0) {
    ReportedTensor tensor;
    tensor.step = step;
    tensor.role = wire::TensorRole::kGradient;
    tensor.name = strings_.Intern(name);
    tensor.numel = 100;
    tensor.nan = nan;
    tensor.square_sum = size * size * 100;
    watch_.OnTensors({2, 1, true}, std::span(&tensor, 1));
  }
  std::vector<std::string> Said() {
    std::vector<std::string> said;
    for (const Alert& alert : watch_.Check(Moment::kFinished, 0, JobByHand{})) {
      said.push_back(RowOf(alert, 0, strings_).text);
    }
    return said;
  }

  store::StringTable strings_;
  GradientWatch watch_{strings_};
};

TEST_F(GradientWatchTest, GradientsOfUsualSizesAreFine) {
  for (int64_t step = 0; step < 200; ++step) TellLook(step, {1e-4, 1e-3, 1e-2, 1e-1, 1});
  EXPECT_THAT(Said(), IsEmpty());
}

TEST_F(GradientWatchTest, VanishingIsReportedAfterThreeStepsWithTheFirst) {
  for (int64_t step = 10; step < 50; step += 10) TellLook(step, {1e-9, 1e-6, 1e-3, 1});
  EXPECT_THAT(Said(), ElementsAre("gradients vanish on the way to l0.weight: there they are about "
                                  "1e-9 times those of l3.weight, since step 10 on rank 2"));
}

TEST_F(GradientWatchTest, TwoStepsFewWeightsOrALossScaleAreNotVanishing) {
  for (int64_t step = 0; step < 2; ++step) TellLook(step, {1e-9, 1e-6, 1e-3, 1});
  TellLook(2, {1e-2, 1e-1, 1, 1});
  for (int64_t step = 3; step < 9; ++step) TellLook(step, {1e-9, 1e-6, 1});
  for (int64_t step = 9; step < 20; ++step) TellLook(step, {1e-12, 1e-12, 1e-12, 1e-12});
  EXPECT_THAT(Said(), IsEmpty());
}

TEST_F(GradientWatchTest, ALayerThatIsCutOffDoesNotVanish) {
  for (int64_t step = 0; step < 9; ++step) TellLook(step, {0, 1e-2, 1e-1, 1});
  EXPECT_THAT(Said(), IsEmpty());
}

TEST_F(GradientWatchTest, ExplodingIsComparedWithEarlierSteps) {
  for (int64_t step = 0; step < 10; ++step) TellLook(step, {1, 1, 1, 1});
  TellLook(10, {1, 9000, 1, 1});
  TellLook(11, {1, 1, 1, 1});
  EXPECT_THAT(Said(), IsEmpty());
  TellLook(12, {1, 9000, 1, 1});
  TellLook(13, {1, 9000, 1, 1});
  EXPECT_THAT(Said(), ElementsAre(HasSubstr("since step 12")));
  TellLook(14, {1, 90000, 1, 1});
  TellLook(15, {1, 90000, 1, 1});
  EXPECT_THAT(Said(), IsEmpty());
}

TEST_F(GradientWatchTest, StepsWithNonFiniteGradientsAreNotJudged) {
  for (int64_t step = 0; step < 20; ++step) {
    TellLook(step, {1e-9, 1e-6, 1e-3, 1});
    AddTensor(step, "head.weight", 1, 1);
  }
  EXPECT_THAT(Said(), IsEmpty());
}

}  // namespace
}  // namespace steptrace::agent
