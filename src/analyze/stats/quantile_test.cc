// SPDX-License-Identifier: Apache-2.0
#include "analyze/stats/quantile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace steptrace::analyze {
namespace {

TEST(Quantile, IsNumpysDefault) {
  const std::vector<double> values = {3, 1, 2, 10};
  EXPECT_DOUBLE_EQ(Quantile(values, 0.95), 8.95);
  EXPECT_DOUBLE_EQ(Quantile(values, 0.5), 2.5);
  EXPECT_EQ(Quantile(values, 1), 10);
  EXPECT_EQ(Quantile(values, 0), 1);
  EXPECT_EQ(Quantile({}, 0.5), 0);
  EXPECT_DOUBLE_EQ(Deviation(values), std::sqrt(12.5));
}

TEST(Quantile, SlopeIsNotMovedByOutliers) {
  std::vector<double> values;
  for (int i = 0; i < 600; ++i) values.push_back(20 + 0.01 * i);
  EXPECT_NEAR(RobustSlope(values), 0.01, 1e-9);
  for (int i = 0; i < 600; i += 50) values[i] = 99;
  EXPECT_NEAR(RobustSlope(values), 0.01, 0.0005);
}

}  // namespace
}  // namespace steptrace::analyze
