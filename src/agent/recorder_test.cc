// SPDX-License-Identifier: Apache-2.0
#include "agent/recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <fstream>

#include "agent/recorder_fixture.h"

namespace steptrace::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using wire::Category;
using wire::RecordKind;

TEST(Recorder, KeepsTheRangesThatAThreadLeftOpen) {
  Recording recording;
  RingByHand ring(recording.rings());
  ring.Write(RecordKind::kBegin, ring.Name(Category::kUser, "open"));
  EXPECT_EQ(recording.Drain().records, 1);
  ring.EndThread();
  recording.Drain();
  recording.Drain();
  recording->Finish(recording.now_ns());

  store::RunReader reader = recording.Read();
  const auto slices = reader.Read<store::SliceRow>();
  ASSERT_TRUE(slices.ok());
  ASSERT_EQ(slices->size(), 1u);
  EXPECT_EQ(reader.Text(slices->front().name), "open");
}

RingOwner Dead(uint32_t pid_namespace = OwnPidNamespace()) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  siginfo_t info{};
  EXPECT_EQ(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  const RingOwner dead{child, ReadProcessIdentity(child)->start_time_ticks, pid_namespace};
  waitpid(child, nullptr, 0);
  return dead;
}

// How many processes may still write of a ring whose writer is dead when it is first seen.
int64_t LivingBesideTheDead(uint32_t pid_namespace) {
  Recording recording;
  RingByHand ring(recording.rings(), Dead(pid_namespace));
  ring.Write(RecordKind::kBegin, ring.Name(Category::kUser, "open"));
  EXPECT_EQ(recording.Drain().records, 1);
  const Recorder::Living living = recording->CountLiving(recording.now_ns());
  recording->Finish(recording.now_ns());
  return living.training + living.others;
}

TEST(Recorder, WaitsOnlyForTheDeadWhomItCouldNotHaveSeen) {
  ASSERT_NE(OwnPidNamespace(), 0u);
  EXPECT_EQ(LivingBesideTheDead(OwnPidNamespace()), 0) << "ended before it was first seen";
  EXPECT_EQ(LivingBesideTheDead(OwnPidNamespace() - 1), 1) << "of another namespace";
  EXPECT_EQ(LivingBesideTheDead(0), 1) << "of one that is not known";
}

// As after a kill of the whole group: what the later ones wrote last is still to be read.
TEST(Recorder, ProcessesThatEndTogether) {
  Recording recording;
  std::vector<RingByHand> rings;
  for (int i = 0; i < 3; ++i) rings.emplace_back(recording.rings(), Dead());
  recording.Drain();
  for (RingByHand& ring : rings) ring.Train();
  recording->EndGoneProcesses(recording.now_ns());
  const Recorder::Living living = recording->CountLiving(recording.now_ns());
  EXPECT_EQ(living.training + living.others, 0);
  recording->Finish(recording.now_ns());
  EXPECT_THAT(*recording.Read().Read<store::SliceRow>(), SizeIs(3));
}

TEST(Recorder, ProcessesBeyondThoseThatItFollowsAreALoss) {
  Recording recording;
  for (size_t i = 1; i <= RingWatch::kMaxFiles + 3; ++i) {
    std::ofstream(recording.rings() / (std::to_string(i) + ".1.ring"));
  }
  recording.Drain();
  const auto losses = recording.Losses("too_many_processes");
  ASSERT_THAT(losses, SizeIs(1));
  EXPECT_EQ(losses[0].table, "slices");
  EXPECT_EQ(losses[0].count, 3);
  EXPECT_EQ(losses[0].pid, std::nullopt);
  EXPECT_THAT(losses[0].detail, HasSubstr("more processes"));
}

TEST(Recorder, RangesThatAFrugalAgentLeavesOutAreALossOfTheirProcess) {
  Recording recording;
  RingByHand ring(recording.rings());
  const uint32_t own = ring.Name(Category::kUser, "own");
  const uint32_t forward = ring.Name(Category::kPhase, "forward");
  const auto range = [&ring](uint32_t name) {
    ring.Write(RecordKind::kBegin, name);
    ring.Write(RecordKind::kEnd, name);
  };
  range(own);
  recording.Drain();
  EXPECT_THAT(recording.Losses("agent_memory_limit"), IsEmpty());
  recording->SetFrugal(true, loss::kAgentMemory);
  range(own);
  range(own);
  range(forward);
  recording.Drain();
  const auto losses = recording.Losses("agent_memory_limit");
  ASSERT_THAT(losses, SizeIs(1));
  EXPECT_EQ(losses[0].table, "slices");
  EXPECT_EQ(losses[0].count, 2);
  EXPECT_EQ(losses[0].pid, getpid());
  EXPECT_THAT(losses[0].detail, HasSubstr("record fewer of them"));
  EXPECT_THAT(*recording.Read().Read<store::SliceRow>(), SizeIs(2)) << "the others are kept";
}

}  // namespace
}  // namespace steptrace::agent
