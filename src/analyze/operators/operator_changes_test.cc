// SPDX-License-Identifier: Apache-2.0
#include "analyze/operators/operator_changes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

using ::testing::ElementsAre;

OperatorsInSteps InSteps(std::string_view text) {
  store::StringTable strings;
  return OperatorsInStepsOf(BuildOperators(DrawTrace(text, strings)));
}

std::vector<std::string> Rows(const OperatorChanges& changes) {
  std::vector<std::string> rows;
  for (const OperatorChange& one : changes.rows) {
    rows.push_back(fmt::format("{} {} {} {:+}", one.name, one.a_ns.value_or(-1),
                               one.b_ns.value_or(-1), one.change_ns));
  }
  return rows;
}

constexpr std::string_view kTwoSteps = R"(
t1 step ProfilerStep#3 0 100
t1 op aten::mm 10 50
t1 op aten::add 60 70
t1 step ProfilerStep#4 100 200
t1 op aten::mm 110 150
t1 op aten::add 160 170
)";

TEST(OperatorChanges, AreOfAStepWhateverTheNumberOfSteps) {
  const auto changes = CompareOperators(InSteps(kTwoSteps), InSteps(R"(
t1 step ProfilerStep#9 0 100
t1 op aten::mm 10 60
t1 op aten::relu 70 75
)"));
  ASSERT_TRUE(changes);
  EXPECT_FALSE(changes->device);
  EXPECT_EQ(changes->a_steps, 2);
  EXPECT_EQ(changes->b_steps, 1);
  EXPECT_THAT(Rows(*changes),
              ElementsAre("aten::add 10 -1 -10", "aten::mm 40 50 +10", "aten::relu -1 5 +5"));
}

TEST(OperatorChanges, NeedStepsInBoth) {
  EXPECT_FALSE(CompareOperators(InSteps(kTwoSteps), InSteps("t1 op aten::mm 0 5\n")));
}

}  // namespace
}  // namespace steptrace::analyze
