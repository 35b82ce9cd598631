// SPDX-License-Identifier: Apache-2.0
#include "agent/capture/capture_schedule.h"

#include "testing/capture_schedule_fixture.h"

namespace steptrace::agent {
namespace {

using Source = CaptureOutcome::Source;
using wire::CaptureControl;
using wire::WindowEnd;

TEST_F(CaptureScheduleTest, WindowsOfStepsAreSentAheadInOneWord) {
  auto schedule = Of("1000:500,2000:10");
  const auto word = schedule.Next(0);
  ASSERT_TRUE(word);
  EXPECT_EQ(word->request, 1u);
  EXPECT_EQ(word->first_step, 1000u);
  EXPECT_EQ(word->steps, 500u);
  EXPECT_EQ(word->kinds, 1u);
  ASSERT_EQ(word->next_count, 1u);
  EXPECT_EQ(word->next[0].first_step, 2000u);
  EXPECT_EQ(word->next[0].steps, 10u);
  EXPECT_EQ(word->next[0].kinds, 1u);
  EXPECT_FALSE(schedule.Next(kS)) << "it stands";
  schedule.OnMark(Begin(1, 5 * kS));
  schedule.OnMark(End(1, 9 * kS, 500));
  const auto outcomes = schedule.TakeOutcomes(0);
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].window, "1000:500");
  EXPECT_EQ(outcomes[0].from_ns, 5 * kS);
  EXPECT_EQ(outcomes[0].to_ns, 9 * kS);
  EXPECT_EQ(outcomes[0].steps, 500);
  EXPECT_FALSE(schedule.Next(10 * kS)) << "the second stands too";
  schedule.OnMark(Begin(2, 20 * kS));
  schedule.OnMark(End(2, 21 * kS, 10));
  const auto second = schedule.TakeOutcomes(0);
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(second[0].window, "2000:10");
  EXPECT_EQ(second[0].from_ns, 20 * kS);
  EXPECT_EQ(second[0].steps, 10);
  EXPECT_FALSE(schedule.Next(22 * kS));
}

TEST_F(CaptureScheduleTest, AWindowRightBehindBeginsBeforeTheOneBeforeHasEnded) {
  auto schedule = Of("10:2=operators,12:1=stacks,14:1=shapes");
  ASSERT_EQ(schedule.Next(0)->next_count, 2u);
  schedule.OnMark(Begin(1, 5 * kS));
  schedule.OnMark(Begin(2, 7 * kS));
  schedule.OnMark(End(1, 7 * kS + 1, 2));
  schedule.OnMark(End(2, 8 * kS, 1));
  schedule.OnMark(End(3, 9 * kS, 0, WindowEnd::kUnavailable));
  const auto outcomes = schedule.TakeOutcomes(0);
  ASSERT_EQ(outcomes.size(), 3u);
  EXPECT_EQ(outcomes[0].to_ns, 7 * kS + 1);
  EXPECT_EQ(outcomes[1].window, "12:1=stacks");
  EXPECT_EQ(outcomes[1].from_ns, 7 * kS);
  EXPECT_EQ(outcomes[1].to_ns, 8 * kS);
  EXPECT_EQ(outcomes[1].kinds, 1u) << "as the process says";
  EXPECT_EQ(outcomes[2].end, WindowEnd::kUnavailable);
  EXPECT_EQ(outcomes[2].to_ns, 0);
}

TEST_F(CaptureScheduleTest, WhereMarksAreLostTheNextOnesStillCount) {
  auto schedule = Of("10:2,20:2,30:2,40:2");
  ASSERT_TRUE(schedule.Next(0));
  schedule.OnMark(Begin(1, 5 * kS));
  schedule.OnMark(Begin(3, 7 * kS));
  schedule.OnMark(End(3, 8 * kS, 2));
  schedule.OnMark(End(9, 8 * kS, 2));
  const auto outcomes = schedule.TakeOutcomes(0);
  ASSERT_EQ(outcomes.size(), 3u);
  EXPECT_EQ(outcomes[0].window, "10:2");
  EXPECT_EQ(outcomes[0].end, WindowEnd::kDone);
  EXPECT_EQ(outcomes[1].end, WindowEnd::kMissed);
  EXPECT_EQ(outcomes[2].window, "30:2");
  EXPECT_EQ(outcomes[2].steps, 2);
  schedule.End(9 * kS);
  ASSERT_EQ(schedule.TakeOutcomes(0).size(), 1u) << "40:2 never came";
}

