// SPDX-License-Identifier: Apache-2.0
#include "analyze/rules/histogram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace steptrace::analyze {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Histogram, EdgesBelongToTheBinAboveAndTheLastToBoth) {
  const std::vector<double> values = {0, 1.99, 2, 3, 4, 6, 6};
  const Histogram histogram = MakeHistogram(values, 0, 6, 3);
  EXPECT_THAT(histogram.counts, ElementsAre(2, 2, 3));
  EXPECT_EQ(histogram.below + histogram.above, 0);
}

TEST(Histogram, ValuesOutsideAreCountedApart) {
  const std::vector<double> values = {-1, 50, 101, 102, std::nan("")};
  const Histogram histogram = MakeHistogram(values, 0, 100, 2);
  EXPECT_THAT(histogram.counts, ElementsAre(0, 1));
  EXPECT_EQ(histogram.below, 1);
  EXPECT_EQ(histogram.above, 2);
}

// A tenth is no binary number: 0.1 * 3 / 0.1 is not 3.
TEST(Histogram, EdgesDecideNotTheirRounding) {
  std::vector<double> values;
  for (int i = 0; i < 100; ++i) values.push_back(0.1 * (i / 100.0));
  EXPECT_THAT(MakeHistogram(values, 0, 0.1, 100).counts, Each(1));
}

TEST(Histogram, EqualValuesAndNoValues) {
  EXPECT_THAT(MakeHistogram(std::vector<double>(5, 7.0), 3).counts, ElementsAre(5, 0, 0));
  EXPECT_THAT(MakeHistogram({}, 3).counts, IsEmpty());
}

}  // namespace
}  // namespace steptrace::analyze
