// SPDX-License-Identifier: Apache-2.0
#include "analyze/derive/worker_log.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>

namespace steptrace::analyze {
namespace {

void AddFetch(WorkerLog& log, int64_t begin_ns, int64_t end_ns) {
  log.FetchBegan(begin_ns);
  log.FetchEnded({.range = {begin_ns, end_ns}});
}

BatchWait Wait(int64_t begin_ns, int64_t end_ns, uint64_t life = 1, int64_t primed_ns = -1) {
  return {.range = {begin_ns, end_ns}, .iterator_life = life, .primed_ns = primed_ns};
}

TEST(WorkerLog, TheNthWaitAwaitsTheNthFetch) {
  WorkerLog log;
  AddFetch(log, 0, 100);
  AddFetch(log, 100, 200);
  AddFetch(log, 200, 300);
  const auto first = log.Await(Wait(50, 110)).making;
  ASSERT_TRUE(first);
  EXPECT_EQ(first->range.end_ns, 100);
  EXPECT_FALSE(
      log.Await(Wait(250, 310)).making);  // the second was there; the third ends in this wait
  EXPECT_FALSE(log.Await(Wait(310, 320)).making);
}

TEST(WorkerLog, CountsAnewWithEachIterator) {
  WorkerLog log;
  AddFetch(log, 0, 100);
  AddFetch(log, 100, 200);  // fetched ahead for an iterator that was left
  AddFetch(log, 500, 600);
  EXPECT_TRUE(log.Await(Wait(50, 110, 1, 0)).making);
  const auto next = log.Await(Wait(510, 610, 2, 499)).making;
  ASSERT_TRUE(next);
  EXPECT_EQ(next->range.begin_ns, 500);
}

TEST(WorkerLog, RemembersWhatItForgotSinceAnIteratorWasSetGoing) {
  WorkerLog log;
  AddFetch(log, 0, 100);    // of an earlier pass
  AddFetch(log, 500, 600);  // the first of the new one, long before it is asked for
  AddFetch(log, 600, 900);
  const std::array<int64_t, 1> primed{499};
  log.Forget(550, primed);
  log.Forget(700, primed);
  EXPECT_FALSE(log.Await(Wait(800, 910, 2, 499)).making) << "that batch was there";
  EXPECT_FALSE(log.Await(Wait(920, 930, 2, 499)).making);
}

TEST(WorkerLog, CorrectsItsCountAfterLostFetches) {
  WorkerLog log;
  EXPECT_FALSE(log.Await(Wait(0, 10)).making);
  EXPECT_FALSE(log.Await(Wait(20, 30)).making);  // two batches came of which nothing is known
  AddFetch(log, 30, 100);
  EXPECT_TRUE(log.Await(Wait(40, 110)).making);
  AddFetch(log, 110, 150);
  EXPECT_FALSE(log.Await(Wait(160, 170)).making) << "ready: the count is right again";
}

TEST(WorkerLog, ACutOffWaitAwaitsWhatIsStillInTheMaking) {
  WorkerLog log;
  log.FetchBegan(50);
  auto wait = Wait(0, 100);
  EXPECT_FALSE(log.Await(wait).making);
  wait.cut_off = true;
  const auto open = log.Await(wait).making;
  ASSERT_TRUE(open);
  EXPECT_EQ(open->range.begin_ns, 50);
}

TEST(WorkerLog, ADeadWorkersFetchEndsWithIt) {
  WorkerLog log;
  log.FetchBegan(50);
  log.ProcessEnded(80);
  const auto fetch = log.Await(Wait(0, 100)).making;
  ASSERT_TRUE(fetch);
  EXPECT_EQ(fetch->range.end_ns, 80);
  EXPECT_FALSE(log.GoneBefore(80));
  EXPECT_TRUE(log.GoneBefore(81));
}

TEST(WorkerLog, ASendIsThatOfTheFirstFetchThatWasNotSent) {
  WorkerLog log;
  AddFetch(log, 0, 100);
  AddFetch(log, 100, 200);
  log.SendBegan(150, 7);
  log.SendBegan(210, 8);
  const auto first = log.Await(Wait(50, 160));
  ASSERT_TRUE(first.made);
  EXPECT_EQ(first.made->sent_from_ns, 150);
  EXPECT_EQ(first.made->pickle_cpu_ns, 7u);
  const auto second = log.Await(Wait(205, 230));
  EXPECT_FALSE(second.making);
  ASSERT_TRUE(second.made);
  EXPECT_EQ(second.made->sent_from_ns, 210);
}

TEST(WorkerLog, MessageBeforeTheFirstFetchMatchesNoFetch) {
  WorkerLog log;
  log.SendBegan(5, 0);
  AddFetch(log, 10, 100);
  log.SendBegan(120, 0);
  EXPECT_EQ(log.Await(Wait(110, 130)).made->sent_from_ns, 120);
}

TEST(WorkerLog, LostSendDoesNotShiftTheOthers) {
  WorkerLog log;
  AddFetch(log, 0, 100);
  EXPECT_EQ(log.Await(Wait(50, 160)).made->sent_from_ns, -1) << "it came, and nothing was heard";
  AddFetch(log, 100, 200);
  log.SendBegan(210, 0);
  EXPECT_EQ(log.Await(Wait(170, 230)).made->sent_from_ns, 210);
}

TEST(WorkerLog, KeepsWhatWasFetchedAndNotSent) {
  WorkerLog log;
  AddFetch(log, 0, 100);
  AddFetch(log, 100, 200);
  log.SendBegan(120, 0);
  log.Forget(300, {});
  EXPECT_FALSE(log.Await(Wait(300, 301)).made) << "sent long before";
  log.SendBegan(310, 0);
  const auto late = log.Await(Wait(302, 320));
  ASSERT_TRUE(late.made);
  EXPECT_EQ(late.made->sent_from_ns, 310);
}

TEST(WorkerLog, UnsentFetchIsForgottenToo) {
  WorkerLog log;
  for (int64_t i = 0; i < 1000; ++i) AddFetch(log, 10 * i, 10 * i + 10);
  log.Forget(20'000, {});
  EXPECT_FALSE(log.Await(Wait(20'000, 20'001)).made);
}

int64_t StagesNs(const PhaseSums& sums) {
  return std::accumulate(sums.stage_ns.begin(), sums.stage_ns.end(), int64_t{0});
}

TEST(FetchStages, SumExactlyWhateverTheShares) {
  for (uint64_t run_queue_ns :
       {uint64_t{0}, uint64_t{1}, uint64_t{333}, uint64_t{997}, ~uint64_t{0}}) {
    for (uint64_t cpu_ns : {uint64_t{0}, uint64_t{1}, uint64_t{500}, ~uint64_t{0}}) {
      for (int64_t end_ns = 1; end_ns <= 997; end_ns += 83) {
        const Fetch fetch{.range = {0, 997},
                          .collate = {600, 900},
                          .cpu_ns = cpu_ns,
                          .run_queue_ns = run_queue_ns};
        PhaseSums sums;
        AddFetchStages(fetch, TimeSpan{0, end_ns}, sums);
        EXPECT_EQ(StagesNs(sums), end_ns);
        for (int64_t ns : sums.stage_ns) EXPECT_GE(ns, 0);
        EXPECT_LE(sums.blocked_in_fetch_ns, sums[Stage::kGetitem]);
      }
    }
  }
}

TEST(FetchStages, AFetchWithoutDurationHasNone) {
  PhaseSums sums;
  AddFetchStages(Fetch{.range = {5, 5}, .cpu_ns = 3, .run_queue_ns = 3}, TimeSpan{5, 5}, sums);
  EXPECT_EQ(StagesNs(sums), 0);
}

}  // namespace
}  // namespace steptrace::analyze