TEST_F(CaptureScheduleTest, ADemandTakesThePlaceOfAllThatFollowAndTheyComeAgain) {
  auto schedule = Of("10:2,20:2,30:2");
  ASSERT_EQ(schedule.Next(0)->next_count, 2u);
  schedule.OnMark(Begin(1, 5 * kS));
  schedule.OnMark(End(1, 6 * kS, 2));
  schedule.Request({.id = 7, .steps = 5, .kinds = 1});
  const auto demand = schedule.Next(7 * kS);
  ASSERT_TRUE(demand);
  EXPECT_EQ(demand->request, 4u);
  EXPECT_EQ(demand->next_count, 0u);
  schedule.OnMark(Begin(2, 7 * kS));  // the process was there before the demand
  schedule.OnMark(End(2, 8 * kS, 0, WindowEnd::kReplaced));
  schedule.OnMark(Begin(4, 8 * kS));
  schedule.OnMark(End(4, 9 * kS, 5));
  EXPECT_EQ(schedule.TakeOutcomes(0).size(), 2u);
  const auto again = schedule.Next(10 * kS);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->first_step, 20u);
  EXPECT_EQ(again->next_count, 1u);
}

TEST_F(CaptureScheduleTest, AnotherPlanCallsOffWhatFollowed) {
  auto schedule = Of("10:2,20:2");
  ASSERT_TRUE(schedule.Next(0));
  schedule.OnMark(Begin(1, 5 * kS));
  schedule.SetPlan(*ParsePlan({"10:2"}, {}));
  EXPECT_FALSE(schedule.Next(5 * kS)) << "what is under way ends as it began";
  schedule.OnMark(End(1, 6 * kS, 2));
  const auto word = schedule.Next(7 * kS);
  ASSERT_TRUE(word);
  EXPECT_EQ(word->kinds, 0u) << "nothing is wanted any more";
  EXPECT_EQ(word->request, 3u);
}

TEST_F(CaptureScheduleTest, WindowsBeyondOneRequestFollowLater) {
  std::string windows;
  for (int i = 1; i <= 40; ++i) windows += (i == 1 ? "" : ",") + std::to_string(10 * i) + ":1";
  auto schedule = Of(windows);
  const auto word = schedule.Next(0);
  ASSERT_EQ(word->next_count, wire::kMaxCapturesNext);
  for (uint64_t i = 1; i <= 17; ++i) {
    schedule.OnMark(Begin(i, static_cast<int64_t>(2 * i) * kS));
    schedule.OnMark(End(i, static_cast<int64_t>(2 * i + 1) * kS, 1));
  }
  EXPECT_EQ(schedule.TakeOutcomes(0).size(), 17u);
  EXPECT_EQ(schedule.Next(50 * kS)->first_step, 180u);
}

TEST_F(CaptureScheduleTest, BeforeTheTrainingOnlyStepsAreSentAhead) {
  auto schedule = Of("5s:1s,45:5");
  const auto word = schedule.NextAhead();
  ASSERT_TRUE(word);
  EXPECT_EQ(word->first_step, 45u);
  EXPECT_FALSE(schedule.NextAhead()) << "it stands";
  EXPECT_FALSE(schedule.Next(kS)) << "and does so when the training has begun";
  EXPECT_EQ(schedule.Next(5 * kS)->first_step, 0u) << "what is due goes first";
  EXPECT_FALSE(Of("5s:1s").NextAhead());
  EXPECT_EQ(Of("auto").NextAhead()->first_step, 6u) << "the early one";
}

TEST_F(CaptureScheduleTest, AWindowOfTimeGoesOutWhenItsTimeHasCome) {
  auto schedule = Of("1000:5,90s:10s");
  EXPECT_EQ(schedule.Next(0)->first_step, 1000u);
  const auto word = schedule.Next(91 * kS);
  ASSERT_TRUE(word) << "the window of steps has not begun: it gives way";
  EXPECT_EQ(word->first_step, 0u);
  EXPECT_EQ(word->steps, 0u);
  EXPECT_EQ(word->until_monotonic_ns, static_cast<uint64_t>(kMonotonic + 100 * kS));
  schedule.OnMark(Begin(2, 92 * kS));
  schedule.OnMark(End(2, 100 * kS, 7));
  EXPECT_EQ(schedule.Next(100 * kS)->first_step, 1000u) << "and is sent again";
}

