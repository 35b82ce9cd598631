// SPDX-License-Identifier: Apache-2.0
#include "agent/system/job_reader.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <map>

#include "testing/capturing_sink.h"
#include "testing/fake_proc.h"

namespace steptrace::agent {
namespace {

using store::Metric;
using testing::CapturingSink;
using testing::FakeProcess;
using testing::FakeTree;
using testing::SampleClock;

constexpr int kRoot = 100;

// Ticks are 10 ms on every Linux there is; the tests write them as seconds of CPU.
uint64_t Ticks(double cpu_s) {
  return static_cast<uint64_t>(cpu_s * static_cast<double>(::sysconf(_SC_CLK_TCK)));
}

const double kPageBytes = static_cast<double>(::sysconf(_SC_PAGESIZE));

class JobReaderTest : public ::testing::Test {
 protected:
  JobReaderTest() {
    options_.proc_root = proc_.root();
    options_.roots = [this] { return roots_; };
    proc_.WriteLastPid(kRoot);
  }
  void Sample(double seconds = 1.0) {
    if (!reader_) reader_.emplace(options_);
    clock_.Sample(*reader_, sink_, seconds);
  }
  std::optional<double> JobCpu() const { return sink_.Value(Metric::kJobCpu); }

  FakeTree proc_;
  JobOptions options_;
  std::vector<JobRoot> roots_{{.pid = kRoot}};
  std::optional<JobReader> reader_;
  CapturingSink sink_;
  SampleClock clock_;
};

TEST_F(JobReaderTest, MemoryByKind) {
  proc_.WriteProcess({.pid = kRoot, .anon_kib = 300, .file_kib = 20, .shmem_kib = 1});
  proc_.WriteProcess({.pid = 101, .ppid = kRoot, .start_ticks = 2, .state = 'Z', .anon_kib = 5});
  proc_.WriteLastPid(101);
  Sample();
  EXPECT_EQ(sink_.Value(Metric::kProcessRssAnon, -1, kRoot), 300 * 1024);
  EXPECT_EQ(sink_.Value(Metric::kProcessRssFile, -1, kRoot), 20 * 1024);
  EXPECT_EQ(sink_.Value(Metric::kProcessRssShmem, -1, kRoot), 1024);
  EXPECT_FALSE(sink_.Has(Metric::kProcessRssAnon, -1, 101));
}

TEST_F(JobReaderTest, OnlySoManyProcessesAreAskedForTheirMemory) {
  options_.max_memory_reads = 1;
  proc_.WriteProcess({.pid = kRoot, .anon_kib = 300});
  proc_.WriteProcess({.pid = 101, .ppid = kRoot, .start_ticks = 2, .anon_kib = 5});
  proc_.WriteLastPid(101);
  Sample();
  EXPECT_TRUE(sink_.Has(Metric::kProcessRssAnon, -1, kRoot));
  EXPECT_FALSE(sink_.Has(Metric::kProcessRssAnon, -1, 101));
}

TEST_F(JobReaderTest, ProcessesTakeTurnsToBeAskedForTheirMemory) {
  options_.max_memory_reads = 2;
  proc_.WriteProcess({.pid = kRoot, .anon_kib = 300});
  for (int32_t pid = 101; pid <= 104; ++pid) {
    proc_.WriteProcess({.pid = pid, .ppid = kRoot, .start_ticks = 2, .anon_kib = 5});
  }
  proc_.WriteLastPid(104);
  Sample();
  std::map<int32_t, int> seen;
  for (int i = 1; i <= 5; ++i) {
    sink_ = {};
    Sample(i);
    int asked = 0;
    for (int32_t pid = kRoot; pid <= 104; ++pid) {
      if (!sink_.Has(Metric::kProcessRssAnon, -1, pid)) continue;
      ++seen[pid];
      ++asked;
    }
    EXPECT_EQ(asked, 2);
  }
  ASSERT_EQ(seen.size(), 5u);
  for (const auto& [pid, times] : seen) EXPECT_EQ(times, 2) << pid;
}

TEST_F(JobReaderTest, TheCoresThatAProcessMayRunOnAreToldWhenTheyAreOthers) {
  options_.max_reported_cores = 2;
  proc_.WriteProcess({.pid = kRoot, .cores = "0-7"});
  proc_.WriteProcess({.pid = 101, .ppid = kRoot, .start_ticks = 2, .cores = "0-7"});
  proc_.WriteProcess({.pid = 102, .ppid = kRoot, .start_ticks = 2, .cores = "4-5,7"});
  proc_.WriteLastPid(102);
  for (int turn = 0; turn < 6; ++turn) {
    Sample();
    proc_.WriteProcess({.pid = kRoot, .cores = std::to_string(turn % 2)});
  }
  using AllowedCoresList = std::vector<ProcessCores>;
  EXPECT_EQ(sink_.allowed_cores, (AllowedCoresList{{kRoot, "0-7"}, {102, "4-5,7"}}))
      << "101's are its parent's, and two times are all";
}

TEST_F(JobReaderTest, OneProcess) {
  proc_.WriteProcess(
      {.pid = kRoot, .own_ticks = Ticks(5), .threads = 3, .rss_pages = 10, .read_bytes = 1000});
  Sample();
  EXPECT_EQ(sink_.Value(Metric::kJobProcesses), 1);
  EXPECT_EQ(sink_.Value(Metric::kJobThreads), 3);
  EXPECT_EQ(sink_.Value(Metric::kJobRss), 10 * kPageBytes);
  EXPECT_FALSE(JobCpu()) << "one reading makes no rate";
  EXPECT_FALSE(sink_.Has(Metric::kProcessCpu, -1, kRoot));
  proc_.WriteProcess({.pid = kRoot,
                      .own_ticks = Ticks(6),
                      .threads = 3,
                      .rss_pages = 10,
                      .read_bytes = 5000,
                      .write_bytes = 600});
  Sample(2.0);
  EXPECT_DOUBLE_EQ(*JobCpu(), 0.5);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kProcessCpu, -1, kRoot), 0.5);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kJobRead), 2000);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kJobWrite), 300);
}

