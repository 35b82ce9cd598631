// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "testing/recorder_fixture.h"

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
  recording->captures().SetPlan(*ParsePlan({"5:10"}, {}), 0);
  RingByHand ring(recording.rings());
  recording.Drain();
  recording->captures().Send(recording.now_ns());
  EXPECT_EQ(ring.Asked().request, 1u);
  EXPECT_EQ(ring.Asked().first_step, 5u);
  ring.Train();
  recording.Drain();
  recording->captures().Send(recording.now_ns());
  EXPECT_EQ(ring.Asked().request, 1u) << "it stands";
}

TEST(RecorderCaptures, AProcessThatNeverTrainsMissesNoWindow) {
  Recording recording;
  recording->captures().SetPlan(*ParsePlan({"5:10"}, {}), 0);
  RingByHand ring(recording.rings());
  recording.Drain();
  recording->captures().Send(recording.now_ns());
  recording->Finish(recording.now_ns());
  EXPECT_THAT(recording.Losses("window"), IsEmpty());
}

TEST(RecorderCaptures, KernelsThatATrainingWasTooShortForAreALoss) {
  for (const auto kind : {wire::CaptureKind::kOperators, wire::CaptureKind::kKernels}) {
    Recording recording;
    WindowPlan plan = *ParsePlan({"auto"}, {});
    plan.kinds = static_cast<uint32_t>(kind);
    recording->captures().SetPlan(plan, 0);
    RingByHand ring(recording.rings());
    ring.Train();
    recording.Drain();
    recording->captures().Send(recording.now_ns());
    recording->Finish(recording.now_ns());
    const auto losses = recording.Losses("window");
    if (kind == wire::CaptureKind::kOperators) {
      EXPECT_THAT(losses, IsEmpty()) << "nobody asked for them";
      continue;
    }
    ASSERT_THAT(losses, SizeIs(1));
    EXPECT_EQ(losses[0].count, -1);
    EXPECT_THAT(losses[0].detail, HasSubstr("--window START:STEPS"));
  }
}

