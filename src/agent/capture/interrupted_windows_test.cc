// SPDX-License-Identifier: Apache-2.0
// What a CaptureSchedule makes of windows that another capture comes between.
#include "agent/capture/capture_schedule.h"
#include "testing/capture_schedule_fixture.h"

namespace steptrace::agent {
namespace {

using Source = CaptureOutcome::Source;
using wire::WindowEnd;

using InterruptionTest = CaptureScheduleTest;

// A capture of five steps in the window 300:400: with it a step is lost on either side.
class InterruptedWindowTest : public CaptureScheduleTest {
 protected:
  // Until the window has begun for the second time.
  void Interrupt(uint32_t kinds) {
    ASSERT_TRUE(schedule_.Next(0));
    schedule_.OnMark(Begin(1, kS, 300));
    schedule_.Request({.id = 7, .steps = 5, .kinds = kinds});
    ASSERT_TRUE(schedule_.Next(2 * kS));
    schedule_.OnMark(End(1, 2 * kS, 160, WindowEnd::kReplaced));
    schedule_.OnMark(Begin(2, 2 * kS + 1, 461, kinds));
    schedule_.OnMark(End(2, 3 * kS, 5));
    EXPECT_EQ(schedule_.TakeOutcomes(100 * kS).size(), 1u) << "the demand alone";
    const auto again = schedule_.Next(3 * kS);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->first_step, 300u);
    EXPECT_EQ(again->steps, 400u) << "up to the same step";
    schedule_.OnMark(Begin(3, 4 * kS, 467));
  }

  CaptureSchedule schedule_ = Of("300:400");
};

TEST_F(InterruptedWindowTest, WindowIncludesAllItsRangesAndTheDemandsSteps) {
  Interrupt(1);
  schedule_.OnMark(End(3, 9 * kS, 233));
  const auto outcomes = schedule_.TakeOutcomes(0);
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].window, "300:400");
  EXPECT_EQ(outcomes[0].steps, 398);
  EXPECT_EQ(outcomes[0].asked_steps, 400);
  EXPECT_EQ(outcomes[0].from_ns, kS);
  EXPECT_EQ(outcomes[0].to_ns, 9 * kS);
  const std::vector<CapturedRange> captured_ranges = {
      {kS, 2 * kS, 1, 300, 160}, {2 * kS + 1, 3 * kS, 1, 461, 5}, {4 * kS, 9 * kS, 1, 467, 233}};
  EXPECT_EQ(outcomes[0].captured_ranges, captured_ranges);
  EXPECT_TRUE(outcomes[0].interrupted);
  EXPECT_FALSE(outcomes[0].short_of_end);
  EXPECT_FALSE(schedule_.Next(10 * kS));
}

TEST_F(InterruptedWindowTest, KindsThatTheDemandDidNotCaptureAreMissing) {
  Interrupt(2);
  schedule_.OnMark(End(3, 9 * kS, 233));
  const auto outcomes = schedule_.TakeOutcomes(0);
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].steps, 393);
  EXPECT_EQ(outcomes[0].captured_ranges.size(), 2u);
  EXPECT_EQ(outcomes[0].kinds, 1u) << "none of the demand's";
}

TEST_F(InterruptedWindowTest, RunEndKeepsTheStepsCapturedSoFar) {
  Interrupt(1);
  schedule_.OnMark(End(3, 5 * kS, 40));
  const auto outcomes = schedule_.TakeOutcomes(0);
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].steps, 205);
  EXPECT_TRUE(outcomes[0].short_of_end);
}

TEST_F(InterruptedWindowTest, WindowThatIsNotResumedKeepsItsSteps) {
  ASSERT_TRUE(schedule_.Next(0));
  schedule_.OnMark(Begin(1, kS, 300));
  schedule_.Request({.id = 7, .steps = 5, .kinds = 1});
  ASSERT_TRUE(schedule_.Next(2 * kS));
  schedule_.OnMark(End(1, 2 * kS, 160, WindowEnd::kReplaced));
  schedule_.OnMark(Begin(2, 2 * kS + 1, 461));
  schedule_.End(3 * kS);
  const auto outcomes = schedule_.TakeOutcomes(0);
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[0].source, Source::kDemand);
  EXPECT_EQ(outcomes[1].window, "300:400");
  EXPECT_EQ(outcomes[1].end, WindowEnd::kReplaced);
  EXPECT_EQ(outcomes[1].steps, 160);
  EXPECT_EQ(outcomes[1].to_ns, 2 * kS);
}

