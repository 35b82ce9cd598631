// SPDX-License-Identifier: Apache-2.0
#include "analyze/input/step_selection.h"

#include <gtest/gtest.h>

#include <vector>

namespace steptrace::analyze {
namespace {

store::StepRow Step(store::StringId kind, int64_t dur_ns = 10) {
  store::StepRow row;
  row.kind = kind;
  row.dur_ns = dur_ns;
  return row;
}

TEST(StepKindsTest, SayWhatARowIs) {
  store::StringTable strings;
  const auto train = Step(strings.Intern("train")), warm_up = Step(strings.Intern("warm-up"));
  const auto eval = Step(strings.Intern("eval")), other = Step(strings.Intern("other"));
  const StepKinds kinds(strings);
  EXPECT_TRUE(kinds.IsSteady(train) && kinds.IsWarmUp(warm_up) && kinds.IsEval(eval));
  EXPECT_FALSE(kinds.IsSteady(warm_up) || kinds.IsWarmUp(eval) || kinds.IsEval(train));
  EXPECT_FALSE(kinds.IsSteady(other) || kinds.IsWarmUp(other) || kinds.IsEval(other));
  EXPECT_TRUE(kinds.IsOfTraining(train) && kinds.IsOfTraining(warm_up));
  EXPECT_FALSE(kinds.IsOfTraining(eval) || kinds.IsOfTraining(other));
  EXPECT_FALSE(kinds.IsOfTraining(Step(train.kind, 0))) << "no run can hold it";
}

TEST(StepKindsTest, OfARunWithoutTheKindNoRowIs) {
  const store::StringTable strings;
  const StepKinds kinds(strings);
  const store::StepRow row = Step(store::StringId::kEmpty);
  EXPECT_FALSE(kinds.IsSteady(row) || kinds.IsWarmUp(row) || kinds.IsEval(row));
}

TEST(SelectStepsTest, CountsTheRankWithMostSteadySteps) {
  store::StringTable strings;
  const auto train = strings.Intern("train"), warm_up = strings.Intern("warm-up");
  const auto eval = strings.Intern("eval");
  std::vector<store::StepRow> rows = {Step(warm_up), Step(train), Step(eval),
                                      Step(train),   Step(train), Step(train, -1)};
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i].step = static_cast<int64_t>(i);
    rows[i].ts_ns = static_cast<int64_t>(i) * 100;
  }
  rows[4].rank = 1;
  ReportInput input;
  input.strings = &strings;
  input.steps = rows;
  const StepSelection selection = SelectSteps(input);
  EXPECT_EQ(selection.steady, (std::vector<uint32_t>{1, 3, 4}));
  EXPECT_EQ(selection.steps, 2);
  EXPECT_EQ(selection.count, 3);
  EXPECT_EQ(selection.warm_up, 1);
  EXPECT_EQ(selection.eval, 1);
  EXPECT_EQ(selection.rejected, 1);
  EXPECT_EQ(selection.from_ns, 100);
  EXPECT_EQ(selection.to_ns, 410);
}

}  // namespace
}  // namespace steptrace::analyze