TEST_F(JobReaderTest, FaultsAreRates) {
  proc_.WriteProcess({.pid = kRoot, .minor_faults = 1000, .major_faults = 5});
  Sample();
  EXPECT_FALSE(sink_.Has(Metric::kProcessMinorFaults, -1, kRoot)) << "those of before";
  proc_.WriteProcess({.pid = kRoot, .minor_faults = 1600, .major_faults = 7});
  Sample(2.0);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kProcessMinorFaults, -1, kRoot), 300);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kProcessMajorFaults, -1, kRoot), 1);
}

TEST_F(JobReaderTest, SwitchesOfEachProcess) {
  proc_.WriteProcess({.pid = kRoot});
  proc_.WriteThread(kRoot, kRoot, 0, 1, 100, 10);
  Sample();
  proc_.WriteThread(kRoot, kRoot, 0, 2, 500, 12);
  Sample(2.0);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kProcessVoluntarySwitches, -1, kRoot), 200);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kProcessInvoluntarySwitches, -1, kRoot), 1);
  ASSERT_EQ(reader_->Living(4).size(), 1u);
  EXPECT_DOUBLE_EQ(reader_->Living(4)[0].switches_per_s.value_or(0), 201);
  Sample(1.0);
  EXPECT_FALSE(sink_.Has(Metric::kProcessVoluntarySwitches, -1, kRoot)) << "read every 2 s";
}

TEST_F(JobReaderTest, ADescendantIsFoundAndCountsFromItsBirth) {
  proc_.WriteProcess({.pid = kRoot});
  Sample();
  proc_.WriteProcess({.pid = 103, .ppid = kRoot, .own_ticks = Ticks(0.5), .start_ticks = 50});
  proc_.WriteProcess({.pid = 105, .ppid = 103, .own_ticks = Ticks(0.25), .start_ticks = 50});
  proc_.WriteProcess({.pid = 104, .ppid = 1, .own_ticks = Ticks(9), .start_ticks = 50});
  proc_.WriteLastPid(105);
  Sample();
  EXPECT_EQ(sink_.Value(Metric::kJobProcesses), 3);
  EXPECT_DOUBLE_EQ(*JobCpu(), 0.75) << "a stranger's child is not the job's";
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kProcessCpu, -1, 105), 0.25);
}

