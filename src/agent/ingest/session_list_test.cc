// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/session_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include "testing/recorder_fixture.h"

namespace steptrace::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SessionList, ListsLivingProcesses) {
  Recording recording;
  RingByHand ring(recording.rings());
  recording.Drain();
  const SessionList& sessions = recording->sessions();
  ASSERT_EQ(sessions.size(), 1u);
  EXPECT_EQ(sessions.changes(), 1);
  EXPECT_TRUE(sessions.Has(getpid()));
  EXPECT_FALSE(sessions.Has(getppid()));
  const JobRoot root = sessions.Roots().at(0);
  EXPECT_EQ(root.pid, getpid());
  EXPECT_NE(sessions.Of(root), nullptr);
  EXPECT_EQ(sessions.Of({root.pid, root.start_ticks + 1}), nullptr) << "another with the same pid";
  EXPECT_EQ(sessions.ParentOf(getpid()), getppid());
  EXPECT_EQ(sessions.world_size(), 1);
  EXPECT_THAT(sessions.Workers(), IsEmpty());
  EXPECT_EQ(sessions.Living(recording.now_ns()).at(0).pid, getpid());
  recording->Finish(recording.now_ns());
  EXPECT_EQ(sessions.size(), 0u);
  EXPECT_EQ(sessions.changes(), 2);
}

// How many of some processes are there whenever one of them ends.
class CountingAtEnds : public RingListener {
 public:
  CountingAtEnds(Recorder& recorder, std::vector<int32_t> pids)
      : recorder_(recorder), pids_(std::move(pids)) {
    recorder.AddListener(*this);
  }
  void OnEnd(ProcessSession&) override {
    int& there = counts.emplace_back(0);
    for (const int32_t pid : pids_) there += recorder_.sessions().Has(pid) ? 1 : 0;
  }

  std::vector<int> counts;

 private:
  Recorder& recorder_;
  std::vector<int32_t> pids_;
};

TEST(SessionList, EndedProcessIsRemovedBeforeTheNextEnds) {
  Recording recording;
  std::vector<RingByHand> rings;
  std::vector<int32_t> pids;
  for (int i = 0; i < 2; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    siginfo_t info{};
    ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
    rings.emplace_back(recording.rings(), RingOwner::Of(child));
    waitpid(child, nullptr, 0);
    pids.push_back(child);
  }
  recording.Drain();
  CountingAtEnds counting(recording.recorder(), pids);
  recording->EndGoneProcesses(recording.now_ns());
  EXPECT_THAT(counting.counts, ElementsAre(2, 1));
}

}  // namespace
}  // namespace steptrace::agent
