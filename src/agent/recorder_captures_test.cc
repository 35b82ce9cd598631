// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/recorder_fixture.h"

namespace steptrace::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using wire::Category;
using wire::RecordKind;
using wire::WindowEnd;

// Steps of a millisecond are over before the agent has heard of the first.
TEST(RecorderCaptures, AWindowOfStepsLiesThereBeforeTheTraining) {
  Recording recording;
  recording->SetWindows(*ParsePlan({"5:10"}, {}), 0);
  RingByHand ring(recording.rings());
  recording.Drain();
  recording->SendCaptures(recording.now_ns());
  EXPECT_EQ(ring.Asked().request, 1u);
  EXPECT_EQ(ring.Asked().first_step, 5u);
  ring.Train();
  recording.Drain();
  recording->SendCaptures(recording.now_ns());
  EXPECT_EQ(ring.Asked().request, 1u) << "it stands";
}

TEST(RecorderCaptures, AProcessThatNeverTrainsMissesNoWindow) {
  Recording recording;
  recording->SetWindows(*ParsePlan({"5:10"}, {}), 0);
  RingByHand ring(recording.rings());
  recording.Drain();
  recording->SendCaptures(recording.now_ns());
  recording->Finish(recording.now_ns());
  EXPECT_THAT(recording.Losses("window"), IsEmpty());
}

// A process that trains and answers the window 5:10, the first request.
class WindowsOfARecording : public ::testing::Test {
 protected:
  void SetUp() override {
    recording_->SetWindows(*ParsePlan({"5:10"}, {}), 0);
    ring_.Train();
    recording_.Drain();
    recording_->SendCaptures(recording_.now_ns());
  }
  void Begin() {
    ring_.Write(RecordKind::kInstant, ring_.Name(Category::kWindow, wire::kNameWindowBegin), 1,
                static_cast<uint64_t>(wire::CaptureKind::kOperators));
  }
  void End(uint64_t steps, WindowEnd end) {
    ring_.Write(RecordKind::kInstant, ring_.Name(Category::kWindow, wire::kNameWindowEnd), 1,
                steps | static_cast<uint64_t>(end) << 32);
  }
  std::vector<Lost> Cut() {
    recording_.Drain();
    return recording_.Losses("window_cut");
  }

  Recording recording_;
  RingByHand ring_{recording_.rings()};
};

TEST_F(WindowsOfARecording, StepsThatAWindowLacksAreALoss) {
  Begin();
  End(4, WindowEnd::kDone);
  const auto losses = Cut();
  ASSERT_THAT(losses, SizeIs(1));
  EXPECT_EQ(losses[0].table, "steps");
  EXPECT_EQ(losses[0].count, 6);
  EXPECT_EQ(losses[0].pid, getpid());
  EXPECT_EQ(losses[0].detail,
            "the window 5:10 holds 4 of its 10 steps: the training or the capture ended before");
}

TEST_F(WindowsOfARecording, OneThatIsFullSaysSo) {
  Begin();
  End(9, WindowEnd::kFull);
  const auto losses = Cut();
  ASSERT_THAT(losses, SizeIs(1));
  EXPECT_EQ(losses[0].count, 1);
  EXPECT_THAT(losses[0].detail, HasSubstr("what it may hold was full; ask for fewer steps"));
}

TEST_F(WindowsOfARecording, OneThatTheProfilerOfTheScriptInterruptedSaysSo) {
  Begin();
  End(0, WindowEnd::kAside);
  Begin();
  End(7, WindowEnd::kDone);
  const auto losses = Cut();
  ASSERT_THAT(losses, SizeIs(1));
  EXPECT_EQ(losses[0].count, 3);
  EXPECT_THAT(losses[0].detail, HasSubstr("the script's own profiler ran in between"));
}

TEST_F(WindowsOfARecording, OneWhoseProcessEndedInItHasNoNumber) {
  Begin();
  recording_.Drain();
  recording_->Finish(recording_.now_ns());
  const auto losses = Cut();
  ASSERT_THAT(losses, SizeIs(1));
  EXPECT_EQ(losses[0].table, "steps");
  EXPECT_EQ(losses[0].count, -1);
  EXPECT_THAT(losses[0].detail, HasSubstr("the window 5:10 did not come to its end"));
}

TEST_F(WindowsOfARecording, OneThatHasAllItsStepsIsNoLoss) {
  Begin();
  End(10, WindowEnd::kDone);
  EXPECT_THAT(Cut(), IsEmpty());
}

}  // namespace
}  // namespace steptrace::agent