TEST_F(JobReaderTest, AThreadIsNoProcess) {
  proc_.WriteProcess({.pid = kRoot});
  proc_.WriteProcess({.pid = 101, .ppid = kRoot});
  Sample();
  // /proc/<tid> answers for threads too; its parent is that of its process.
  proc_.WriteProcess({.pid = 102, .ppid = kRoot});
  proc_.Write("102/status", "Name:\tpython\nTgid:\t101\nPid:\t102\n");
  proc_.WriteLastPid(102);
  Sample();
  EXPECT_EQ(sink_.Value(Metric::kJobProcesses), 2);
}

TEST_F(JobReaderTest, EndedChildsLastUsageCountsForItsParent) {
  proc_.WriteProcess({.pid = kRoot, .own_ticks = Ticks(10)});
  proc_.WriteProcess(
      {.pid = 101, .ppid = kRoot, .own_ticks = Ticks(45), .start_ticks = 2, .read_bytes = 4000});
  Sample();
  proc_.WriteProcess(
      {.pid = kRoot, .own_ticks = Ticks(12), .children_ticks = Ticks(50), .read_bytes = 4600});
  proc_.EndProcess(101);
  Sample(10.0);
  EXPECT_EQ(sink_.Value(Metric::kJobProcesses), 1);
  EXPECT_DOUBLE_EQ(*JobCpu(), 0.7) << "2 s of its own and the 5 s that the child had not shown";
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kProcessCpu, -1, kRoot), 0.2);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kJobRead), 60);
  Sample(10.0);
  EXPECT_DOUBLE_EQ(*JobCpu(), 0);
}

TEST_F(JobReaderTest, AParentMayWaitALittleLater) {
  proc_.WriteProcess({.pid = kRoot});
  proc_.WriteProcess({.pid = 101, .ppid = kRoot, .own_ticks = Ticks(45), .start_ticks = 2});
  Sample();
  proc_.EndProcess(101);
  Sample(1.0);
  EXPECT_DOUBLE_EQ(*JobCpu(), 0);
  proc_.WriteProcess({.pid = kRoot, .children_ticks = Ticks(46)});
  Sample(1.0);
  EXPECT_DOUBLE_EQ(*JobCpu(), 1);
}

TEST_F(JobReaderTest, AChildThatNobodyWaitsForTakesNothingFromOthers) {
  proc_.WriteProcess({.pid = kRoot, .read_bytes = 0});
  proc_.WriteProcess(
      {.pid = 101, .ppid = kRoot, .own_ticks = Ticks(45), .start_ticks = 2, .read_bytes = 9000});
  Sample();
  proc_.EndProcess(101);
  proc_.WriteProcess({.pid = kRoot, .read_bytes = 500});
  Sample();
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kJobRead), 500) << "the parent's own";
  Sample();
  proc_.WriteProcess({.pid = kRoot, .children_ticks = Ticks(2), .read_bytes = 500});
  Sample();
  EXPECT_DOUBLE_EQ(*JobCpu(), 2) << "another child's, too short-lived to be seen";
}

TEST_F(JobReaderTest, AFamilyThatEndsAtOnceIsInheritedByTheGrandparent) {
  proc_.WriteProcess({.pid = kRoot});
  proc_.WriteProcess({.pid = 101, .ppid = kRoot, .own_ticks = Ticks(10), .start_ticks = 2});
  proc_.WriteProcess({.pid = 102, .ppid = 101, .own_ticks = Ticks(20), .start_ticks = 3});
  Sample();
  proc_.EndProcess(101);
  proc_.EndProcess(102);
  proc_.WriteProcess({.pid = kRoot, .children_ticks = Ticks(33)});
  Sample();
  EXPECT_DOUBLE_EQ(*JobCpu(), 3);
}

