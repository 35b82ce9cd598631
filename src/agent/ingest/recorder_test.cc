// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <utility>

#include "testing/recorder_fixture.h"

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
size_t LivingBesideTheDead(uint32_t pid_namespace) {
  Recording recording;
  RingByHand ring(recording.rings(), Dead(pid_namespace));
  ring.Write(RecordKind::kBegin, ring.Name(Category::kUser, "open"));
  EXPECT_EQ(recording.Drain().records, 1);
  const size_t living = recording->sessions().Living(recording.now_ns()).size();
  recording->Finish(recording.now_ns());
  return living;
}

TEST(Recorder, WaitsOnlyForEndedProcessesItCouldNotSee) {
  ASSERT_NE(OwnPidNamespace(), 0u);
  EXPECT_EQ(LivingBesideTheDead(OwnPidNamespace()), 0u) << "ended before it was first seen";
  EXPECT_EQ(LivingBesideTheDead(OwnPidNamespace() - 1), 1u) << "of another namespace";
  EXPECT_EQ(LivingBesideTheDead(0), 1u) << "of one that is not known";
}

// A ring that nobody has open or mapped any more, whoever had it.
TEST(Recorder, InvisibleProcessHasEndedWhenItsRingIsUnmapped) {
  Recording recording;
  std::optional<RingByHand> ring(std::in_place, recording.rings(), Dead(OwnPidNamespace() - 1));
  ring->Train();
  recording.Drain();
  const int64_t before_ns = recording.now_ns();
  ASSERT_THAT(recording->sessions().Living(before_ns), SizeIs(1));
  EXPECT_EQ(recording->sessions().Living(before_ns).front().pid, 0) << "by no pid of ours";
  ring.reset();
  if (!recording->sessions().Living(before_ns).empty()) GTEST_SKIP() << "needs leases on files";
  recording->EndGoneProcesses(before_ns);
  EXPECT_EQ(recording->trained_until_ns(), before_ns);
  EXPECT_THAT(recording.Losses("unseen_process"), IsEmpty());
}

TEST(Recorder, SilentInvisibleProcessIsNotTakenForAlive) {
  Recording recording;
  RingByHand ring(recording.rings(), Dead(OwnPidNamespace() - 1));
  ring.Train();
  recording.Drain();
  const int64_t drained_ns = recording.now_ns();
  const int64_t later_ns = drained_ns + 200 * kNsPerSecond;
  recording->EndGoneProcesses(later_ns);
  EXPECT_THAT(recording->sessions().Living(later_ns), IsEmpty());
  EXPECT_LE(recording->trained_until_ns(), drained_ns);
  EXPECT_GT(recording->trained_until_ns(), 0);
  const auto losses = recording.Losses("unseen_process");
  ASSERT_THAT(losses, SizeIs(1));
  EXPECT_THAT(losses[0].detail, HasSubstr("counts as ended"));
}

// As after a kill of the whole group: what the later ones wrote last is still to be read.
TEST(Recorder, ProcessesThatEndTogether) {
  Recording recording;
  std::vector<RingByHand> rings;
  for (int i = 0; i < 3; ++i) rings.emplace_back(recording.rings(), Dead());
  recording.Drain();
  for (RingByHand& ring : rings) ring.Train();
  recording->EndGoneProcesses(recording.now_ns());
  EXPECT_THAT(recording->sessions().Living(recording.now_ns()), IsEmpty());
  recording->Finish(recording.now_ns());
  EXPECT_THAT(*recording.Read().Read<store::SliceRow>(), SizeIs(3));
}

// A process of this test that has been stopped, and goes on when it is told to.
class StoppedProcess {
 public:
  StoppedProcess() : pid_(fork()) {
    if (pid_ == 0) {
      raise(SIGSTOP);
      for (;;) pause();
    }
    waitpid(pid_, nullptr, WUNTRACED);
  }
  ~StoppedProcess() { Kill(); }
  StoppedProcess(const StoppedProcess&) = delete;
  StoppedProcess& operator=(const StoppedProcess&) = delete;