TEST_F(InterruptedWindowTest, LastStepsCapturedByTheDemandCount) {
  ASSERT_TRUE(schedule_.Next(0));
  schedule_.OnMark(Begin(1, kS, 300));
  schedule_.Request({.id = 7, .steps = 50, .kinds = 1});
  ASSERT_TRUE(schedule_.Next(2 * kS));
  schedule_.OnMark(End(1, 2 * kS, 390, WindowEnd::kReplaced));
  schedule_.OnMark(Begin(2, 2 * kS + 1, 691));
  schedule_.OnMark(End(2, 3 * kS, 50));
  ASSERT_TRUE(schedule_.Next(3 * kS));
  schedule_.OnMark(End(3, 3 * kS, 0, WindowEnd::kMissed));
  const auto outcomes = schedule_.TakeOutcomes(0);
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[1].steps, 399) << "to 689, and from 691 to 699";
  EXPECT_EQ(outcomes[1].end, WindowEnd::kReplaced);
  EXPECT_FALSE(outcomes[1].short_of_end);
}

// The process writes what it has profiled, for seconds maybe, before it says that the window is
// over and looks at the next word.
class WindowAtItsEndTest : public CaptureScheduleTest {
 protected:
  static constexpr uint32_t kAll = 1 | 2 | 4 | 1u << 16;
  void SetUp() override {
    ASSERT_TRUE(schedule_.Next(0));
    schedule_.OnMark(Begin(1, kS, 100, kAll));
    schedule_.Request({.id = 7, .steps = 5, .kinds = 1});
    ASSERT_TRUE(schedule_.Next(2 * kS));
  }
  void ExpectTheWindow(const CaptureOutcome& outcome) {
    EXPECT_EQ(outcome.window, "100:20=operators+kernels+stacks");
    EXPECT_EQ(outcome.end, WindowEnd::kDone);
    EXPECT_EQ(outcome.steps, 20);
    EXPECT_EQ(outcome.kinds, kAll);
    EXPECT_EQ(outcome.to_ns, 3 * kS);
    EXPECT_FALSE(outcome.interrupted);
  }

  CaptureSchedule schedule_ = Of("100:20=operators+kernels+stacks");
};

TEST_F(WindowAtItsEndTest, DemandAtTheEndDoesNotCancelTheWindow) {
  schedule_.OnMark(End(1, 3 * kS, 20));
  schedule_.OnMark(Begin(2, 4 * kS, 122));
  schedule_.OnMark(End(2, 5 * kS, 5));
  const auto outcomes = schedule_.TakeOutcomes(100 * kS);
  ASSERT_EQ(outcomes.size(), 2u);
  const bool demand_first = outcomes[0].source == Source::kDemand;
  ExpectTheWindow(outcomes[demand_first ? 1 : 0]);
  const CaptureOutcome& demand = outcomes[demand_first ? 0 : 1];
  EXPECT_EQ(demand.demand, 7u);
  EXPECT_EQ(demand.kinds, 1u) << "its own alone";
  EXPECT_EQ(demand.captured_ranges.size(), 1u);
  EXPECT_FALSE(schedule_.Next(6 * kS)) << "the window is not asked for again";
  schedule_.End(7 * kS);
  EXPECT_TRUE(schedule_.TakeOutcomes(100 * kS).empty());
}

TEST_F(WindowAtItsEndTest, WithdrawnDemandAtTheEndDoesNotCancelTheWindow) {
  schedule_.Withdraw(7);
  const auto word = schedule_.Next(2 * kS);
  ASSERT_TRUE(word);
  EXPECT_EQ(word->kinds, 0u) << "the demand is called off, and the window not asked for again";
  schedule_.OnMark(End(1, 3 * kS, 20));
  const auto outcomes = schedule_.TakeOutcomes(100 * kS);
  ASSERT_EQ(outcomes.size(), 1u);
  ExpectTheWindow(outcomes[0]);
  EXPECT_FALSE(schedule_.Next(4 * kS));
}

TEST_F(InterruptionTest, AWindowSentAgainBeforeItsEndIsKnownIsCalledOff) {
  auto schedule = Of("10:5,100:5");
  ASSERT_TRUE(schedule.Next(0));
  schedule.SetPlan(*ParsePlan({"10:5"}, {}));
  ASSERT_EQ(schedule.Next(kS)->request, 3u) << "nothing has been heard of the first";
  schedule.OnMark(Begin(1, kS, 10));
  schedule.OnMark(End(1, 2 * kS, 5));
  const auto word = schedule.Next(2 * kS);
  ASSERT_TRUE(word);
  EXPECT_EQ(word->kinds, 0u);
  schedule.OnMark(End(3, 3 * kS, 0, WindowEnd::kReplaced));
  const auto outcomes = schedule.TakeOutcomes(0);
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].steps, 5);
  EXPECT_EQ(outcomes[0].end, WindowEnd::kDone);
}