TEST_F(JobReaderTest, ALaterProcessOfTheSamePidIsAnother) {
  for (const uint64_t known_start : {uint64_t{10}, uint64_t{0}}) {
    reader_.reset();
    roots_ = {{.pid = kRoot, .start_ticks = known_start}};
    proc_.WriteProcess({.pid = kRoot, .own_ticks = Ticks(50), .start_ticks = 10});
    Sample();
    EXPECT_EQ(sink_.Value(Metric::kJobProcesses), 1);
    proc_.WriteProcess({.pid = kRoot, .own_ticks = Ticks(99), .start_ticks = 77});
    for (int i = 0; i < 3; ++i) Sample();
    EXPECT_EQ(sink_.Value(Metric::kJobProcesses), 0);
    EXPECT_EQ(reader_->oldest_pid(), 0);
  }
}

TEST_F(JobReaderTest, ARootThatBelongsToNoTreeIsFollowedToo) {
  proc_.WriteProcess({.pid = kRoot});
  Sample();
  proc_.WriteProcess({.pid = 140, .ppid = 1, .own_ticks = Ticks(1), .start_ticks = 30});
  proc_.WriteLastPid(140);
  roots_.push_back({.pid = 140, .start_ticks = 30});
  Sample();
  EXPECT_EQ(sink_.Value(Metric::kJobProcesses), 2);
  EXPECT_DOUBLE_EQ(*JobCpu(), 1) << "born since the last sample";
  EXPECT_EQ(reader_->oldest_pid(), kRoot);
}

TEST_F(JobReaderTest, ZombiesUseNothingAndAreNoLivingProcess) {
  proc_.WriteProcess({.pid = kRoot});
  proc_.WriteProcess({.pid = 101, .ppid = kRoot, .own_ticks = Ticks(1), .start_ticks = 2});
  Sample();
  proc_.WriteProcess(
      {.pid = 101, .ppid = kRoot, .own_ticks = Ticks(3), .start_ticks = 2, .state = 'Z'});
  Sample();
  EXPECT_EQ(sink_.Value(Metric::kJobProcesses), 1);
  EXPECT_DOUBLE_EQ(*JobCpu(), 2) << "its last stretch counts";
  EXPECT_FALSE(sink_.Has(Metric::kProcessRss, -1, 101));
}

TEST_F(JobReaderTest, ThreadsAreSummed) {
  proc_.WriteProcess({.pid = kRoot, .threads = 2});
  proc_.WriteThread(kRoot, 100, 1'000'000'000, 10, 5, 6);
  proc_.WriteThread(kRoot, 101, 0, 10, 0, 0);
  Sample();
  EXPECT_FALSE(sink_.Has(Metric::kJobRunDelay));
  proc_.WriteThread(kRoot, 100, 1'500'000'000, 12, 9, 7);
  proc_.WriteThread(kRoot, 101, 250'000'000, 11, 1, 2);
  Sample(2.0);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kJobRunDelay), 0.375);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kProcessRunDelay, -1, kRoot), 0.375);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kJobVoluntarySwitches), 2.5);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kJobInvoluntarySwitches), 1.5);
}

TEST_F(JobReaderTest, SwitchesAreReadEveryTwoSecondsOverThatTime) {
  proc_.WriteProcess({.pid = kRoot});
  proc_.WriteThread(kRoot, 100, 0, 1, 0, 0);
  Sample();
  for (int i = 1; i <= 3; ++i) {
    proc_.WriteThread(kRoot, 100, 0, 1 + i, 10 * i, 0);
    Sample(0.5);
    EXPECT_FALSE(sink_.Has(Metric::kJobVoluntarySwitches)) << i;
  }
  proc_.WriteThread(kRoot, 100, 0, 9, 50, 0);
  Sample(0.5);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kJobVoluntarySwitches), 25);
}

