// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/hang_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "agent/rows/finding_row.h"
#include "base/time.h"
#include "testing/job_by_hand.h"

namespace steptrace::agent {
namespace {

using analyze::HookName;
using analyze::MarkKind;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

// This process as one that trains: 20 steps of 100 ms, then a wait for data that does not end.
class HangWatchTest : public ::testing::Test {
 protected:
  HangWatchTest() {
    job_.processes = {getpid()};
    for (int64_t i = 0; i < 20; ++i) Step();
    Mark(MarkKind::kBegin, HookName::kData);
  }
  void Mark(MarkKind kind, HookName name, uint64_t a = 0) {
    const analyze::Event event{now_ns_, getpid(), getpid(), kind, name, {}, a, 0};
    watch_.OnEvents({.rank = 0, .pid = getpid(), .trains = true}, {&event, 1});
  }
  void Step() {
    for (const HookName name : {HookName::kData, HookName::kBackward, HookName::kOptimizer}) {
      Mark(MarkKind::kBegin, name, name == HookName::kOptimizer ? 1 : 0);
      now_ns_ += 30 * kNsPerMs;
      Mark(MarkKind::kEnd, name);
    }
  }
  // Turns of a loop for so long; what is found in them.
  std::vector<Alert> Poll(int64_t seconds) {
    std::vector<Alert> found;
    for (int64_t i = 0; i < 20 * seconds; ++i) {
      now_ns_ += kNsPerSecond / 20;
      for (Alert& alert : watch_.Check(Moment::kPoll, now_ns_, job_)) {
        found.push_back(std::move(alert));
      }
    }
    return found;
  }

  store::StringTable strings_;
  HangWatch watch_{strings_};
  JobByHand job_;
  int64_t now_ns_ = kNsPerSecond;
};

TEST_F(HangWatchTest, HangIsReportedOnceAndResolvedOnce) {
  EXPECT_THAT(Poll(5), IsEmpty());
  const auto reported = Poll(60);
  ASSERT_THAT(reported, SizeIs(1));
  EXPECT_EQ(reported[0].severity, store::Severity::kError);
  EXPECT_EQ(reported[0].subject, "hang");
  EXPECT_TRUE(reported[0].urgent);
  EXPECT_TRUE(reported[0].noticed);
  EXPECT_THAT(FindingRowText(reported[0].found), StartsWith("no step for "));
  EXPECT_EQ(nlohmann::json::parse(reported[0].evidence)["ranks"][0]["pid"], getpid());
  Mark(MarkKind::kEnd, HookName::kData);
  for (int64_t i = 0; i < 3; ++i) Step();
  const auto over = Poll(1);
  ASSERT_THAT(over, SizeIs(1));
  EXPECT_EQ(over[0].severity, store::Severity::kInfo);
  EXPECT_TRUE(over[0].urgent);
  EXPECT_FALSE(over[0].noticed);
}

TEST_F(HangWatchTest, NoHangWhileEventsAreStillInTheRings) {
  job_.drained = false;
  EXPECT_THAT(Poll(60), IsEmpty());
}

TEST_F(HangWatchTest, AProcessThatDoesNotTrainIsNotWatched) {
  HangWatch watch(strings_);
  const analyze::Event event{now_ns_, 1, 1, MarkKind::kBegin, HookName::kOptimizer, {}, 1, 0};
  for (int i = 0; i < 20; ++i) watch.OnEvents({.rank = 0, .pid = 1, .trains = false}, {&event, 1});
  EXPECT_THAT(watch.Check(Moment::kPoll, now_ns_ + 600 * kNsPerSecond, job_), IsEmpty());
}

TEST_F(HangWatchTest, AProcessThatIsGoneDoesNotHang) {
  job_.processes.clear();
  EXPECT_THAT(Poll(60), IsEmpty());
}

TEST_F(HangWatchTest, ChecksOnlyWhenPolledAndResolvesAtAGoodEnd) {
  for (const Moment moment : {Moment::kSettled, Moment::kFinished}) {
    EXPECT_THAT(watch_.Check(moment, now_ns_ + 60 * kNsPerSecond, job_), IsEmpty());
  }
  EXPECT_THAT(watch_.Check(Moment::kEndedWell, now_ns_, job_), IsEmpty()) << "nothing was told";
  ASSERT_THAT(Poll(60), SizeIs(1));
  const auto back = watch_.Check(Moment::kEndedWell, now_ns_, job_);
  ASSERT_THAT(back, SizeIs(1));
  EXPECT_EQ(back[0].severity, store::Severity::kInfo);
  EXPECT_THAT(watch_.Check(Moment::kEndedWell, now_ns_, job_), IsEmpty());
}

}  // namespace
}  // namespace steptrace::agent
