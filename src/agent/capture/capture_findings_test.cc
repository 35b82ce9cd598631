// SPDX-License-Identifier: Apache-2.0
#include "agent/capture/capture_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "present/words/finding_sentence.h"
#include "wire/ring_layout.h"

namespace steptrace::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using wire::WindowEnd;

constexpr auto kOperators = static_cast<uint32_t>(wire::CaptureKind::kOperators);
constexpr auto kKernels = static_cast<uint32_t>(wire::CaptureKind::kKernels);

// The window 5:10, of which the process had so many steps with those kinds on.
CaptureOutcome Outcome(int64_t steps, uint32_t kinds = kOperators) {
  return {.window = "5:10",
          .kinds = kinds,
          .asked = kOperators,
          .asked_steps = 10,
          .steps = steps,
          .from_ns = 100,
          .to_ns = 200,
          .captured_ranges = {{.from_ns = 100, .to_ns = 200, .kinds = kinds, .steps = steps}}};
}

// "cause count: what" of each.
std::vector<std::string> Lacks(const CaptureOutcome& outcome) {
  std::vector<std::string> lacks;
  for (const CaptureLack& lack : LacksOf(outcome)) {
    const char* cause = lack.cause == store::LossCause::kWindowCut ? "cut " : "window ";
    lacks.push_back(cause + std::to_string(lack.count) + ": " +
                    present::SentenceOf(lack.what).text);
  }
  return lacks;
}

TEST(CaptureFindings, CompleteWindowHasNoFinding) {
  EXPECT_THAT(Lacks(Outcome(10)), IsEmpty());
}

TEST(CaptureFindings, StepsThatAreMissingAreCounted) {
  EXPECT_THAT(Lacks(Outcome(4)),
              ElementsAre("cut 6: the window 5:10 has 4 of its 10 steps: the training or the "
                          "capture ended first"));
  CaptureOutcome unreported = Outcome(4);
  unreported.counted = false;
  EXPECT_EQ(LacksOf(unreported).at(0).count, -1) << "the process is gone";
  CaptureOutcome full = Outcome(9);
  full.end = WindowEnd::kFull;
  EXPECT_THAT(Lacks(full),
              ElementsAre("cut 1: the window 5:10 has 9 of its 10 steps: it reached its size "
                          "limit; ask for fewer steps, or for fewer kinds"));
}

TEST(CaptureFindings, WithdrawnRequestHasNoFinding) {
  CaptureOutcome outcome = Outcome(4);
  outcome.unwanted = true;
  EXPECT_THAT(Lacks(outcome), IsEmpty());
}

TEST(CaptureFindings, AnAutomaticWindowMayBeShort) {
  CaptureOutcome outcome = Outcome(4);
  outcome.source = CaptureOutcome::Source::kAutomatic;
  EXPECT_THAT(Lacks(outcome), IsEmpty());
}

TEST(CaptureFindings, EmptyCaptureNamesItsReason) {
  CaptureOutcome missed{
      .window = "5:10", .asked = kOperators, .asked_steps = 10, .end = WindowEnd::kMissed};
  EXPECT_THAT(Lacks(missed),
              ElementsAre("window -1: the window 5:10 captured nothing: its steps or time had "
                          "passed or never came; choose another window"));
  missed.source = CaptureOutcome::Source::kAutomatic;
  missed.only = true;
  EXPECT_THAT(Lacks(missed), IsEmpty()) << "nobody asked for operators";
  missed.asked = kKernels;
  EXPECT_EQ(Lacks(missed).size(), 1u);
}

TEST(CaptureFindings, KindsThatWereNotRecordedAreReported) {
  CaptureOutcome outcome = Outcome(10);
  outcome.asked = kOperators | kKernels;
  const auto never = Lacks(outcome);
  ASSERT_EQ(never.size(), 1u);
  EXPECT_EQ(never[0].find("window -1: the window 5:10 captured no kernels: "), 0u) << never[0];
  outcome.captured_ranges.push_back({.from_ns = 200, .to_ns = 300, .kinds = kOperators | kKernels});
  const auto partly = Lacks(outcome);
  ASSERT_EQ(partly.size(), 1u);
  EXPECT_NE(partly[0].find("in some of its time ranges"), std::string::npos) << partly[0];
}

}  // namespace
}  // namespace steptrace::agent