// A process that trains and answers the window 5:10, the first request.
class WindowsOfARecording : public ::testing::Test {
 protected:
  void SetUp() override {
    recording_->captures().SetPlan(*ParsePlan({"5:10"}, {}), 0);
    ring_.Train();
    recording_.Drain();
    recording_->captures().Send(recording_.now_ns());
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

// By a touch of the ring's file, as a process does it whose window begins.
TEST(RecorderCaptures, AProcessWakesItsReader) {
  Recording recording;
  RingByHand ring(recording.rings());
  recording.Drain();
  pollfd woken{recording->rings().wake_fd(), POLLIN, 0};
  EXPECT_EQ(poll(&woken, 1, 0), 0);
  for (const auto& file : std::filesystem::directory_iterator(recording.rings())) {
    ASSERT_EQ(utimensat(AT_FDCWD, file.path().c_str(), nullptr, 0), 0);
  }
  EXPECT_EQ(poll(&woken, 1, 0), 1);
  recording.Drain();
  EXPECT_EQ(poll(&woken, 1, 0), 0) << "it has looked";
}

TEST_F(WindowsOfARecording, AreReadCloselyWhileTheyRecordOperators) {
  EXPECT_FALSE(recording_.Drain().load.in_window);
  Begin();
  EXPECT_TRUE(recording_.Drain().load.in_window);
  EXPECT_TRUE(recording_.Drain().load.in_window) << "also where nothing comes";
  End(10, WindowEnd::kDone);
  EXPECT_FALSE(recording_.Drain().load.in_window);
}

TEST_F(WindowsOfARecording, StepsThatAWindowLacksAreALoss) {
  Begin();
  End(4, WindowEnd::kDone);
  const auto losses = Cut();
  ASSERT_THAT(losses, SizeIs(1));
  EXPECT_EQ(losses[0].table, "steps");
  EXPECT_EQ(losses[0].count, 6);
  EXPECT_EQ(losses[0].pid, getpid());
  EXPECT_EQ(losses[0].detail,
            "the window 5:10 has 4 of its 10 steps: the training or the capture ended first");
}

// Nobody can have the first two steps: that nothing ended early is no cause.
TEST(RecorderCaptures, AWindowFromTheSecondStepOnSaysWhyItLacksThat) {
  for (const auto& [window, steps, cause, text] :
       {std::tuple{"1:2", 1, "window_cut",
                   "the window 1:2 has 1 of its 2 steps: the first two steps cannot be captured"},
        {"1:9", 4, "window_cut",
         "the window 1:9 has 4 of its 9 steps: the first two steps cannot be captured, and the "
         "training or the capture ended first"},
        {"1:1", 0, "window",
         "the window 1:1 captured nothing: the first two steps cannot be captured; start with "
         "step 2"}}) {
    Recording recording;
    recording->captures().SetPlan(*ParsePlan({window}, {}), 0);
    RingByHand ring(recording.rings());
    ring.Train();
    recording.Drain();
    recording->captures().Send(recording.now_ns());
    const auto mark = [&](const char* name, uint64_t what) {
      ring.Write(RecordKind::kInstant, ring.Name(Category::kWindow, name), 1, what);
    };
    const auto end = steps == 0 ? WindowEnd::kMissed : WindowEnd::kDone;
    if (steps > 0) {
      mark(wire::kNameWindowBegin, static_cast<uint64_t>(wire::CaptureKind::kOperators));
    }
    mark(wire::kNameWindowEnd, static_cast<uint64_t>(steps) | static_cast<uint64_t>(end) << 32);
    recording.Drain();
    recording->Finish(recording.now_ns());
    const auto losses = recording.Losses(cause);
    ASSERT_THAT(losses, SizeIs(1)) << window;
    EXPECT_EQ(losses[0].detail, text);
  }
}

TEST_F(WindowsOfARecording, FullRingIsReportedForTheWindow) {
  Begin();
  End(9, WindowEnd::kFull);
  const auto losses = Cut();
  ASSERT_THAT(losses, SizeIs(1));
  EXPECT_EQ(losses[0].count, 1);
  EXPECT_THAT(losses[0].detail, HasSubstr("it reached its size limit; ask for fewer steps"));
}

TEST_F(WindowsOfARecording, InterruptionByTheScriptsProfilerIsReported) {
  Begin();
  End(0, WindowEnd::kAside);
  Begin();
  End(7, WindowEnd::kDone);
  const auto losses = Cut();
  ASSERT_THAT(losses, SizeIs(1));
  EXPECT_EQ(losses[0].count, 3);
  EXPECT_THAT(losses[0].detail, HasSubstr("the script's own profiler ran meanwhile"));
}

TEST_F(WindowsOfARecording, WindowInterruptedByACaptureMissesOnlyItsSteps) {
  constexpr auto kOperators = static_cast<uint64_t>(wire::CaptureKind::kOperators);
  const uint32_t begin = ring_.Name(Category::kWindow, wire::kNameWindowBegin);
  const uint32_t end = ring_.Name(Category::kWindow, wire::kNameWindowEnd);
  const auto capture = [&](uint64_t request, uint64_t first, uint64_t steps, WindowEnd how) {
    ring_.Write(RecordKind::kInstant, begin, request, kOperators | first << 32);
    ring_.Write(RecordKind::kInstant, end, request, steps | static_cast<uint64_t>(how) << 32);
    recording_.Drain();
    recording_->captures().Send(recording_.now_ns());
  };
  ring_.Write(RecordKind::kInstant, begin, 1, kOperators | uint64_t{5} << 32);
  recording_.Drain();
  recording_->captures().Request({.id = 7, .steps = 2, .kinds = 1}, {});
  recording_->captures().Send(recording_.now_ns());
  ring_.Write(RecordKind::kInstant, end, 1, 3 | uint64_t{3} << 32);
  capture(2, 9, 2, WindowEnd::kDone);
  EXPECT_EQ(ring_.Asked().request, 3u);
  capture(3, 12, 3, WindowEnd::kDone);
  const auto losses = Cut();
  ASSERT_THAT(losses, SizeIs(1));
  EXPECT_EQ(losses[0].count, 2);
  EXPECT_EQ(losses[0].detail,
            "the window 5:10 has 8 of its 10 steps: another capture interrupted it");
}

TEST_F(WindowsOfARecording, WindowOfAnEndedProcessHasNoStepCount) {
  Begin();
  recording_.Drain();
  recording_->Finish(recording_.now_ns());
  const auto losses = Cut();
  ASSERT_THAT(losses, SizeIs(1));
  EXPECT_EQ(losses[0].table, "steps");
  EXPECT_EQ(losses[0].count, -1);
  EXPECT_THAT(losses[0].detail, HasSubstr("the window 5:10 ended early"));
}

TEST_F(WindowsOfARecording, CompleteWindowIsNoDataLoss) {
  Begin();
  End(10, WindowEnd::kDone);
  EXPECT_THAT(Cut(), IsEmpty());
}

// A process that trains with one optimizer and answers a demand, its first request.
class Training {
 public:
  explicit Training(const Recording& recording, const RingOwner& owner = {})
      : ring_(recording.rings(), owner),
        optimizer_(ring_.Name(Category::kPhase, wire::kNameOptimizer)),
        begin_(ring_.Name(Category::kWindow, wire::kNameWindowBegin)),
        end_(ring_.Name(Category::kWindow, wire::kNameWindowEnd)) {}

  void Step(int64_t times = 1) {
    for (int64_t i = 0; i < times; ++i) {
      ring_.Write(RecordKind::kBegin, optimizer_, 1);
      ring_.Write(RecordKind::kEnd, optimizer_);
    }
  }
  // A window of two steps, as the hooks say it.
  void Window() {
    ring_.Write(RecordKind::kBegin, optimizer_, 1);
    ring_.Write(RecordKind::kInstant, begin_, 1,
                static_cast<uint64_t>(wire::CaptureKind::kOperators));
    ring_.Write(RecordKind::kEnd, optimizer_);
    Step(2);
    ring_.Write(RecordKind::kInstant, end_, 1, 2 | static_cast<uint64_t>(WindowEnd::kDone) << 32);
  }
  wire::CaptureControl Asked() const { return ring_.Asked(); }

 private:
  RingByHand ring_;
  uint32_t optimizer_;
  uint32_t begin_;
  uint32_t end_;
};

constexpr CaptureDemand kTwoSteps{.id = 1, .steps = 2, .kinds = 1};

// Settles all that the processes have said until now: of the last tenth of a second more may come.
void Settle(Recording& recording) {
  std::this_thread::sleep_for(std::chrono::milliseconds(120));
  recording.Drain();
  recording->Settle(recording.now_ns());
}

// A machine without them captures the operators alone.
TEST(RecorderCaptures, KernelsThatTheAutomaticWindowCouldNotHaveAreALoss) {
  for (const auto asked : {wire::CaptureKind::kOperators, wire::CaptureKind::kKernels}) {
    Recording recording;
    WindowPlan plan = *ParsePlan({"auto"}, {});
    plan.kinds = static_cast<uint32_t>(asked);
    recording->captures().SetPlan(plan, 0);
    Training training(recording);
    training.Step(200);
    Settle(recording);
    recording->captures().Send(recording.now_ns());
    ASSERT_EQ(training.Asked().request, 1u);
    training.Window();
    Settle(recording);
    recording->Finish(recording.now_ns());
    const auto losses = recording.Losses("window");
    if (asked == wire::CaptureKind::kOperators) {
      EXPECT_THAT(losses, IsEmpty());
      continue;
    }
    ASSERT_THAT(losses, SizeIs(1));
    EXPECT_EQ(losses[0].detail,
              "the automatic window captured no kernels: not available here; "
              "the table `run_metadata` has the reason (kind hook)");
  }
}

TEST(RecorderCaptures, TheLastStepsRowIsWaitedFor) {
  Recording recording;
  Training training(recording);
  training.Step(100);
  Settle(recording);
  EXPECT_EQ(recording->captures().Request(kTwoSteps, {}).asked, 1);
  recording->captures().Send(recording.now_ns());
  EXPECT_EQ(training.Asked().request, 1u);
  training.Window();
  Settle(recording);
  EXPECT_TRUE(recording->captures().ProgressOf(1).done());
  EXPECT_GT(recording->captures().ProgressOf(1).rows_until_ns, recording.now_ns());
  training.Step(3);  // which closes it, and what lies behind the window's end
  Settle(recording);
  EXPECT_EQ(recording->captures().ProgressOf(1).rows_until_ns, 0);
}

TEST(RecorderCaptures, ARunsFirstRowsAreWaitedFor) {
  Recording recording;
  Training training(recording);
  training.Step(4);
  Settle(recording);
  recording->captures().Request(kTwoSteps, {});
  recording->captures().Send(recording.now_ns());
  training.Window();
  training.Step(10);
  Settle(recording);
  EXPECT_GT(recording->captures().ProgressOf(1).rows_until_ns,
            recording.now_ns() + 20 * kNsPerSecond)
      << "held back: they may be warm-up";
  training.Step(60);
  Settle(recording);
  EXPECT_EQ(recording->captures().ProgressOf(1).rows_until_ns, 0);
}

// Two ranks, of this process and the one that started it.
class RanksOfARecording : public ::testing::Test {
 protected:
  // Some steps of 20 ms: none is reached that lies 50 of them ahead.
  void StepSlowly() {
    for (int64_t i = 0; i < kSlowSteps; ++i) {
      one_.Step();
      other_.Step();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  int64_t FirstStepAsked() {
    recording_.Drain();
    EXPECT_EQ(recording_->captures().Request(kTwoSteps, {}).asked, 2);
    recording_->captures().Send(recording_.now_ns());
    EXPECT_EQ(one_.Asked().first_step, other_.Asked().first_step);
    return static_cast<int64_t>(one_.Asked().first_step);
  }

  static constexpr int64_t kSlowSteps = 9;
  static constexpr int64_t kMostAhead = 3 + 50;
  Recording recording_;
  Training one_{recording_};
  Training other_{recording_, RingOwner::Of(getppid())};
};

TEST_F(RanksOfARecording, AllBeginWithAStepThatNoneHasReached) {
  one_.Step(100);
  other_.Step(103);
  StepSlowly();
  const int64_t first_step = FirstStepAsked();
  EXPECT_GT(first_step, 103 + kSlowSteps);
  EXPECT_LE(first_step, 103 + kSlowSteps + kMostAhead);
}

TEST_F(RanksOfARecording, StepsOfAProcessBeforeTheseDoNotCount) {
  {
    Training before(recording_, {.pid = 4'000'000, .start_ticks = 1});
    before.Step(1000);
    Settle(recording_);
    recording_->EndGoneProcesses(recording_.now_ns());
    Settle(recording_);
  }
  StepSlowly();
  const int64_t first_step = FirstStepAsked();
  EXPECT_GT(first_step, kSlowSteps);
  EXPECT_LE(first_step, kSlowSteps + kMostAhead);
}

TEST_F(RanksOfARecording, TrainingsThatHaveNoStepInCommonBeginEachAtItsNext) {
  one_.Step(1000);
  StepSlowly();
  EXPECT_EQ(FirstStepAsked(), 0);
}

TEST_F(RanksOfARecording, RanksWithoutAFinishedStepBeginAtTheirNext) {
  one_.Step();
  other_.Step();
  EXPECT_EQ(FirstStepAsked(), 0);
}

}  // namespace
}  // namespace steptrace::agent
