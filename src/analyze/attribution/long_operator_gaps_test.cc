// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/long_operator_gaps.h"

#include <gtest/gtest.h>

#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

TEST(LongWaysTest, BetweenOutermostOperatorsOfOneThread) {
  store::StringTable strings;
  // 10 us is the framework's, 60 us is long, 150 us is no way at all; what an operator calls lies
  // in it, and another thread's gaps are its own.
  const Trace trace = DrawTrace(R"(rank 3
t1 step ProfilerStep#1 0 200000
t1 step ProfilerStep#2 200000 500000
t1 op aten::add 0 10000
t1 op aten::mul 20000 30000
t1 op aten::linear 90000 190000
t1 op aten::mm 100000 110000
t1 op aten::add 340000 350000
t1 op aten::add 400000 410000
t2 op aten::add 420000 430000
t2 op aten::add 450000 460000
)",
                                strings);
  const auto ways = LongOperatorGaps(trace);
  ASSERT_EQ(ways.size(), 1U);
  // 30 to 90, 350 to 400 and 430 to 450: of two steps.
  EXPECT_EQ(ways.at(3), (60'000 + 50'000 + 20'000) / 2);
}

TEST(LongWaysTest, WithoutAStepThereIsNone) {
  store::StringTable strings;
  const Trace trace = DrawTrace("t1 op a 0 10\nt1 op b 40000 50000\n", strings);
  EXPECT_TRUE(LongOperatorGaps(trace).empty());
}

}  // namespace
}  // namespace steptrace::analyze
