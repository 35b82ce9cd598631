// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/dispatch_split.h"

#include <gtest/gtest.h>

#include <limits>

#include "analyze/attribution/attribution.h"
#include "analyze/attribution/step_times.h"
#include "analyze/input/report_input.h"

namespace steptrace::analyze {
namespace {

// Of 1000 ns: 100 data, 400 forward, 300 backward, 200 optimizer.
store::StepRow Step(int32_t rank, std::optional<int64_t> dispatch_ns) {
  store::StepRow row;
  row.rank = rank;
  row.dur_ns = 1000;
  row.data_ns = row.data_pipeline_ns = row.getitem_ns = 100;
  row.forward_ns = 400;
  row.backward_ns = 300;
  row.optimizer_ns = 200;
  row.model_ns = 900;
  row.dispatch_ns = dispatch_ns;
  if (dispatch_ns) row.operators_ns = 900 - *dispatch_ns;
  return row;
}

TEST(DispatchSplitTest, WithoutWindowsThereIsNone) {
  const std::vector<store::StepRow> rows(20, Step(0, std::nullopt));
  EXPECT_FALSE(FindDispatchSplit(rows).any());
  EXPECT_FALSE(FindDispatchSplit({}).any());
}

TEST(DispatchSplitTest, TwoStepsAreTooFew) {
  const std::vector<store::StepRow> rows(2, Step(0, 450));
  EXPECT_FALSE(FindDispatchSplit(rows).any());
}

// A step of 200 000 operators is a window by itself.
TEST(DispatchSplitTest, OneLongStepIsEnoughAndAsUncertainAsOneIs) {
  store::StepRow row = Step(0, 450'000'000);
  row.dur_ns = 1'000'000'000;
  row.forward_ns = row.operators_ns.emplace(450'000'000);
  row.backward_ns = 450'000'000;
  row.optimizer_ns = 0;
  const DispatchSplit split = FindDispatchSplit(std::vector{row});
  ASSERT_TRUE(split.any());
  EXPECT_DOUBLE_EQ(split.share.at(0), 0.5);
  EXPECT_DOUBLE_EQ(split.interval.low, 0.4);
  EXPECT_DOUBLE_EQ(split.interval.high, 0.6);
}

TEST(DispatchSplitTest, EachRankHasItsOwn) {
  std::vector<store::StepRow> rows;
  for (int i = 0; i < 4; ++i) rows.push_back(Step(0, 450));
  for (int i = 0; i < 4; ++i) rows.push_back(Step(1, 90));
  rows.push_back(Step(2, 900));
  const DispatchSplit split = FindDispatchSplit(rows);
  EXPECT_EQ(split.steps, 8);
  ASSERT_EQ(split.share.size(), 2u);
  EXPECT_DOUBLE_EQ(split.share.at(0), 0.5);
  EXPECT_DOUBLE_EQ(split.share.at(1), 0.1);
  EXPECT_DOUBLE_EQ(split.mean_share, 0.3);
  EXPECT_LE(split.interval.low, 0.3);
  EXPECT_GE(split.interval.high, 0.3);
}

store::StepRow HeldUp(int64_t by_ns) {
  store::StepRow row = Step(0, 720);
  row.dur_ns += by_ns;
  row.forward_ns += by_ns;
  row.operators_ns = *row.operators_ns + by_ns;
  return row;
}

// What took the core away in the middle of an operator is no computing of all the other steps.
TEST(DispatchSplitTest, StepsThatWereHeldUpSplitNoOthers) {
  std::vector<store::StepRow> rows(8, Step(0, 720));
  rows.push_back(HeldUp(3000));
  rows.push_back(HeldUp(2000));
  EXPECT_LT(FindDispatchSplit(rows).share.at(0), 0.6) << "nothing tells what is usual";
  rows.insert(rows.end(), 100, Step(0, std::nullopt));
  const DispatchSplit split = FindDispatchSplit(rows);
  EXPECT_EQ(split.steps, 8);
  EXPECT_DOUBLE_EQ(split.share.at(0), 0.8);
}

// A loop whose every fifth step is long has such steps in a window too.
TEST(DispatchSplitTest, LongStepsThatAreUsualCount) {
  std::vector<store::StepRow> rows(8, Step(0, 720));
  rows.push_back(HeldUp(3000));
  rows.push_back(HeldUp(3000));
  for (int i = 0; i < 100; ++i) {
    rows.push_back(Step(0, std::nullopt));
    if (i % 5 != 0) continue;
    rows.back().dur_ns += 3000;
    rows.back().forward_ns += 3000;
  }
  EXPECT_EQ(FindDispatchSplit(rows).steps, 10);
}

TEST(DispatchSplitTest, DamagedRowsOfAWindowDoNotTellWhatIsUsualOutside) {
  std::vector<store::StepRow> rows(8, Step(0, 720));
  rows.push_back(HeldUp(3000));
  rows.insert(rows.end(), 100, Step(0, std::nullopt));
  for (int i = 0; i < 30; ++i) {
    rows.push_back(HeldUp(3000));
    rows.back().dispatch_ns = -1;
  }
  EXPECT_EQ(FindDispatchSplit(rows).steps, 8);
}

TEST(DispatchSplitTest, StepsOutsideHaveTheRanksShareThoseInsideTheirOwn) {
  const std::vector<store::StepRow> rows(4, Step(0, 450));
  const DispatchSplit split = FindDispatchSplit(rows);
  AttributionRules rules;
  rules.dispatch = &split;
  const StageTimes outside = Attribute(Step(0, std::nullopt), rules);
  EXPECT_EQ(At(outside, SubStage::kDispatch), 450);
  EXPECT_EQ(At(outside, SubStage::kForward), 200);
  EXPECT_EQ(At(outside, SubStage::kBackward), 150);
  EXPECT_EQ(At(outside, SubStage::kOptimizer), 100);
  EXPECT_EQ(At(outside, SubStage::kGetitem), 100);
  EXPECT_EQ(Sum(outside), 1000);
  EXPECT_EQ(At(Attribute(Step(0, 90), rules), SubStage::kDispatch), 90);
  EXPECT_EQ(At(Attribute(Step(1, 90), rules), SubStage::kDispatch), 0) << "a rank without windows";
}

// What a process that sleeps in forward does not do is no way between operators.
TEST(DispatchSplitTest, IdleTimeIsTakenOffFirst) {
  const std::vector<store::StepRow> rows(4, Step(0, 450));
  const DispatchSplit split = FindDispatchSplit(rows);
  AttributionRules rules;
  rules.dispatch = &split;
  rules.idle_of_forward[0] = 0.5;
  const StageTimes times = Attribute(Step(0, std::nullopt), rules);
  EXPECT_EQ(At(times, SubStage::kUnknown), 200);
  EXPECT_EQ(At(times, SubStage::kDispatch), 250);
  EXPECT_EQ(Sum(times), 1000);
  rules.idle_of_forward[0] = 1.0;
  EXPECT_EQ(At(Attribute(Step(0, 90), rules), SubStage::kDispatch), 0) << "never negative";
}

TEST(DispatchSplitTest, DamagedRowsAreNotBelieved) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  std::vector<store::StepRow> rows;
  for (int i = 0; i < 10; ++i) {
    store::StepRow row = Step(0, 450);
    row.operators_ns = i % 2 == 0 ? kMost : -1;
    row.dispatch_ns = i % 3 == 0 ? kMost : std::numeric_limits<int64_t>::min();
    rows.push_back(row);
    rows.push_back(Step(0, std::nullopt));
    rows.back().dispatch_ns = 5;
  }
  EXPECT_FALSE(FindDispatchSplit(rows).any());
}

TEST(DispatchSplitTest, TheSplitsUncertaintyWidensTheTwoItMovesBetween) {
  DispatchSplit split;
  split.share[0] = split.mean_share = 0.5;
  split.interval = {0.4, 0.55};
  const Interval of_steps{0.30, 0.40};
  const Interval framework = WithSplit(of_steps, SuspectId::kFrameworkOverhead, 0.30, split);
  EXPECT_NEAR(framework.low, 0.30 - 0.06, 1e-9);
  EXPECT_NEAR(framework.high, 0.40 + 0.03, 1e-9);
  const Interval model = WithSplit(of_steps, SuspectId::kModel, 0.30, split);
  EXPECT_NEAR(model.low, 0.30 - 0.03, 1e-9);
  EXPECT_NEAR(model.high, 0.40 + 0.06, 1e-9);
  const Interval data = WithSplit(of_steps, SuspectId::kDataPipeline, 0.30, split);
  EXPECT_EQ(data.low, of_steps.low);
}

// All of framework overhead is dispatch here: one figure has one interval, as suspect and as stage.
TEST(DispatchSplitTest, AStageIsAsUncertainAsItsSuspect) {
  std::vector<store::StepRow> rows;
  for (int i = 0; i < 40; ++i) {
    rows.push_back(Step(0, i % 4 != 0 ? std::nullopt : std::optional<int64_t>(300 + 10 * i)));
    rows.back().step = i;
    rows.back().ts_ns = i * 1000;
  }
  store::StringTable strings;
  for (store::StepRow& row : rows) row.kind = strings.Intern("train");
  ReportInput input;
  input.steps = rows;
  input.strings = &strings;
  const DispatchSplit split = FindDispatchSplit(rows);
  ASSERT_LT(split.interval.low, split.interval.high);
  AttributionRules rules;
  rules.dispatch = &split;
  const StepTimes times(input, SelectSteps(input), rules);
  const Interval suspect = times.Share(SuspectId::kFrameworkOverhead);
  const Interval stage = times.Share(SubStage::kDispatch);
  EXPECT_EQ(stage.low, suspect.low);
  EXPECT_EQ(stage.high, suspect.high);
  // What dispatch may have less, its phases have more: 4, 3 and 2 parts of it.
  const Interval model = times.Share(SuspectId::kModel);
  const Interval forward = times.Share(SubStage::kForward);
  EXPECT_NEAR((model.high - model.low) / (forward.high - forward.low), 9.0 / 4, 0.05);
}

}  // namespace
}  // namespace steptrace::analyze
