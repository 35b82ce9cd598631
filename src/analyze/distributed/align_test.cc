// SPDX-License-Identifier: Apache-2.0
#include "analyze/distributed/align.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steptrace::analyze {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

bool Always(int32_t, int32_t) {
  return true;
}

TEST(AlignTest, OrderAloneDoesNotBindWhatNeverRanTogether) {
  const std::vector<TimedCall> a = {{0, 10}, {20, 30}, {40, 50}, {60, 70}};
  const std::vector<TimedCall> b = {{22, 30}, {100, 110}, {120, 130}, {300, 310}};
  EXPECT_THAT(AlignCalls(a, b, Always, OrderTrust::kWithClocks).pairs, ElementsAre(Pair(1, 0)));
  EXPECT_EQ(AlignCalls(a, b, Always, OrderTrust::kAlone).pairs.size(), 4u);
}

TEST(AlignTest, NearerEndsDecideBetweenTwoPartners) {
  const std::vector<TimedCall> a = {{0, 100}};
  const std::vector<TimedCall> b = {{0, 40}, {50, 101}};
  EXPECT_THAT(AlignCalls(a, b, Always, OrderTrust::kWithClocks).pairs, ElementsAre(Pair(0, 1)));
}

TEST(AlignTest, UnlikeCallsAreNeverPaired) {
  const std::vector<TimedCall> a = {{0, 10}};
  auto never = [](int32_t, int32_t) { return false; };
  EXPECT_THAT(AlignCalls(a, a, never, OrderTrust::kAlone).pairs, IsEmpty());
  EXPECT_THAT(AlignCalls({}, a, Always, OrderTrust::kAlone).pairs, IsEmpty());
}

}  // namespace
}  // namespace steptrace::analyze
