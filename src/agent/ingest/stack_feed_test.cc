// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/stack_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <numeric>

#include "testing/python_child.h"
#include "testing/recorder_fixture.h"

namespace steptrace::agent {
namespace {

using steptrace::testing::PythonChild;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using wire::Category;
using wire::RecordKind;

constexpr int64_t kRatePerS = 100;

// A process that tells stacks of itself.
class ReportedStackFeed : public ::testing::Test {
 protected:
  uint32_t Text(const std::string& text) { return ring_.Name(Category::kStack, text); }
  void WriteStack(uint32_t text, uint64_t tid) {
    ring_.Write(RecordKind::kPayload, stack_, text, tid);
  }
  // What the feed made of it.
  std::vector<Lost> Losses(const char* cause, const StackLimits& limits = {}) {
    StackFeed feed(recording_.writer(), recording_.recorder(), kRatePerS, 0, recording_.epoch_ns(),
                   limits);
    recording_.Drain();
    feed.Write(recording_.now_ns());
    return recording_.Losses(cause);
  }

  Recording recording_;
  RingByHand ring_{recording_.rings()};
  uint32_t stack_ = ring_.Name(Category::kStack, "stack");
};

TEST_F(ReportedStackFeed, ThreadsThatItLeavesOutAreALossOfTheProcess) {
  WriteStack(Text(R"({"period_ns":50000000,"threads_left_out":true})"), 0);
  const auto losses = Losses("too_many_threads");
  ASSERT_THAT(losses, SizeIs(1));
  EXPECT_EQ(losses[0].table, "samples");
  EXPECT_EQ(losses[0].count, 1);
  EXPECT_EQ(losses[0].pid, getpid());
  EXPECT_THAT(losses[0].detail, HasSubstr("more than 64 Python threads"));
}

TEST_F(ReportedStackFeed, StacksWithoutANumberAreALoss) {
  const uint32_t code = Text(R"(["f","a.py"])");
  for (int line = 1; line <= 5; ++line) {
    WriteStack(Text("[0," + std::to_string(code) + "," + std::to_string(line) + "]"), 7);
  }
  const auto losses = Losses("too_many_stacks", {.max_stacks = 2});
  ASSERT_THAT(losses, SizeIs(1));
  EXPECT_EQ(losses[0].table, "stacks");
  EXPECT_EQ(losses[0].count, 3);
  EXPECT_EQ(losses[0].pid, std::nullopt);
  EXPECT_THAT(losses[0].detail, HasSubstr("(too many stacks)"));
}

// Processes that are read from outside: a stack of more frames than are kept, and more threads.
constexpr const char* kDeep = R"(
import time
def f(n):
    time.sleep(1000) if n == 0 else f(n - 1)
print('', flush=True)
f(300)
)";
constexpr const char* kThreads = R"(
import threading, time
for _ in range(70):
    threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
print('', flush=True)
time.sleep(1000)
)";

class ReadStackFeed : public ::testing::Test {
 protected:
  void SetUp() override {
    if (steptrace::testing::Pythons(11).empty()) GTEST_SKIP() << "no Python 3.11 here";
  }
  void Sample(const char* program, const StackLimits& limits = {}) {
    child_.emplace(steptrace::testing::Pythons(11).front(), program);
    ring_.emplace(recording_.rings(), RingOwner::Of(child_->pid()));
    recording_.Drain();
    feed_.emplace(recording_.writer(), recording_.recorder(), kRatePerS, 0, recording_.epoch_ns(),
                  limits);
  }
  int64_t SumOf(const char* cause) {
    losses_ = recording_.Losses(cause);
    return std::accumulate(losses_.begin(), losses_.end(), int64_t{0},
                           [](int64_t sum, const Lost& one) { return sum + one.count; });
  }
  // How much is told as lost of the cause once it is `least`, or that time is over.
  int64_t Await(const char* cause, int64_t least, int64_t at_most_ns = 60 * kNsPerSecond) {
    const int64_t until_ns = MonotonicNowNs() + at_most_ns;
    int64_t sum = 0;
    while (sum < least && MonotonicNowNs() < until_ns) {
      usleep(20'000);
      feed_->FollowProcesses();
      feed_->Write(recording_.now_ns());
      sum = SumOf(cause);
    }
    return sum;
  }

  Recording recording_;
  std::optional<PythonChild> child_;
  std::optional<RingByHand> ring_;
  std::optional<StackFeed> feed_;
  std::vector<Lost> losses_;
};

TEST_F(ReadStackFeed, FramesBeyondTheBoundAreALossOfTheProcess) {
  Sample(kDeep);
  ASSERT_GE(Await("stack_too_deep", 1), 1);
  EXPECT_EQ(losses_[0].table, "stacks");
  EXPECT_EQ(losses_[0].pid, child_->pid());
  EXPECT_THAT(losses_[0].detail, HasSubstr("more than 256 frames"));
}

TEST_F(ReadStackFeed, ThreadsBeyondTheBoundAreALossOfTheProcess) {
  Sample(kThreads);
  ASSERT_GE(Await("too_many_threads", 1), 1);
  EXPECT_EQ(losses_[0].table, "samples");
  EXPECT_EQ(losses_[0].pid, child_->pid());
  EXPECT_THAT(losses_[0].detail, HasSubstr("the others have no samples"));
}

TEST_F(ReadStackFeed, StacksWithoutANumberAreALoss) {
  Sample(kDeep, {.max_stacks = 1});
  ASSERT_GE(Await("too_many_stacks", 1), 1);
  EXPECT_EQ(losses_[0].table, "stacks");
  EXPECT_EQ(losses_[0].pid, std::nullopt);
  EXPECT_THAT(losses_[0].detail, HasSubstr("--stack-rate"));
}

TEST_F(ReadStackFeed, SamplesThatAreNotTakenAreALossThatAnotherRateDoesNotForget) {
  Sample(kThreads, {.max_waiting_samples = 0});
  ASSERT_GE(Await("agent_behind", 1000), 1000);
  EXPECT_EQ(losses_[0].table, "samples");
  EXPECT_EQ(losses_[0].pid, std::nullopt);
  EXPECT_THAT(losses_[0].detail, HasSubstr("faster than the agent could store them"));
  feed_->SetRate(1, recording_.now_ns());
  usleep(1'100'000);  // a row of a cause a second
  const int64_t before = SumOf("agent_behind");
  // The new thread counts from 0, 64 a second.
  EXPECT_GT(Await("agent_behind", before + 1, 10 * kNsPerSecond), before);
}

}  // namespace
}  // namespace steptrace::agent