TEST_F(JobReaderTest, AThreadThatDoesNotRunIsLeftAloneAndCatchesUp) {
  proc_.WriteProcess({.pid = kRoot});
  proc_.WriteThread(kRoot, 100, 0, 1, 0, 0);
  for (int i = 0; i < 40; ++i) Sample(0.5);
  proc_.WriteThread(kRoot, 100, 1'000'000'000, 2, 0, 0);
  double delay_s = 0;
  int samples = 0;
  for (; samples < 9 && delay_s == 0; ++samples) {
    Sample(0.5);
    delay_s += *sink_.Value(Metric::kJobRunDelay) * 0.5;
  }
  EXPECT_DOUBLE_EQ(delay_s, 1);
  EXPECT_GT(samples, 1) << "it was quiet for long";
  proc_.WriteThread(kRoot, 100, 2'000'000'000, 3, 0, 0);
  Sample(0.5);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kJobRunDelay), 2) << "one that runs is read each time";
}

TEST_F(JobReaderTest, ThreadsBeyondTheBudgetCatchUp) {
  options_.max_thread_reads = 2;
  proc_.WriteProcess({.pid = kRoot, .threads = 5});
  for (int tid = 100; tid < 105; ++tid) proc_.WriteThread(kRoot, tid, 0, 1, 0, 0);
  for (int i = 0; i < 3; ++i) Sample();
  for (int tid = 100; tid < 105; ++tid) proc_.WriteThread(kRoot, tid, 1'000'000'000, 2, 0, 0);
  double delay_s = 0;
  for (int i = 0; i < 8; ++i) {
    Sample();
    delay_s += *sink_.Value(Metric::kJobRunDelay);
  }
  EXPECT_DOUBLE_EQ(delay_s, 5) << "each thread's second, in one sample or another";
}

TEST_F(JobReaderTest, DescriptorsAreBounded) {
  options_.max_kept_files = 4;
  proc_.WriteProcess({.pid = kRoot, .threads = 8});
  for (int tid = 100; tid < 108; ++tid) proc_.WriteThread(kRoot, tid, 0, 1, 0, 0);
  const auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  const auto before = open_files();
  for (int i = 0; i < 4; ++i) Sample();
  EXPECT_LE(open_files() - before, 4);
  proc_.WriteThread(kRoot, 107, 1'000'000'000, 5, 0, 0);
  double delay_s = 0;
  for (int i = 0; i < 5; ++i) {
    Sample();
    delay_s += *sink_.Value(Metric::kJobRunDelay);
  }
  EXPECT_DOUBLE_EQ(delay_s, 1) << "read all the same";
}

TEST_F(JobReaderTest, ProcessesAreBounded) {
  options_.max_processes = 3;
  proc_.WriteProcess({.pid = kRoot});
  for (int pid = 101; pid < 110; ++pid) proc_.WriteProcess({.pid = pid, .ppid = kRoot});
  Sample();
  EXPECT_EQ(sink_.Value(Metric::kJobProcesses), 3);
  EXPECT_TRUE(sink_.Unavailable("job processes"));
}

TEST_F(JobReaderTest, DetailIsBoundedTotalsAreNot) {
  options_.max_detailed_processes = 2;
  proc_.WriteProcess({.pid = kRoot, .start_ticks = 1});
  for (int pid = 101; pid < 105; ++pid) {
    proc_.WriteProcess({.pid = pid, .ppid = kRoot, .start_ticks = 2});
  }
  Sample();
  EXPECT_EQ(sink_.Value(Metric::kJobProcesses), 5);
  EXPECT_TRUE(sink_.Has(Metric::kProcessRss, -1, 101));
  EXPECT_FALSE(sink_.Has(Metric::kProcessRss, -1, 102));
}

TEST_F(JobReaderTest, NoPermissionMakesOneMetricAbsent) {
  proc_.WriteProcess({.pid = kRoot});
  proc_.Remove("100/io");
  Sample();
  proc_.WriteProcess({.pid = kRoot, .own_ticks = Ticks(1)});
  proc_.Remove("100/io");
  Sample();
  EXPECT_DOUBLE_EQ(*JobCpu(), 1);
  EXPECT_FALSE(sink_.Has(Metric::kJobRead));
  EXPECT_FALSE(sink_.Has(Metric::kProcessRead, -1, kRoot));
  EXPECT_TRUE(sink_.Unavailable("process io"));
}

TEST_F(JobReaderTest, NoJobYieldsNothing) {
  roots_.clear();
  Sample();
  EXPECT_TRUE(sink_.samples.empty() && sink_.unavailable.empty());
  roots_ = {{.pid = 4711}};
  Sample();
  EXPECT_TRUE(sink_.samples.empty());
}

TEST_F(JobReaderTest, MaliceTextsOfAProcessMayBeAnything) {
  proc_.WriteProcess({.pid = kRoot});
  proc_.WriteProcess({.pid = 101, .ppid = kRoot, .start_ticks = 4, .comm = ") S 1 ("});
  Sample();
  EXPECT_EQ(sink_.Value(Metric::kJobProcesses), 2);
  proc_.Write("101/stat", "101 (x) S 100\n");
  proc_.Write("100/io", "read_bytes: -5\n");
  Sample();
  EXPECT_EQ(sink_.Value(Metric::kJobProcesses), 1);
}

// ---- the finder ------------------------------------------------------------------------------
class ProcessFinderTest : public JobReaderTest {
 protected:
  std::vector<FoundProcess> Find(std::set<int32_t> members, double at_s) {
    return finder_.Find([&](int32_t pid) { return members.contains(pid); },
                        static_cast<int64_t>(at_s * 1e9));
  }
  ProcessFinder finder_{proc_.root()};
};

TEST_F(ProcessFinderTest, ReadsAllOnceThenOnlyNewIds) {
  proc_.WriteLastPid(105);
  proc_.WriteProcess({.pid = kRoot});
  proc_.WriteProcess({.pid = 101, .ppid = kRoot, .start_ticks = 5});
  auto found = Find({kRoot}, 0);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].born_since_last);
  // Of an id that was given before: whoever read all would find it.
  proc_.WriteProcess({.pid = 103, .ppid = kRoot, .start_ticks = 5});
  proc_.WriteProcess({.pid = 110, .ppid = 101, .start_ticks = 6});
  proc_.WriteLastPid(110);
  found = Find({kRoot, 101}, 0.1);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].pid, 110);
  EXPECT_TRUE(found[0].born_since_last);
}

