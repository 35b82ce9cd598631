// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/range_pairs.h"

#include <gtest/gtest.h>

namespace steptrace::agent {
namespace {

OpenRange At(int64_t ns, uint32_t name) {
  OpenRange range;
  range.begin_ns = ns;
  range.name = name;
  return range;
}

//  name 1  10 ├──────────────┤ 40        depth 0
//  name 2      20 ├────┤ 30              depth 1
TEST(RangePairs, NestsRanges) {
  RangePairs stack;
  stack.Begin(At(10, 1));
  stack.Begin(At(20, 2));
  auto inner = stack.End(30, 7, 8);
  ASSERT_TRUE(inner.has_value());
  EXPECT_EQ(inner->open.name, 2u);
  EXPECT_EQ(inner->open.begin_ns, 20);
  EXPECT_EQ(inner->end_ns, 30);
  EXPECT_EQ(inner->depth, 1);
  EXPECT_EQ(inner->end_a, 7u);
  auto outer = stack.End(40, 0, 0);
  ASSERT_TRUE(outer.has_value());
  EXPECT_EQ(outer->open.name, 1u);
  EXPECT_EQ(outer->depth, 0);
}

TEST(RangePairs, CountsAnEndThatNothingOpened) {
  RangePairs stack;
  EXPECT_FALSE(stack.End(5, 0, 0).has_value());
  EXPECT_EQ(stack.unmatched_ends(), 1);
  stack.Begin(At(6, 1));
  EXPECT_TRUE(stack.End(7, 0, 0).has_value()) << "what follows is paired again";
}

TEST(RangePairs, ClosesWhatIsOpenAtDeathInnermostFirst) {
  RangePairs stack;
  stack.Begin(At(10, 1));
  stack.Begin(At(20, 2));
  auto closed = stack.CloseAll(50);
  ASSERT_EQ(closed.size(), 2u);
  EXPECT_EQ(closed[0].open.name, 2u);
  EXPECT_EQ(closed[0].depth, 1);
  EXPECT_EQ(closed[1].open.name, 1u);
  EXPECT_EQ(closed[1].end_ns, 50);
  EXPECT_TRUE(stack.CloseAll(60).empty());
}

TEST(RangePairs, TimesRiseWithinAThread) {
  RangePairs stack;
  stack.Begin(At(100, 1));
  auto closed = stack.End(90, 0, 0);
  ASSERT_TRUE(closed.has_value());
  EXPECT_EQ(closed->end_ns, 100) << "never a negative duration";
}

TEST(RangePairs, MaliceRunawayNestingIsBoundedAndStaysPaired) {
  RangePairs stack;
  constexpr size_t kDeep = RangePairs::kMaxDepth + 1000;
  for (size_t i = 0; i < kDeep; ++i)
    stack.Begin(At(static_cast<int64_t>(i), static_cast<uint32_t>(i)));
  EXPECT_EQ(stack.depth(), RangePairs::kMaxDepth);
  EXPECT_EQ(stack.too_deep_ranges(), 1000);
  EXPECT_EQ(stack.Innermost(), nullptr) << "a flow must not attach to the wrong range";
  size_t closed = 0;
  uint32_t last = 0;
  for (size_t i = 0; i < kDeep; ++i) {
    if (auto range = stack.End(static_cast<int64_t>(kDeep + i), 0, 0)) {
      ++closed;
      last = range->open.name;
    }
  }
  EXPECT_EQ(closed, RangePairs::kMaxDepth);
  EXPECT_EQ(last, 0u);
  EXPECT_EQ(stack.unmatched_ends(), 0);
}

}  // namespace
}  // namespace steptrace::agent