TEST_F(CaptureScheduleTest, AMomentOfTheWallClockIsOneOfTheRun) {
  auto schedule = Of("@1790000007:2s");
  EXPECT_FALSE(schedule.Next(6 * kS));
  const auto word = schedule.Next(8 * kS);
  ASSERT_TRUE(word);
  EXPECT_EQ(word->until_monotonic_ns, static_cast<uint64_t>(kMonotonic + 9 * kS));
}

TEST_F(CaptureScheduleTest, AWindowWhoseTimeIsOverIsMissed) {
  auto schedule = Of("1s:2s");
  EXPECT_FALSE(schedule.Next(4 * kS));
  const auto outcomes = schedule.TakeOutcomes(0);
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].end, WindowEnd::kMissed);
  EXPECT_EQ(outcomes[0].window, "1s:2s");
}

// One that does not come to the end of a step within the window's time, or to none at all.
TEST_F(CaptureScheduleTest, AWindowThatTheProcessNeverAnsweredIsMissedOnce) {
  auto schedule = Of("1s:2s");
  ASSERT_TRUE(schedule.Next(kS));
  EXPECT_FALSE(schedule.Next(4 * kS));
  EXPECT_TRUE(schedule.TakeOutcomes(0).empty()) << "the process may have begun it";
  schedule.End(5 * kS);
  const auto outcomes = schedule.TakeOutcomes(0);
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].end, WindowEnd::kMissed);
  EXPECT_EQ(outcomes[0].to_ns, 0);
}

TEST_F(CaptureScheduleTest, AnAnswerAfterTheWindowsTimeIsTheOnlyOne) {
  auto missed = Of("1s:2s");
  ASSERT_TRUE(missed.Next(kS));
  EXPECT_FALSE(missed.Next(4 * kS));
  missed.OnMark(End(1, 5 * kS, 0, WindowEnd::kMissed));
  ASSERT_EQ(missed.TakeOutcomes(0).size(), 1u);
  auto captured = Of("1s:2s");
  ASSERT_TRUE(captured.Next(kS));
  EXPECT_FALSE(captured.Next(4 * kS));
  captured.OnMark(Begin(1, 2 * kS));
  captured.OnMark(End(1, 3 * kS, 7));
  const auto outcomes = captured.TakeOutcomes(0);
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].end, WindowEnd::kDone);
  EXPECT_EQ(outcomes[0].steps, 7);
  for (CaptureSchedule* schedule : {&missed, &captured}) {
    EXPECT_FALSE(schedule->Next(6 * kS));
    schedule->End(7 * kS);
    EXPECT_TRUE(schedule->TakeOutcomes(0).empty());
  }
}

TEST_F(CaptureScheduleTest, AWindowWhosePlaceTheNextTakesUnansweredIsMissedOnce) {
  auto schedule = Of("1s:1s,3s:1s");
  ASSERT_TRUE(schedule.Next(kS));
  ASSERT_TRUE(schedule.Next(3 * kS));
  EXPECT_FALSE(schedule.Next(5 * kS));
  schedule.End(6 * kS);
  const auto outcomes = schedule.TakeOutcomes(0);
  ASSERT_EQ(outcomes.size(), 2u);
  for (const CaptureOutcome& one : outcomes) EXPECT_EQ(one.end, WindowEnd::kMissed);
  EXPECT_NE(outcomes[0].window, outcomes[1].window);
}

TEST_F(CaptureScheduleTest, ADemandGoesFirstAndTheWindowGoesOnAfterIt) {
  auto schedule = Of("10:1000");
  ASSERT_TRUE(schedule.Next(0));
  schedule.OnMark(Begin(1, kS));
  schedule.Request({.id = 7, .steps = 5, .kinds = 1});
  const auto word = schedule.Next(2 * kS);
  ASSERT_TRUE(word);
  EXPECT_EQ(word->request, 2u);
  EXPECT_EQ(word->steps, 5u);
  EXPECT_FALSE(schedule.HasBegun(7));
  schedule.OnMark(End(1, 2 * kS, 40, WindowEnd::kReplaced));
  EXPECT_TRUE(schedule.TakeOutcomes(0).empty()) << "it is not over";
  schedule.OnMark(Begin(2, 2 * kS));
  EXPECT_TRUE(schedule.HasBegun(7));
  schedule.OnMark(End(2, 3 * kS, 5));
  const auto outcomes = schedule.TakeOutcomes(0);
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].source, Source::kDemand);
  EXPECT_EQ(outcomes[0].demand, 7u);
  EXPECT_EQ(schedule.Next(3 * kS)->first_step, 10u);
}