  RingOwner owner() const { return RingOwner::Of(pid_); }
  void Kill() {
    if (pid_ == 0) return;
    kill(pid_, SIGKILL);
    waitpid(std::exchange(pid_, 0), nullptr, 0);
  }

 private:
  pid_t pid_;
};

TEST(Recorder, ARingWhoseWriterWasStoppedAtItIsReadOnceItStands) {
  StoppedProcess process;
  Recording recording;
  RingByHand ring(recording.rings(), process.owner(), RingByHand::Made::kNotReady);
  int64_t now_ns = recording.now_ns();
  for (int i = 0; i < 600; ++i, now_ns += kNsPerSecond / 10) recording->DrainAll(now_ns, false);
  EXPECT_THAT(recording.Losses("ring_damaged"), IsEmpty()) << "it lives, and may go on";
  ring.FinishMaking();
  ring.Train();
  int64_t records = 0;
  for (int i = 0; i <= 10; ++i, now_ns += kNsPerSecond / 10) {
    records += recording->DrainAll(now_ns, false).records;
  }
  EXPECT_EQ(records, 2) << "within a second";
  process.Kill();
  recording->EndGoneProcesses(now_ns);
  recording->Finish(now_ns);
  EXPECT_THAT(*recording.Read().Read<store::SliceRow>(), SizeIs(1));
  EXPECT_THAT(recording.Losses("ring_damaged"), IsEmpty());
}

TEST(Recorder, ARingWhoseWriterEndedAtItIsALoss) {
  StoppedProcess process;
  const int32_t pid = process.owner().pid;
  Recording recording;
  const RingByHand ring(recording.rings(), process.owner(), RingByHand::Made::kNotReady);
  int64_t now_ns = recording.now_ns();
  for (int i = 0; i < 100; ++i, now_ns += kNsPerSecond / 10) recording->DrainAll(now_ns, false);
  EXPECT_THAT(recording.Losses("ring_damaged"), IsEmpty());
  process.Kill();
  for (int i = 0; i < 40; ++i, now_ns += kNsPerSecond / 10) recording->DrainAll(now_ns, false);
  const auto losses = recording.Losses("ring_damaged");
  ASSERT_THAT(losses, SizeIs(1));
  EXPECT_EQ(losses[0].pid, pid);
  EXPECT_THAT(losses[0].detail, HasSubstr("not ready yet"));
}

TEST(Recorder, ARingThatIsNotReadyWhenTheRunEndsIsReadIfItStandsThenAndALossIfNot) {
  for (const bool stands : {true, false}) {
    StoppedProcess process;
    Recording recording;
    RingByHand ring(recording.rings(), process.owner(), RingByHand::Made::kNotReady);
    int64_t now_ns = recording.now_ns();
    for (int i = 0; i < 100; ++i, now_ns += kNsPerSecond / 10) recording->DrainAll(now_ns, false);
    if (stands) {
      ring.FinishMaking();
      ring.Train();
    }
    recording->Finish(now_ns);
    EXPECT_THAT(*recording.Read().Read<store::SliceRow>(), SizeIs(stands ? 1 : 0));
    EXPECT_THAT(recording.Losses("ring_damaged"), SizeIs(stands ? 0 : 1));
  }
}

// What is damaged is no file that is being made: its process is not waited for.
TEST(Recorder, ADamagedRingOfAProcessThatLivesIsALossAtOnce) {
  Recording recording;
  const std::string name =
      std::to_string(getpid()) + "." + std::to_string(RingOwner().start_ticks) + ".ring";
  std::ofstream(recording.rings() / name) << std::string(4096, 'x');
  std::filesystem::permissions(recording.rings() / name, std::filesystem::perms::owner_all);
  int64_t now_ns = recording.now_ns();
  for (int i = 0; i < 25; ++i, now_ns += kNsPerSecond / 10) recording->DrainAll(now_ns, true);
  EXPECT_THAT(recording.Losses("ring_damaged"), SizeIs(1));
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
  recording->SetDropUserRanges(true, LossCause::kAgentMemoryLimit);
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
