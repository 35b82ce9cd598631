// SPDX-License-Identifier: Apache-2.0
#include "agent/capture_schedule.h"

#include <gtest/gtest.h>

#include "base/time.h"

namespace steptrace::agent {
namespace {

using Source = CaptureOutcome::Source;
using wire::CaptureControl;
using wire::WindowEnd;

constexpr int64_t kS = kNsPerSecond;
constexpr int64_t kMonotonic = 1'000 * kS;
constexpr int64_t kUtc = 1'790'000'000 * kS;

class CaptureScheduleTest : public ::testing::Test {
 protected:
  CaptureSchedule Of(const std::string& windows) {
    return CaptureSchedule(*ParsePlan({windows}, {}), kMonotonic, kUtc);
  }
  static WindowMark Begin(uint64_t request, int64_t ts_ns) {
    return {.ts_ns = ts_ns, .begins = true, .request = request, .kinds = 1};
  }
  static WindowMark End(uint64_t request, int64_t ts_ns, uint32_t steps,
                        WindowEnd end = WindowEnd::kDone) {
    return {.ts_ns = ts_ns, .request = request, .steps = steps, .end = end};
  }
};

TEST_F(CaptureScheduleTest, WindowsOfStepsAreSentAheadOneByOne) {
  auto schedule = Of("1000:500,2000:10");
  auto word = schedule.Next(0);
  ASSERT_TRUE(word);
  EXPECT_EQ(word->request, 1u);
  EXPECT_EQ(word->first_step, 1000u);
  EXPECT_EQ(word->steps, 500u);
  EXPECT_EQ(word->kinds, 1u);
  EXPECT_FALSE(schedule.Next(kS)) << "it stands";
  schedule.OnMark(Begin(1, 5 * kS));
  schedule.OnMark(End(1, 9 * kS, 500));
  const auto outcomes = schedule.TakeOutcomes(0);
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].window, "1000:500");
  EXPECT_EQ(outcomes[0].from_ns, 5 * kS);
  EXPECT_EQ(outcomes[0].to_ns, 9 * kS);
  EXPECT_EQ(outcomes[0].steps, 500);
  word = schedule.Next(10 * kS);
  ASSERT_TRUE(word);
  EXPECT_EQ(word->request, 2u);
  EXPECT_EQ(word->first_step, 2000u);
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

TEST_F(CaptureScheduleTest, ADemandGoesFirstAndTheWindowGoesOnAfterIt) {
  auto schedule = Of("10:1000");
  ASSERT_TRUE(schedule.Next(0));
  schedule.OnMark(Begin(1, kS));
  schedule.Ask({.id = 7, .steps = 5, .kinds = 1});
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

TEST_F(CaptureScheduleTest, AWithdrawnDemandIsEndedInTheProcess) {
  auto schedule = Of("none");
  schedule.Ask({.id = 7, .steps = 5, .kinds = 1});
  ASSERT_TRUE(schedule.Next(0));
  schedule.Withdraw(7);
  const auto word = schedule.Next(1);
  ASSERT_TRUE(word);
  EXPECT_EQ(word->kinds, 0u);
  EXPECT_FALSE(schedule.Next(2));
}

TEST_F(CaptureScheduleTest, SteppingAsideIsNoEnd) {
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

TEST_F(CaptureScheduleTest, TheAutomaticWindowComesOnceWhenStepsAreSteady) {
  auto schedule = Of("auto");
  for (int i = 0; i < 29; ++i) schedule.OnSteadyStep(i * kS / 10);
  EXPECT_FALSE(schedule.Next(3 * kS));
  schedule.OnSteadyStep(3 * kS);
  const auto word = schedule.Next(100 * kS);
  ASSERT_TRUE(word);
  EXPECT_EQ(word->first_step, 0u);
  EXPECT_EQ(word->steps, 20u);
  // A hundredth of 97 s at 0.9 us an operator would be a million.
  EXPECT_EQ(word->max_operators, 200'000u);
  EXPECT_EQ(word->until_monotonic_ns, static_cast<uint64_t>(kMonotonic + 110 * kS));
  schedule.OnMark(Begin(1, 101 * kS));
  schedule.OnMark(End(1, 102 * kS, 20));
  for (int i = 0; i < 100; ++i) schedule.OnSteadyStep(200 * kS + i);
  EXPECT_FALSE(schedule.Next(200 * kS));
  EXPECT_EQ(schedule.TakeOutcomes(0).at(0).source, Source::kAutomatic);
}

TEST_F(CaptureScheduleTest, AnotherAutomaticWindowComesWhenItIsSuggested) {
  auto schedule = Of("auto");
  schedule.Suggest("rule");
  for (int64_t i = 0; i < 30; ++i) schedule.OnSteadyStep(i * kS);
  ASSERT_TRUE(schedule.Next(60 * kS));
  schedule.OnMark(Begin(1, 61 * kS));
  schedule.OnMark(End(1, 62 * kS, 20));
  EXPECT_EQ(schedule.TakeOutcomes(0).at(0).why, "steady");
  EXPECT_FALSE(schedule.Next(63 * kS)) << "a minimum distance";
  const auto word = schedule.Next(73 * kS);
  ASSERT_TRUE(word);
  EXPECT_EQ(word->steps, 20u);
  schedule.OnMark(Begin(2, 74 * kS));
  schedule.OnMark(End(2, 75 * kS, 20));
  EXPECT_EQ(schedule.TakeOutcomes(0).at(0).why, "rule");
  EXPECT_FALSE(schedule.Next(1000 * kS)) << "a suggestion is followed once";
  schedule.Suggest("shift");
  EXPECT_TRUE(schedule.Next(1000 * kS));
}

TEST_F(CaptureScheduleTest, AutomaticWindowsKeepWithinTheirTime) {
  WindowPlan plan = *ParsePlan({"auto"}, {});
  plan.budget.ns = 3 * kS;
  CaptureSchedule schedule(plan, kMonotonic, kUtc);
  for (int64_t i = 0; i < 30; ++i) schedule.OnSteadyStep(i * kS);
  const auto word = schedule.Next(60 * kS);
  ASSERT_TRUE(word);
  EXPECT_EQ(word->until_monotonic_ns, static_cast<uint64_t>(kMonotonic + 63 * kS));
  schedule.OnMark(Begin(1, 60 * kS));
  schedule.OnMark(End(1, 62 * kS, 20));
  schedule.Suggest("shift");
  EXPECT_EQ(schedule.Next(100 * kS)->until_monotonic_ns,
            static_cast<uint64_t>(kMonotonic + 101 * kS));
  schedule.OnMark(Begin(2, 100 * kS));
  schedule.OnMark(End(2, 101 * kS, 10));
  schedule.Suggest("shift");
  EXPECT_FALSE(schedule.Next(1000 * kS));
}

TEST_F(CaptureScheduleTest, AutomaticWindowsShareTheirBytes) {
  WindowBytes bytes{.left = 4'000'000, .processes = 2};
  CaptureSchedule schedule(*ParsePlan({"auto"}, {}), kMonotonic, kUtc, &bytes);
  for (int64_t i = 0; i < 30; ++i) schedule.OnSteadyStep(i * kS);
  // 100 000 rows of 40 bytes, for two processes: over what the time trained grants.
  EXPECT_EQ(schedule.Next(10'000 * kS)->max_operators, 50'000u);
  schedule.OnMark(Begin(1, 10'001 * kS));
  schedule.OnOperators(50'000);
  schedule.OnMark(End(1, 10'002 * kS, 10));
  schedule.OnOperators(1'000'000);  // of no automatic window
  EXPECT_EQ(bytes.left, 2'000'000);
  schedule.Suggest("shift");
  EXPECT_EQ(schedule.Next(20'000 * kS)->max_operators, 25'000u);
  schedule.OnMark(End(2, 20'001 * kS, 0, WindowEnd::kMissed));
  bytes.left = 1'000;
  schedule.Suggest("shift");
  EXPECT_FALSE(schedule.Next(30'000 * kS));
}

TEST_F(CaptureScheduleTest, WhatCannotBeHadIsNotAskedForAgain) {
  auto schedule = Of("auto");
  for (int64_t i = 0; i < 30; ++i) schedule.OnSteadyStep(i * kS);
  ASSERT_TRUE(schedule.Next(60 * kS));
  schedule.OnMark(End(1, 61 * kS, 0, WindowEnd::kUnavailable));
  schedule.Suggest("shift");
  EXPECT_FALSE(schedule.Next(100 * kS));
}

TEST_F(CaptureScheduleTest, SuggestionsAreNothingToARunWithWindowsOfItsOwn) {
  auto schedule = Of("none");
  for (int64_t i = 0; i < 30; ++i) schedule.OnSteadyStep(i * kS);
  schedule.Suggest("shift");
  EXPECT_FALSE(schedule.Next(100 * kS));
}

TEST_F(CaptureScheduleTest, AShortRunHasASmallAutomaticWindow) {
  auto schedule = Of("auto");
  for (int i = 0; i < 30; ++i) schedule.OnSteadyStep(0);
  EXPECT_EQ(schedule.Next(kS)->max_operators, 20'000u);
  auto longer = Of("auto");
  for (int i = 0; i < 30; ++i) longer.OnSteadyStep(0);
  EXPECT_EQ(longer.Next(9 * kS)->max_operators, 100'000u);
}

TEST_F(CaptureScheduleTest, NoneMeansNone) {
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

TEST_F(CaptureScheduleTest, WhatAWindowLacksOfWhatItAskedForIsKnown) {
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

TEST_F(CaptureScheduleTest, ARunThatEndsInAWindowHasWhatItHas) {
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
TEST_F(CaptureScheduleTest, AnswersThatMakeNoSenseHarmNothing) {
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
  for (uint64_t i = 0; i < 1000; ++i) schedule.OnMark(End(i, 0, 0));
  EXPECT_EQ(schedule.Next(kS)->first_step, 20u);
}

}  // namespace
}  // namespace steptrace::agent