TEST_F(CaptureScheduleTest, ADurationAloneBeginsWithTheFirstStepThatCanBeHad) {
  auto schedule = Of("5:2,:3s");
  const auto word = schedule.NextAhead();
  ASSERT_TRUE(word) << "it lies there before the training";
  EXPECT_EQ(word->dur_ns, static_cast<uint64_t>(3 * kS));
  EXPECT_EQ(word->until_monotonic_ns, 0u);
  EXPECT_EQ(word->first_step, 0u);
  EXPECT_EQ(word->steps, 0u);
  EXPECT_FALSE(schedule.Next(100 * kS)) << "however long the training took to begin";
  schedule.OnMark(Begin(1, 101 * kS, 2));
  schedule.OnMark(End(1, 104 * kS, 30));
  const auto outcomes = schedule.TakeOutcomes(0);
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].window, ":3s");
  EXPECT_EQ(outcomes[0].steps, 30);
  EXPECT_EQ(schedule.Next(105 * kS)->first_step, 5u);
}

TEST_F(CaptureScheduleTest, OfARunningJobItBeginsWhenTheSettingsAreRead) {
  auto schedule = Of("none");
  EXPECT_FALSE(schedule.Next(50 * kS));
  schedule.SetPlan(*ParsePlan({":1s"}, {}));
  const auto word = schedule.Next(51 * kS);
  ASSERT_TRUE(word);
  EXPECT_EQ(word->dur_ns, static_cast<uint64_t>(kS));
  EXPECT_TRUE(schedule.TakeOutcomes(0).empty());
}

TEST_F(CaptureScheduleTest, AWithdrawnDemandIsEndedInTheProcess) {
  auto schedule = Of("none");
  schedule.Request({.id = 7, .steps = 5, .kinds = 1});
  ASSERT_TRUE(schedule.Next(0));
  schedule.Withdraw(7);
  const auto word = schedule.Next(1);
  ASSERT_TRUE(word);
  EXPECT_EQ(word->kinds, 0u);
  EXPECT_FALSE(schedule.Next(2));
}

TEST_F(CaptureScheduleTest, PauseForTheScriptsProfilerDoesNotEndTheWindow) {
  auto schedule = Of("10:5");
  ASSERT_TRUE(schedule.Next(0));
  schedule.OnMark(Begin(1, kS));
  schedule.OnMark(End(1, 2 * kS, 1, WindowEnd::kAside));
  EXPECT_TRUE(schedule.TakeOutcomes(0).empty());
  schedule.OnMark(Begin(1, 3 * kS));
  schedule.OnMark(End(1, 4 * kS, 3));
  const auto outcomes = schedule.TakeOutcomes(0);
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].from_ns, kS);
}

TEST_F(CaptureScheduleTest, PlanNoneSendsNoWindow) {
  auto schedule = Of("none");
  for (int i = 0; i < 100; ++i) schedule.OnSteadyStep(i);
  EXPECT_FALSE(schedule.Next(100 * kS));
}

TEST_F(CaptureScheduleTest, AnotherPlanHoldsFromTheNextWindowOn) {
  auto schedule = Of("10:5,100:5,200:5");
  EXPECT_EQ(schedule.Next(0)->first_step, 10u);
  schedule.OnMark(Begin(1, kS));
  schedule.SetPlan(*ParsePlan({"10:5,150:2=kernels,200:5"}, {}));
  EXPECT_FALSE(schedule.Next(kS)) << "what is under way goes on";
  schedule.OnMark(End(1, 2 * kS, 5));
  auto outcomes = schedule.TakeOutcomes(0);
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].window, "10:5");
  auto word = schedule.Next(2 * kS);
  ASSERT_TRUE(word) << "10:5 has been; 100:5 is not wanted any more";
  EXPECT_EQ(word->first_step, 150u);
  EXPECT_EQ(word->kinds, 2u);
  schedule.SetPlan(*ParsePlan({"none"}, {}));
  word = schedule.Next(3 * kS);
  ASSERT_TRUE(word) << "one that waits for its step is called off";
  EXPECT_EQ(word->kinds, 0u);
  EXPECT_EQ(word->steps, 0u);
  EXPECT_FALSE(schedule.Next(4 * kS));
  EXPECT_TRUE(schedule.TakeOutcomes(0).empty());
  schedule.SetPlan(*ParsePlan({"300:1"}, {}));
  EXPECT_EQ(schedule.Next(5 * kS)->first_step, 300u);
}