TEST_F(InterruptionTest, StepsWithoutNumbersAreNotAskedForTwice) {
  auto schedule = Of(":500");
  ASSERT_EQ(schedule.Next(0)->steps, 500u);
  schedule.OnMark(Begin(1, kS, 2));
  schedule.Request({.id = 7, .steps = 5, .kinds = 1});
  ASSERT_TRUE(schedule.Next(2 * kS));
  schedule.OnMark(End(1, 2 * kS, 160, WindowEnd::kReplaced));
  schedule.OnMark(Begin(2, 2 * kS, 163));
  schedule.OnMark(End(2, 3 * kS, 5));
  EXPECT_EQ(schedule.Next(3 * kS)->steps, 340u);
  schedule.OnMark(Begin(3, 4 * kS, 169));
  schedule.OnMark(End(3, 9 * kS, 340));
  const auto outcomes = schedule.TakeOutcomes(0);
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[1].steps, 500);
  EXPECT_EQ(outcomes[1].asked_steps, 500);
}

TEST_F(InterruptionTest, AnInterruptedWindowThatNobodyWantsAnyMoreIsToldAsItIs) {
  auto schedule = Of("10:1000");
  ASSERT_TRUE(schedule.Next(0));
  schedule.OnMark(Begin(1, kS, 10));
  schedule.Request({.id = 7, .steps = 5, .kinds = 1});
  ASSERT_TRUE(schedule.Next(2 * kS));
  schedule.OnMark(End(1, 2 * kS, 40, WindowEnd::kReplaced));
  schedule.SetPlan(*ParsePlan({"none"}, {}));
  const auto outcomes = schedule.TakeOutcomes(0);
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].steps, 40);
  EXPECT_TRUE(outcomes[0].unwanted);
}

TEST_F(InterruptionTest, EachCapturedRangeHasItsKinds) {
  auto schedule = Of("10:20=operators+kernels");
  ASSERT_TRUE(schedule.Next(0));
  schedule.OnMark(Begin(1, kS, 10, 3));
  schedule.OnMark(End(1, 2 * kS, 6, WindowEnd::kAside));
  schedule.OnMark(Begin(1, 3 * kS, 20, 1));
  schedule.OnMark(End(1, 4 * kS, 16));
  const auto outcomes = schedule.TakeOutcomes(0);
  ASSERT_EQ(outcomes.size(), 1u);
  const std::vector<CapturedRange> captured_ranges = {{kS, 2 * kS, 3, 10, 6},
                                                      {3 * kS, 4 * kS, 1, 20, 10}};
  EXPECT_EQ(outcomes[0].captured_ranges, captured_ranges);
  EXPECT_TRUE(outcomes[0].aside);
}

TEST_F(InterruptionTest, ADurationThatIsInterruptedEndsWhenItWouldHave) {
  auto schedule = Of(":10s");
  ASSERT_TRUE(schedule.Next(0));
  schedule.OnMark(Begin(1, 2 * kS, 2));
  schedule.Request({.id = 7, .steps = 5, .kinds = 1});
  ASSERT_TRUE(schedule.Next(3 * kS));
  schedule.OnMark(End(1, 3 * kS, 40, WindowEnd::kReplaced));
  schedule.OnMark(Begin(2, 3 * kS, 43));
  schedule.OnMark(End(2, 4 * kS, 5));
  const auto word = schedule.Next(4 * kS);
  ASSERT_TRUE(word);
  EXPECT_EQ(word->until_monotonic_ns, static_cast<uint64_t>(kMonotonic + 12 * kS));
  EXPECT_EQ(word->dur_ns, 0u);
  schedule.OnMark(Begin(3, 5 * kS, 49));
  schedule.OnMark(End(3, 12 * kS, 70));
  const auto outcomes = schedule.TakeOutcomes(0);
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[1].steps, 110);
  EXPECT_TRUE(outcomes[1].interrupted);
}

TEST_F(InterruptionTest, ADemandThatAnotherReplacesHasWhatItHad) {
  auto schedule = Of("none");
  schedule.Request({.id = 7, .steps = 50, .kinds = 1});
  ASSERT_TRUE(schedule.Next(0));
  schedule.OnMark(Begin(1, kS, 10));
  schedule.Request({.id = 8, .steps = 5, .kinds = 1});
  ASSERT_TRUE(schedule.Next(2 * kS));
  schedule.Request({.id = 9, .steps = 5, .kinds = 1});
  auto outcomes = schedule.TakeOutcomes(0);
  ASSERT_EQ(outcomes.size(), 1u) << "the one that has not begun gets its answer at once";
  EXPECT_EQ(outcomes[0].demand, 8u);
  EXPECT_EQ(outcomes[0].end, WindowEnd::kReplaced);
  ASSERT_TRUE(schedule.Next(3 * kS));
  schedule.OnMark(End(1, 3 * kS, 12, WindowEnd::kReplaced));
  schedule.OnMark(Begin(3, 3 * kS, 23));
  schedule.OnMark(End(3, 4 * kS, 5));
  outcomes = schedule.TakeOutcomes(0);
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[0].demand, 7u);
  EXPECT_EQ(outcomes[0].steps, 12);
  EXPECT_EQ(outcomes[1].demand, 9u);
}

}  // namespace
}  // namespace steptrace::agent