TEST_F(ProcessFinderTest, IdsThatBeganAnewAreScannedFor) {
  proc_.WriteLastPid(32000);
  proc_.WriteProcess({.pid = kRoot});
  Find({kRoot}, 0);
  proc_.WriteProcess({.pid = 305, .ppid = kRoot, .start_ticks = 9});
  proc_.WriteLastPid(305);
  EXPECT_TRUE(Find({kRoot}, 0.5).empty()) << "a scan was made half a second ago";
  const auto found = Find({kRoot}, 1.5);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].pid, 305);
}

TEST_F(ProcessFinderTest, TooManyNewIdsAreScannedFor) {
  proc_.WriteProcess({.pid = kRoot});
  Find({kRoot}, 0);
  proc_.WriteProcess({.pid = 5000, .ppid = kRoot, .start_ticks = 9});
  proc_.WriteLastPid(5000);
  const auto found = Find({kRoot}, 1.0);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].pid, 5000);
}

TEST_F(ProcessFinderTest, AnInventedLoadAverageIsNotTrusted) {
  proc_.Write("loadavg", "0.00 0.00 0.00 0/0 0\n");
  proc_.WriteProcess({.pid = kRoot});
  Find({kRoot}, 0);
  proc_.WriteProcess({.pid = 101, .ppid = kRoot, .start_ticks = 9});
  EXPECT_EQ(Find({kRoot}, 1.0).size(), 1u);
}

TEST_F(ProcessFinderTest, ParentsComeBeforeChildren) {
  proc_.WriteProcess({.pid = kRoot, .start_ticks = 1});
  proc_.WriteProcess({.pid = 109, .ppid = kRoot, .start_ticks = 2});
  proc_.WriteProcess({.pid = 103, .ppid = 109, .start_ticks = 3});
  const auto found = Find({kRoot}, 0);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].pid, 109);
  EXPECT_EQ(found[1].pid, 103);
}

}  // namespace
}  // namespace steptrace::agent