TEST_F(CaptureScheduleTest, WindowsSentBeforeTheTrainingCanBeCalledOff) {
  auto schedule = Of("10:5");
  ASSERT_TRUE(schedule.NextAhead());
  schedule.SetPlan(*ParsePlan({"none"}, {}));
  const auto word = schedule.NextAhead();
  ASSERT_TRUE(word);
  EXPECT_EQ(word->kinds, 0u);
  EXPECT_FALSE(schedule.NextAhead());
}

TEST_F(CaptureScheduleTest, AWindowWhoseEndWasLostEndsWhereTheNextBegan) {
  auto schedule = Of("10:5,15:5");
  ASSERT_TRUE(schedule.Next(0));
  schedule.OnMark(Begin(1, kS));
  schedule.OnMark(Begin(2, 2 * kS));
  schedule.OnMark(End(2, 3 * kS, 5));
  const auto outcomes = schedule.TakeOutcomes(0);
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[0].to_ns, 2 * kS);
  EXPECT_EQ(outcomes[1].from_ns, 2 * kS);
  EXPECT_EQ(outcomes[1].to_ns, 3 * kS);
}

TEST_F(CaptureScheduleTest, OutcomeNamesRequestedKindsThatWereNotCaptured) {
  auto schedule = Of("10:5=operators+kernels");
  ASSERT_TRUE(schedule.Next(0));
  schedule.OnMark(Begin(1, kS));
  schedule.OnMark(End(1, 2 * kS, 3, WindowEnd::kFull));
  const auto outcomes = schedule.TakeOutcomes(kS * 100);
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].asked, 3u);
  EXPECT_EQ(outcomes[0].kinds, 1u);
  EXPECT_EQ(outcomes[0].asked_steps, 5);
  EXPECT_EQ(outcomes[0].steps, 3);
}

TEST_F(CaptureScheduleTest, RunEndingInAWindowKeepsItsStepsSoFar) {
  auto schedule = Of("10:1000,5000:1");
  ASSERT_TRUE(schedule.Next(0));
  schedule.OnMark(Begin(1, kS));
  schedule.End(5 * kS);
  const auto outcomes = schedule.TakeOutcomes(0);
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[0].end, WindowEnd::kDone);
  EXPECT_EQ(outcomes[0].to_ns, 5 * kS);
  EXPECT_EQ(outcomes[1].window, "5000:1");
  EXPECT_EQ(outcomes[1].end, WindowEnd::kMissed);
}

// What a process answers is its word alone: numbers that were never sent, ends without begins, ends
// that are none, times that run backwards.
TEST_F(CaptureScheduleTest, InvalidMarksAreIgnored) {
  auto schedule = Of("10:5,20:5");
  schedule.OnMark(End(1, kS, 5));
  ASSERT_TRUE(schedule.Next(0));
  schedule.OnMark(Begin(77, kS));
  schedule.OnMark(End(77, kS, 5));
  schedule.OnMark(End(0, kS, 5));
  EXPECT_TRUE(schedule.TakeOutcomes(0).empty());
  schedule.OnMark(Begin(1, INT64_MIN));
  schedule.OnMark(End(1, INT64_MIN, ~0u, static_cast<WindowEnd>(99)));
  const auto outcomes = schedule.TakeOutcomes(0);
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].end, WindowEnd::kFailed);
  EXPECT_EQ(outcomes[0].to_ns, 0) << "no stretch";
  for (uint64_t i = 0; i < 1000; ++i) {
    if (i != 2) schedule.OnMark(End(i, 0, 0));
  }
  EXPECT_TRUE(schedule.TakeOutcomes(0).empty());
  schedule.OnMark(Begin(2, kS));
  schedule.OnMark(End(2, 2 * kS, 5));
  ASSERT_EQ(schedule.TakeOutcomes(0).size(), 1u) << "the second of the word";
}

}  // namespace
}  // namespace steptrace::agent
