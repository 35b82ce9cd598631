// SPDX-License-Identifier: Apache-2.0
#include "analyze/tensors/loss_curve.h"

#include <gtest/gtest.h>

namespace steptrace::analyze {
namespace {

TEST(LossCurveTest, EachStepIsAPartWhileThereAreFew) {
  LossCurve curve;
  curve.Add(0, 3);
  curve.Add(1, std::nullopt);
  curve.Add(5, 1);
  const auto parts = curve.Parts();
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].from_step, 0);
  EXPECT_EQ(parts[0].to_step, 1);
  EXPECT_EQ(parts[0].mean, 3);
  EXPECT_EQ(parts[1].not_finite, 1);
  EXPECT_FALSE(parts[1].mean);
  EXPECT_FALSE(parts[1].low);
  EXPECT_EQ(parts[2].from_step, 5);
}

TEST(LossCurveTest, PartsWidenAndKeepWhatWasInThem) {
  LossCurve curve;
  for (int64_t step = 0; step < 1000; ++step) {
    curve.Add(step, step == 700 ? std::nullopt : std::optional(static_cast<double>(step)));
  }
  const auto parts = curve.Parts();
  EXPECT_LE(parts.size(), LossCurve::kMostParts);
  int64_t readings = 0, not_finite = 0, at = 0;
  for (const LossPart& part : parts) {
    EXPECT_EQ(part.from_step, at);
    at = part.to_step;
    readings += part.readings;
    not_finite += part.not_finite;
    EXPECT_EQ(part.low, static_cast<double>(part.from_step));
  }
  EXPECT_EQ(readings, 1000);
  EXPECT_EQ(not_finite, 1);
}

TEST(LossCurveTest, StepsFarApart) {
  LossCurve curve;
  curve.Add(-3, 1);
  for (int64_t i = 0; i < 300; ++i) curve.Add(INT64_MAX / 300 * i, 1);
  curve.Add(INT64_MAX, 2);
  const auto parts = curve.Parts();
  EXPECT_LE(parts.size(), LossCurve::kMostParts);
  EXPECT_EQ(parts.back().high, 2);
  EXPECT_EQ(parts.back().to_step, INT64_MAX);
}

}  // namespace
}  // namespace steptrace::analyze
