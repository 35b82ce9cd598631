// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cstdlib>
#include <map>
#include <set>
#include <thread>

#include "host_run.h"
#include "testing/rings.h"

namespace steptrace::hosts {
namespace {

using transport::UntrustedRingFile;
using transport::testing::DrainFolder;
using transport::testing::DrainInto;
using transport::testing::ProcessTrace;
using transport::testing::TestRingFolder;
using transport::testing::WhyNotNested;
using wire::RecordKind;

// Reads every file of a folder as it appears, as the agent does.
class FolderReader {
 public:
  explicit FolderReader(const TestRingFolder& folder) : folder_(folder) {}

  void Poll() {
    for (const std::string& name : folder_.Files()) {
      if (!files_.contains(name) && !TryOpen(name)) continue;
      DrainInto(files_.at(name), traces_[name]);
    }
  }
  const std::map<std::string, ProcessTrace>& traces() const { return traces_; }

 private:
  // It may still be in the making.
  bool TryOpen(const std::string& name) {
    UniqueFd fd(open(folder_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    auto file = UntrustedRingFile::Open(fd.get(), name.c_str(), geteuid());
    if (!file.ok()) return false;
    files_.emplace(name, *std::move(file));
    return true;
  }

  const TestRingFolder& folder_;
  std::map<std::string, UntrustedRingFile> files_;
  std::map<std::string, ProcessTrace> traces_;
};

class HostTest : public ::testing::Test {
 protected:
  ~HostTest() override { unsetenv("STEPTRACE_RING_BUDGET_BYTES"); }

  // Runs a host that must be as it would be without us.
  void Run(const std::vector<std::string>& arguments) {
    const HostResult result = RunHost(arguments);
    EXPECT_EQ(result.output, "ok\n");
    EXPECT_EQ(result.status, 0);
  }
  // The one process's trace, checked for what always holds.
  ProcessTrace RunAlone(const std::vector<std::string>& arguments) {
    Run(arguments);
    return Only();
  }
  ProcessTrace Only() {
    auto traces = DrainFolder(folder_);
    EXPECT_EQ(traces.size(), 1u);
    if (traces.empty()) return {};
    ExpectSound(traces[0]);
    return traces[0];
  }
  static void ExpectSound(const ProcessTrace& trace) {
    EXPECT_EQ(trace.counts.invalid, 0u);
    for (const auto& thread : trace.threads) EXPECT_EQ(WhyNotNested(thread.records), "");
  }

  TestRingFolder folder_;
};

size_t Begins(const ProcessTrace& trace, const std::string& name) {
  return trace.CountOf(name, RecordKind::kBegin);
}
size_t Ends(const ProcessTrace& trace, const std::string& name) {
  return trace.CountOf(name, RecordKind::kEnd);
}

// ---- fork, exec ----

TEST_F(HostTest, ForkInTheMiddleKeepsParentAndChildApart) {
  Run({"fork_in_the_middle", "500"});
  const auto traces = DrainFolder(folder_);
  ASSERT_EQ(traces.size(), 2u);
  const bool first_is_parent = traces[1].identity.ppid == traces[0].identity.pid;
  const ProcessTrace& parent = traces[first_is_parent ? 0 : 1];
  const ProcessTrace& child = traces[first_is_parent ? 1 : 0];
  EXPECT_EQ(child.identity.ppid, parent.identity.pid);
  EXPECT_NE(child.identity.start_time_ticks, 0u);
  EXPECT_EQ(child.identity.inherited_names, 2u);
  ExpectSound(parent);
  ExpectSound(child);
  EXPECT_EQ(Begins(parent, "before"), 500u);
  EXPECT_EQ(Begins(parent, "parent"), 500u);
  EXPECT_EQ(Begins(parent, "child"), 0u);
  EXPECT_EQ(Ends(parent, "around the fork"), 1u);
  EXPECT_EQ(Begins(child, "before"), 500u);
  EXPECT_EQ(Begins(child, "child"), 500u);
  EXPECT_EQ(Begins(child, "parent"), 0u);
  EXPECT_EQ(Ends(child, "around the fork"), 0u);
}

TEST_F(HostTest, ForkedChildrenThatSayNothingLeaveNoFile) {
  Run({"fork_chain", "6"});
  const auto traces = DrainFolder(folder_);
  EXPECT_EQ(traces.size(), 4u);  // generations 0, 2, 4, 6
  std::multiset<size_t> names;
  for (const auto& trace : traces) {
    ExpectSound(trace);
    names.insert(trace.names.size());
  }
  EXPECT_THAT(names, ::testing::ElementsAre(1, 2, 3, 4));  // each has its ancestors' names
}

TEST_F(HostTest, ForkUnderLoadIsRightInEveryChild) {
  Run({"fork_under_load", "100"});
  const auto traces = DrainFolder(folder_);
  EXPECT_EQ(traces.size(), 101u);
  for (const auto& trace : traces) {
    ExpectSound(trace);
    if (trace.identity.ppid == getpid()) continue;
    ASSERT_EQ(trace.threads.size(), 1u);
    EXPECT_EQ(Begins(trace, "child"), 100u);
    EXPECT_EQ(Begins(trace, "new in the child"), 1u);
    EXPECT_EQ(trace.threads[0].records.size(), 202u);
    EXPECT_EQ(trace.threads[0].tid, trace.identity.pid);
  }
}

TEST_F(HostTest, VforkAndSpawnLeaveTheParentAlone) {
  const HostResult result = RunHost({"vfork_and_exec", "100"});
  EXPECT_EQ(result.output, "ok\nok\nok\n");
  EXPECT_EQ(result.status, 0);
  const auto traces = DrainFolder(folder_);
  ASSERT_EQ(traces.size(), 3u);
  size_t parents = 0;
  for (const auto& trace : traces) {
    ExpectSound(trace);
    const bool parent = Begins(trace, "parent") == 300;
    parents += parent ? 1 : 0;
    EXPECT_EQ(Begins(trace, "image"), parent ? 0u : 100u);
  }
  EXPECT_EQ(parents, 1u);
}

TEST_F(HostTest, ExecInPlaceMakesANewFile) {
  Run({"exec_in_place", "4"});
  const auto traces = DrainFolder(folder_);
  ASSERT_EQ(traces.size(), 4u);
  for (const auto& trace : traces) {
    EXPECT_EQ(trace.identity.pid, traces[0].identity.pid);
    EXPECT_EQ(trace.identity.start_time_ticks, traces[0].identity.start_time_ticks);
    EXPECT_EQ(Begins(trace, "image"), 10u);
  }
}

// ---- threads ----

TEST_F(HostTest, FiveHundredThreadsAreRecordedOrCounted) {
  const ProcessTrace trace = RunAlone({"threads_at_once", "500"});
  const uint32_t rings = wire::RingsWithin(wire::kDefaultBudgetBytes) - 1;
  EXPECT_EQ(trace.threads.size(), rings);
  EXPECT_EQ(trace.counts.records, rings * 200u);
  EXPECT_EQ(trace.counts.dropped_budget, (500u - rings) * 200u);
  EXPECT_EQ(trace.counts.dropped_full, 0u);
  for (const auto& thread : trace.threads) EXPECT_TRUE(thread.ended);
}

TEST_F(HostTest, ABudgetThatIsNotThereLeavesOneRing) {
  setenv("STEPTRACE_RING_BUDGET_BYTES", "1", 1);
  const ProcessTrace trace = RunAlone({"threads_at_once", "10"});
  EXPECT_EQ(trace.counts.records, 0u);
  EXPECT_EQ(trace.counts.dropped_budget, 10u * 200u);
}

TEST_F(HostTest, ThreadsInTurnReuseDrainedRings) {
  const std::filesystem::path turns = folder_.path() / "turns";
  setenv("HOST_TURNS", turns.c_str(), 1);
  const UniqueFd turns_fd(open(turns.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  HostRun host({"threads_in_turn", "600"});
  unsetenv("HOST_TURNS");
  FolderReader reader(folder_);
  const HostResult result = host.Wait([&] {
    reader.Poll();
    EXPECT_EQ(write(turns_fd.get(), ".", 1), 1);
  });
  reader.Poll();
  EXPECT_EQ(result.output, "ok\n");
  ASSERT_EQ(reader.traces().size(), 1u);
  const ProcessTrace& trace = reader.traces().begin()->second;
  ExpectSound(trace);
  EXPECT_EQ(trace.counts.records + trace.counts.dropped_budget, 600u * 201u);
  EXPECT_EQ(trace.counts.dropped_budget, 0u);
  EXPECT_EQ(trace.threads.size(), 600u);
  std::set<int32_t> tids;
  std::set<int> rings;
  for (const auto& thread : trace.threads) {
    EXPECT_EQ(thread.records.size(), 201u);
    tids.insert(thread.tid);
    rings.insert(thread.ring);
  }
  EXPECT_GT(tids.size(), 300u);  // the system reuses few
  EXPECT_LT(rings.size(), 80u);
}

TEST_F(HostTest, RecordsOfAThreadThatIsEndingDoNoHarm) {
  const ProcessTrace trace = RunAlone({"record_while_ending", "20"});
  EXPECT_EQ(Begins(trace, "thread"), 20u * 100u);
  // A late record of a thread goes to its ring or is counted, by which destructor came first; the
  // host's is called once more after it has set its key again, until the system has had enough.
  const uint64_t late = trace.counts.records - 20u * 200u + trace.counts.dropped_budget;
  EXPECT_GT(late, 0u);
  EXPECT_EQ(late % (20u * 20u), 0u);
  EXPECT_EQ(trace.counts.dropped_full, 0u);
}

// ---- ways to end ----

TEST_F(HostTest, HardExitKeepsEverything) {
  const ProcessTrace trace = RunAlone({"hard_exit", "1000"});
  EXPECT_EQ(trace.counts.records, 2001u);
  EXPECT_EQ(Ends(trace, "open at the end"), 0u);
}

TEST_F(HostTest, AbortKeepsEverythingAndItsSignal) {
  const HostResult result = RunHost({"abort_in_a_range", "1000"});
  EXPECT_EQ(result.status, 128 + SIGABRT);
  EXPECT_EQ(Only().counts.records, 2001u);
}

TEST_F(HostTest, RecordsAtExitArrive) {
  EXPECT_EQ(Begins(RunAlone({"record_at_exit", "10"}), "atexit"), 10u);
}

// Each published record is there and right after kill -9, whether it had been read or not.
TEST_F(HostTest, KillKeepsEveryPublishedRecord) {
  for (int round = 0; round < 20; ++round) {
    TestRingFolder folder;
    HostRun host({"until_killed"});
    FolderReader reader(folder);
    const auto delay = std::chrono::microseconds(1000 + round * 700);
    const auto start = std::chrono::steady_clock::now();
    // From its second record on: the first numbers may be its set-up's alone.
    const auto writes = [&reader] {
      const auto& traces = reader.traces();
      return !traces.empty() && traces.begin()->second.counts.records >= 2;
    };
    while (!writes() || std::chrono::steady_clock::now() - start < delay) reader.Poll();
    kill(host.pid(), SIGKILL);
    EXPECT_EQ(host.Wait().status, 128 + SIGKILL);
    reader.Poll();
    const ProcessTrace& trace = reader.traces().begin()->second;
    EXPECT_EQ(trace.counts.invalid, 0u);
    ASSERT_EQ(trace.threads.size(), 1u);
    double last = -1;
    uint64_t missing = 0;
    for (const wire::Record& record : trace.threads[0].records) {
      const double number = std::bit_cast<double>(record.a);
      ASSERT_GT(number, last);
      missing += static_cast<uint64_t>(number - last) - 1;
      last = number;
    }
    EXPECT_GT(last, 0);
    EXPECT_LE(missing, trace.counts.dropped_full);
  }
}

// ---- full, and odd ----

TEST_F(HostTest, FullRingIsCountedAndBlocksNobody) {
  const ProcessTrace trace = RunAlone({"ring_full", "100000"});
  EXPECT_EQ(trace.counts.records + trace.counts.dropped_full, 500'001u);
  EXPECT_EQ(trace.counts.records, wire::kLargeRingRecords);
  EXPECT_EQ(Begins(trace, "outer"), Ends(trace, "outer"));
}

TEST_F(HostTest, AHundredThousandNames) {
  HostRun host({"many_names", "100000"});
  FolderReader reader(folder_);
  const HostResult result = host.Wait([&] { reader.Poll(); });
  reader.Poll();
  EXPECT_EQ(result.output, "ok\n");
  const ProcessTrace& trace = reader.traces().begin()->second;
  EXPECT_EQ(trace.names.size(), 100'000u);
  EXPECT_EQ(trace.names.back().text, "name/99999");
  EXPECT_EQ(trace.counts.dropped_names, 0u);
  EXPECT_EQ(trace.counts.records + trace.counts.dropped_full, 200'000u);
}

TEST_F(HostTest, OddNamesArriveAsTheyAre) {
  const ProcessTrace trace = RunAlone({"odd_names", "4096"});
  ASSERT_EQ(trace.names.size(), 4u);
  EXPECT_EQ(trace.names[0].text, "\x1b[31mred\x1b[0m\r\n\t\x01\x7f");
  EXPECT_EQ(trace.names[1].text, "\xff\xfe not utf-8");
  EXPECT_EQ(trace.names[2].text, wire::kNoName);  // given as an empty one
  EXPECT_EQ(trace.names[3].text, std::string(4096, 'l'));
  EXPECT_EQ(trace.counts.dropped_names, 0u);
  EXPECT_EQ(trace.counts.records, 8u);
}

TEST_F(HostTest, AHostThatClosesEverythingKeepsItsOwnFiles) {
  const ProcessTrace trace = RunAlone({"close_everything", "20000"});
  EXPECT_EQ(trace.counts.records + trace.counts.dropped_full, 40'000u + 202u);
  EXPECT_EQ(trace.counts.dropped_names, 0u);
}

TEST_F(HostTest, HostThatInspectsItselfSeesNothingOfUs) {
  RunAlone({"look_around", "10"});
}

TEST_F(HostTest, ASmallLimitOnFilesIsNoSignal) {
  Run({"small_limits"});
  EXPECT_TRUE(folder_.Files().empty());
}

TEST_F(HostTest, LittleAddressSpaceIsSurvived) {
  Run({"little_address_space"});
  EXPECT_TRUE(folder_.Files().empty());
}

// ---- no place to record into ----

TEST_F(HostTest, WithoutTheVariableNothingIsTouched) {
  unsetenv("STEPTRACE_RING_DIR");
  Run({"fork_in_the_middle", "10"});
  EXPECT_TRUE(folder_.Files("").empty());
}

TEST_F(HostTest, AFolderThatIsNotThereIsSurvived) {
  setenv("STEPTRACE_RING_DIR", (folder_.path() / "absent").c_str(), 1);
  Run({"threads_at_once", "4"});
}

TEST_F(HostTest, AFileInPlaceOfTheFolderIsSurvived) {
  setenv("STEPTRACE_RING_DIR", "/dev/null", 1);
  Run({"ring_full", "10"});
}

TEST_F(HostTest, AProbeThatIsNotThereIsSurvived) {
  HostRun::UseProbe("/no/such/file.so");
  Run({"threads_at_once", "4"});
  HostRun::UseProbe(nullptr);
}

// ---- the first look for the probe ----

TEST_F(HostTest, AForkWhileAnotherThreadLooksLeavesTheChildAlone) {
  HostRun::UseProbe(STEPTRACE_GATED_PROBE);
  Run({"fork_in_a_look"});
  HostRun::UseProbe(nullptr);
}

TEST_F(HostTest, RefusedThreadLeavesTheProbeOfOthers) {
  HostRun::UseProbe(STEPTRACE_GATED_PROBE);
  Run({"late_refusal", "100"});
  HostRun::UseProbe(nullptr);
}

TEST_F(HostTest, ErrnoIsTheHosts) {
  RunAlone({"errno_is_the_hosts", "30000"});
}

class MountTest : public HostTest {
 protected:
  bool Mount(unsigned long flags, const std::string& options) {
    mounted_ = mount("tmpfs", folder_.path().c_str(), "tmpfs", flags, options.c_str()) == 0;
    return mounted_;
  }
  ~MountTest() override {
    if (mounted_) umount2(folder_.path().c_str(), MNT_DETACH);
  }
  bool mounted_ = false;
};

TEST_F(MountTest, AReadOnlyFolderIsSurvived) {
  if (!Mount(MS_RDONLY, "mode=0700")) GTEST_SKIP() << "mounting a tmpfs is not permitted here";
  Run({"fork_in_the_middle", "10"});
  EXPECT_TRUE(folder_.Files("").empty());
}

TEST_F(MountTest, OneMebibyteOfSharedMemoryIsSharedAndNoSignal) {
  if (!Mount(0, "mode=0700,size=1m")) GTEST_SKIP() << "mounting a tmpfs is not permitted here";
  Run({"threads_at_once", "40"});
  Run({"ring_full", "50000"});
  Run({"many_names", "50000"});
  Run({"fork_under_load", "20"});
  const auto traces = DrainFolder(folder_);
  ASSERT_FALSE(traces.empty());
  for (const auto& trace : traces) ExpectSound(trace);
  const auto& first = traces[0];
  EXPECT_GT(first.counts.records, 0u);
  EXPECT_GT(first.counts.dropped_no_space, 0u);
  EXPECT_EQ(first.counts.records + first.counts.dropped_no_space, 40u * 200u);
  EXPECT_FALSE(folder_.Files(".no_space").empty());
}

TEST_F(MountTest, NamesThatFindNoMemoryAreCountedAndCostLittle) {
  // Room for the header and the rings' controls, not for a first piece of the arena.
  if (!Mount(0, "mode=0700,size=64k")) GTEST_SKIP() << "mounting a tmpfs is not permitted here";
  const ProcessTrace trace = RunAlone({"names_without_memory", "100000"});
  // The texts, and begin and end of each range, for which there is no ring either.
  EXPECT_EQ(trace.counts.dropped_no_space, 100'001u + 200'000u);
  EXPECT_EQ(trace.counts.dropped_names, 0u) << "they are not too many";
  Run({"errno_is_the_hosts", "5000"});
}

}  // namespace
}  // namespace steptrace::hosts
