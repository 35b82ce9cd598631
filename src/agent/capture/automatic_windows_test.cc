// SPDX-License-Identifier: Apache-2.0
#include "agent/capture/capture_schedule.h"
#include "testing/capture_schedule_fixture.h"

namespace steptrace::agent {
namespace {

using Source = CaptureOutcome::Source;
using wire::CaptureControl;
using wire::WindowEnd;

using AutomaticWindowsTest = CaptureScheduleTest;

TEST_F(AutomaticWindowsTest, TheAutomaticWindowComesOnceWhenStepsAreSteady) {
  auto schedule = Of("auto");
  for (int i = 0; i < 29; ++i) schedule.OnSteadyStep(i * kS / 10);
  EXPECT_FALSE(schedule.Next(3 * kS));
  schedule.OnSteadyStep(3 * kS);
  const auto word = schedule.Next(100 * kS);
  ASSERT_TRUE(word);
  EXPECT_EQ(word->first_step, 0u);
  EXPECT_EQ(word->steps, 20u);
  // A hundredth of 97 s at 0.9 us an operator would be a million.
  EXPECT_EQ(word->enough_operators, 300'000u);
  EXPECT_EQ(word->max_operators, 300'000u);
  EXPECT_EQ(word->until_monotonic_ns, static_cast<uint64_t>(kMonotonic + 110 * kS));
  schedule.OnMark(Begin(1, 101 * kS));
  schedule.OnMark(End(1, 102 * kS, 20));
  for (int i = 0; i < 100; ++i) schedule.OnSteadyStep(200 * kS + i);
  EXPECT_FALSE(schedule.Next(200 * kS));
  EXPECT_EQ(schedule.TakeOutcomes(0).at(0).source, Source::kAutomatic);
}

TEST_F(AutomaticWindowsTest, AnotherAutomaticWindowComesWhenItIsSuggested) {
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

TEST_F(AutomaticWindowsTest, KernelsAreInItWhereTheUserAskedForThem) {
  for (const auto& [asked, kinds] : {std::pair{1u, 1u}, {2u, 3u}, {3u, 3u}}) {
    WindowPlan plan = *ParsePlan({"auto"}, {});
    plan.kinds = asked;
    CaptureSchedule schedule(plan, kMonotonic, kUtc);
    for (int64_t i = 0; i < 30; ++i) schedule.OnSteadyStep(i * kS);
    EXPECT_EQ(schedule.Next(60 * kS)->kinds, kinds) << asked;
  }
}

TEST_F(AutomaticWindowsTest, KernelsOfATrainingThatEndsBeforeAreMissed) {
  struct Case {
    const char* what;
    uint32_t asked;
    int64_t steps;
    bool missed;
  };
  for (const Case& one : {Case{"never due", 2, 20, true},
                          {"sent, not begun", 2, 30, true},
                          {"not asked", 1, 20, false}}) {
    WindowPlan plan = *ParsePlan({"auto"}, {});
    plan.kinds = one.asked;
    CaptureSchedule schedule(plan, kMonotonic, kUtc);
    for (int64_t i = 0; i < one.steps; ++i) schedule.OnSteadyStep(i * kS);
    EXPECT_EQ(schedule.Next(60 * kS).has_value(), one.steps == 30) << one.what;
    schedule.End(61 * kS);
    const auto outcomes = schedule.TakeOutcomes(61 * kS);
    ASSERT_EQ(outcomes.size(), one.missed ? 1u : 0u) << one.what;
    if (!one.missed) continue;
    EXPECT_EQ(outcomes[0].source, Source::kAutomatic) << one.what;
    EXPECT_EQ(outcomes[0].end, WindowEnd::kMissed) << one.what;
    EXPECT_EQ(outcomes[0].why, "steady") << one.what;
    EXPECT_EQ(outcomes[0].asked, 3u) << one.what;
  }
}

TEST_F(AutomaticWindowsTest, KernelsAlreadyCapturedOrDisallowedAreNotReportedMissing) {
  WindowPlan plan = *ParsePlan({"auto"}, {});
  plan.kinds = 2;
  CaptureSchedule had(plan, kMonotonic, kUtc);
  for (int64_t i = 0; i < 30; ++i) had.OnSteadyStep(i * kS);
  ASSERT_TRUE(had.Next(60 * kS));
  had.OnMark(Begin(1, 61 * kS, 0, 3));
  had.End(62 * kS);
  EXPECT_EQ(had.TakeOutcomes(70 * kS).size(), 1u) << "what it has of it alone";
  plan.budget.ns = 0;
  CaptureSchedule none(plan, kMonotonic, kUtc);
  none.End(62 * kS);
  EXPECT_TRUE(none.TakeOutcomes(70 * kS).empty()) << "the user wants none";
}

// It would tell nothing of devices.
TEST_F(AutomaticWindowsTest, NoEarlyWindowWhereKernelsAreRequested) {
  WindowPlan plan = *ParsePlan({"auto"}, {});
  plan.kinds = 2;
  CaptureSchedule schedule(plan, kMonotonic, kUtc);
  EXPECT_FALSE(schedule.NextAhead());
  for (int64_t i = 0; i < 30; ++i) schedule.OnSteadyStep(i * kS);
  EXPECT_EQ(schedule.Next(60 * kS)->enough_operators, 0u) << "three steps of kernels are too few";
}

TEST_F(AutomaticWindowsTest, AfterAFailedEarlyWindowThereIsNoOther) {
  auto schedule = Of("auto");
  ASSERT_TRUE(schedule.NextAhead());
  schedule.OnMark(End(1, kS, 0, WindowEnd::kFailed));
  EXPECT_EQ(schedule.TakeOutcomes(kS).at(0).end, WindowEnd::kFailed);
  for (int i = 0; i < 30; ++i) schedule.OnSteadyStep(i * kS);
  EXPECT_FALSE(schedule.Next(60 * kS)) << "asking again would bring the same";
}

TEST_F(AutomaticWindowsTest, WaitingEarlyWindowSurvivesPlanChange) {
  auto schedule = Of("auto");
  ASSERT_TRUE(schedule.NextAhead());
  WindowPlan plan = *ParsePlan({"auto"}, {});
  plan.budget.ns = 30 * kS;
  schedule.SetPlan(plan);
  const auto word = schedule.NextAhead();
  ASSERT_TRUE(word);
  EXPECT_EQ(word->first_step, 6u);
}

TEST_F(AutomaticWindowsTest, EarlyWindowIsSentBeforeTheTrainingBegins) {
  auto schedule = Of("auto");
  const auto word = schedule.NextAhead();
  ASSERT_TRUE(word);
  EXPECT_EQ(word->first_step, 6u);
  EXPECT_EQ(word->steps, 20u);
  EXPECT_EQ(word->enough_operators, 20'000u);
  EXPECT_EQ(word->max_operators, 300'000u);
  EXPECT_FALSE(schedule.NextAhead()) << "once";
  for (int i = 0; i < 30; ++i) schedule.OnSteadyStep(i * kS);
  schedule.OnMark(Begin(1, kS));
  schedule.OnOperators(4'000);
  schedule.OnMark(End(1, 2 * kS, 4));
  EXPECT_EQ(schedule.TakeOutcomes(0).at(0).why, "early");
  const auto steady = schedule.Next(60 * kS);
  ASSERT_TRUE(steady) << "the one of steady steps comes all the same";
  EXPECT_EQ(steady->steps, 20u);
}

TEST_F(AutomaticWindowsTest, UnavailableEarlyWindowIsNotReported) {
  auto missed = Of("auto");
  ASSERT_TRUE(missed.NextAhead());
  missed.OnMark(End(1, kS, 0, WindowEnd::kMissed));
  EXPECT_TRUE(missed.TakeOutcomes(kS).empty());
  auto short_training = Of("auto");
  ASSERT_TRUE(short_training.NextAhead());
  short_training.End(kS);
  EXPECT_TRUE(short_training.TakeOutcomes(kS).empty());
}

TEST_F(AutomaticWindowsTest, WithoutBudgetThereIsNoEarlyWindow) {
  WindowPlan plan = *ParsePlan({"auto"}, {});
  plan.budget.ns = 0;
  EXPECT_FALSE(CaptureSchedule(plan, kMonotonic, kUtc).NextAhead());
  EXPECT_FALSE(Of("none").NextAhead());
  EXPECT_EQ(Of("100:5").NextAhead()->first_step, 100u) << "a window of the user's";
}

TEST_F(AutomaticWindowsTest, WindowReplacedByADemandBeforeItBeganIsReportedMissed) {
  WindowPlan plan = *ParsePlan({"auto"}, {});
  plan.kinds = 2;
  CaptureSchedule schedule(plan, kMonotonic, kUtc);
  for (int64_t i = 0; i < 30; ++i) schedule.OnSteadyStep(i * kS);
  ASSERT_TRUE(schedule.Next(60 * kS));
  schedule.Request({.id = 7, .steps = 5, .kinds = 1});
  ASSERT_TRUE(schedule.Next(61 * kS));
  schedule.OnMark(End(1, 61 * kS, 0, WindowEnd::kReplaced));
  schedule.OnMark(Begin(2, 62 * kS));
  schedule.OnMark(End(2, 63 * kS, 5));
  schedule.End(64 * kS);
  const auto outcomes = schedule.TakeOutcomes(70 * kS);
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[0].source, Source::kDemand);
  EXPECT_EQ(outcomes[1].source, Source::kAutomatic);
  EXPECT_EQ(outcomes[1].end, WindowEnd::kMissed);
  EXPECT_TRUE(outcomes[1].only);
}

TEST_F(AutomaticWindowsTest, WindowInterruptedByADemandIsReportedAndRepeated) {
  auto schedule = Of("auto");
  for (int64_t i = 0; i < 30; ++i) schedule.OnSteadyStep(i * kS);
  ASSERT_TRUE(schedule.Next(60 * kS));
  schedule.OnMark(Begin(1, 61 * kS));
  schedule.Request({.id = 7, .steps = 5, .kinds = 1});
  ASSERT_TRUE(schedule.Next(62 * kS));
  schedule.OnMark(End(1, 62 * kS, 9, WindowEnd::kReplaced));
  schedule.OnMark(Begin(2, 63 * kS));
  schedule.OnMark(End(2, 64 * kS, 5));
  const auto outcomes = schedule.TakeOutcomes(0);
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[0].source, Source::kAutomatic);
  EXPECT_EQ(outcomes[0].steps, 9);
  EXPECT_EQ(outcomes[0].to_ns, 62 * kS);
  EXPECT_EQ(schedule.Next(65 * kS)->steps, 20u);
}

TEST_F(AutomaticWindowsTest, AutomaticWindowsKeepWithinTheirTime) {
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

TEST_F(AutomaticWindowsTest, AutomaticWindowsShareTheirBytes) {
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

TEST_F(AutomaticWindowsTest, UnavailableKindsAreNotRequestedAgain) {
  auto schedule = Of("auto");
  for (int64_t i = 0; i < 30; ++i) schedule.OnSteadyStep(i * kS);
  ASSERT_TRUE(schedule.Next(60 * kS));
  schedule.OnMark(End(1, 61 * kS, 0, WindowEnd::kUnavailable));
  schedule.Suggest("shift");
  EXPECT_FALSE(schedule.Next(100 * kS));
}

TEST_F(AutomaticWindowsTest, SuggestionsAreIgnoredWhereTheUserChoseWindows) {
  auto schedule = Of("none");
  for (int64_t i = 0; i < 30; ++i) schedule.OnSteadyStep(i * kS);
  schedule.Suggest("shift");
  EXPECT_FALSE(schedule.Next(100 * kS));
}

TEST_F(AutomaticWindowsTest, AShortRunHasASmallAutomaticWindow) {
  auto schedule = Of("auto");
  for (int i = 0; i < 30; ++i) schedule.OnSteadyStep(0);
  EXPECT_EQ(schedule.Next(kS)->enough_operators, 20'000u);
  auto longer = Of("auto");
  for (int i = 0; i < 30; ++i) longer.OnSteadyStep(0);
  EXPECT_EQ(longer.Next(9 * kS)->enough_operators, 100'000u);
}

}  // namespace
}  // namespace steptrace::agent
