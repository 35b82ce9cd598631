// SPDX-License-Identifier: Apache-2.0
#include "agent/system/cpu_counter_reader.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <map>
#include <thread>

#include "testing/capturing_sink.h"
#include "testing/fake_proc.h"

namespace steptrace::agent {
namespace {

using store::Metric;
using testing::CapturingSink;
using testing::FakeTree;
using testing::SampleClock;

constexpr int32_t kPid = 100;
constexpr uint64_t kSecondNs = 1'000'000'000;

// The kernel, with counters that a test sets by thread.
class FakeCounters : public CpuCounterSource {
 public:
  struct State {
    std::map<std::pair<int32_t, CpuCounter>, CpuReading> readings;
    std::map<int, Request> open;
    std::function<int(const Request&)> refuse = [](const Request&) { return 0; };
    int next_fd = 3;
    int opened = 0;
  };
  explicit FakeCounters(std::shared_ptr<State> state) : state_(std::move(state)) {}

  int Open(const Request& request) override {
    if (const int error = state_->refuse(request)) return -error;
    state_->open[state_->next_fd] = request;
    state_->opened += request.tid != 0;
    return state_->next_fd++;
  }
  std::optional<CpuReading> Read(int fd) override {
    const Request& of = state_->open.at(fd);
    return state_->readings[{of.tid, of.counter}];
  }
  void Close(int fd) override { EXPECT_EQ(state_->open.erase(fd), 1u); }

 private:
  std::shared_ptr<State> state_;
};

class CpuCounterReaderTest : public ::testing::Test {
 protected:
  void SetUp() override { reader_.emplace(proc_.root(), std::make_unique<FakeCounters>(state_)); }
  void TearDown() override {
    reader_.reset();
    EXPECT_TRUE(state_->open.empty()) << "descriptors are left";
  }
  void Threads(std::vector<int32_t> tids) {
    for (int32_t tid : tids) {
      proc_.MakeFolder(std::to_string(kPid) + "/task/" + std::to_string(tid));
    }
    process_.threads = tids.size();
  }
  void Set(int32_t tid, CpuCounter counter, uint64_t value, uint64_t enabled, uint64_t running) {
    state_->readings[{tid, counter}] = {value, enabled, running};
  }
  void Sample(double seconds = 2.0) {
    const std::vector<JobProcess> living(alive_ ? 1 : 0, process_);
    clock_.Sample(*reader_, sink_, seconds, std::span<const JobProcess>(living));
  }
  std::optional<double> Value(Metric metric) const { return sink_.Value(metric, -1, kPid); }

  FakeTree proc_;
  std::shared_ptr<FakeCounters::State> state_ = std::make_shared<FakeCounters::State>();
  std::optional<CpuCounterReader> reader_;
  JobProcess process_{.pid = kPid, .start_ticks = 7, .threads = 1, .switches_per_s = {}};
  bool alive_ = true;
  CapturingSink sink_;
  SampleClock clock_;
};

TEST_F(CpuCounterReaderTest, RatesAreOfAllThreads) {
  Threads({kPid, 101});
  Sample();
  EXPECT_FALSE(Value(Metric::kProcessCycles)) << "one reading makes no rate";
  Set(kPid, CpuCounter::kCycles, 6000, kSecondNs, kSecondNs);
  Set(101, CpuCounter::kCycles, 2000, kSecondNs, kSecondNs);
  Set(kPid, CpuCounter::kInstructions, 12000, kSecondNs, kSecondNs);
  Set(101, CpuCounter::kItlbMisses, 10, kSecondNs, kSecondNs);
  Sample();
  EXPECT_DOUBLE_EQ(*Value(Metric::kProcessCycles), 4000);
  EXPECT_DOUBLE_EQ(*Value(Metric::kProcessInstructions), 6000);
  EXPECT_DOUBLE_EQ(*Value(Metric::kProcessItlbMisses), 5);
  EXPECT_DOUBLE_EQ(*Value(Metric::kProcessCountersRunningShare), 1);
  Set(kPid, CpuCounter::kCycles, 5000, kSecondNs, kSecondNs);
  Sample();
  EXPECT_FALSE(Value(Metric::kProcessCycles)) << "it went backwards";
}

TEST_F(CpuCounterReaderTest, ASharedCounterIsScaledAndItsShareIsSaid) {
  Threads({kPid});
  Sample();
  Set(kPid, CpuCounter::kCycles, 3000, kSecondNs, kSecondNs);
  Set(kPid, CpuCounter::kInstructions, 1000, kSecondNs, kSecondNs / 4);
  Set(kPid, CpuCounter::kItlbMisses, 0, kSecondNs, kSecondNs / 2);
  Sample();
  EXPECT_DOUBLE_EQ(*Value(Metric::kProcessCycles), 1500);
  EXPECT_DOUBLE_EQ(*Value(Metric::kProcessInstructions), 2000) << "seen for a quarter of the time";
  EXPECT_DOUBLE_EQ(*Value(Metric::kProcessCountersRunningShare), 0.25) << "the least";
}

TEST_F(CpuCounterReaderTest, CounterThatNeverRanGivesNoSample) {
  Threads({kPid});
  Sample();
  Set(kPid, CpuCounter::kCycles, 10, kSecondNs, kSecondNs);
  Set(kPid, CpuCounter::kInstructions, 0, kSecondNs, 0);
  Sample();
  EXPECT_FALSE(Value(Metric::kProcessInstructions));
  EXPECT_EQ(*Value(Metric::kProcessCountersRunningShare), 0);
  Sample();
  EXPECT_EQ(*Value(Metric::kProcessCycles), 0) << "the process did not run";
}

TEST_F(CpuCounterReaderTest, LaterThreadsAreCountedByInheritance) {
  Threads({kPid});
  Sample();
  for (const auto& [fd, request] : state_->open) EXPECT_TRUE(request.with_later_threads);
  Threads({kPid, 101});
  Sample();
  EXPECT_EQ(state_->opened, static_cast<int>(kCpuCounterCount)) << "or they would count twice";
}

TEST_F(CpuCounterReaderTest, WithoutInheritanceThreadsAreFound) {
  state_->refuse = [](const auto& request) { return request.with_later_threads ? EINVAL : 0; };
  Threads({kPid});
  Sample();
  Threads({kPid, 101});
  Sample();
  EXPECT_EQ(state_->opened, 2 * static_cast<int>(kCpuCounterCount));
  Set(101, CpuCounter::kCycles, 2000, kSecondNs, kSecondNs);
  Sample();
  EXPECT_DOUBLE_EQ(*Value(Metric::kProcessCycles), 1000);
}

TEST_F(CpuCounterReaderTest, TheyAreReadSeldom) {
  Threads({kPid});
  Sample();
  Set(kPid, CpuCounter::kCycles, 3000, kSecondNs, kSecondNs);
  Sample(0.5);
  EXPECT_FALSE(Value(Metric::kProcessCycles));
  Sample(1.5);
  EXPECT_DOUBLE_EQ(*Value(Metric::kProcessCycles), 1500);
}

TEST_F(CpuCounterReaderTest, AProcessThatEndedIsLetGo) {
  Threads({kPid});
  Sample();
  EXPECT_FALSE(state_->open.empty());
  process_.start_ticks = 8;  // a later one of the pid
  Sample();
  EXPECT_EQ(state_->open.size(), kCpuCounterCount);
  EXPECT_EQ(state_->opened, 2 * static_cast<int>(kCpuCounterCount));
  alive_ = false;
  process_.pid = 1;
  Sample();
}

TEST_F(CpuCounterReaderTest, AProcessWithoutRoomOrRightIsLeftAlone) {
  std::vector<int32_t> tids;
  for (int32_t tid = kPid; tid < kPid + 100; ++tid) tids.push_back(tid);
  Threads(tids);
  Sample();
  EXPECT_TRUE(state_->open.empty()) << "a part of the threads would mislead";
  ASSERT_TRUE(sink_.Unavailable("cpu counters"));
  Sample();
  EXPECT_FALSE(Value(Metric::kProcessCycles));
}

TEST_F(CpuCounterReaderTest, AProcessThatSwitchesOftenIsLeftAlone) {
  Threads({kPid});
  Sample();
  process_.switches_per_s = 5000;
  Sample();
  EXPECT_TRUE(state_->open.empty());
  ASSERT_TRUE(sink_.Unavailable("cpu counters"));
  process_.switches_per_s = 5;
  Sample();
  EXPECT_TRUE(state_->open.empty()) << "for good: half a series tells nothing";
}

TEST_F(CpuCounterReaderTest, ReportsWhyCountersAreUnavailable) {
  const struct {
    int error;
    const char* paranoid;
    const char* reason;
  } kCases[] = {{ENOENT, "2", "no PMU"},
                {EOPNOTSUPP, "2", "no PMU"},
                {EACCES, "3", "perf_event_paranoid is 3: root alone"},
                {EPERM, "2", "perf_event_paranoid is 2: the kernel would allow it"},
                {ENOSYS, "2", "the kernel has no perf_event_open"}};
  for (const auto& one : kCases) {
    SCOPED_TRACE(one.reason);
    state_->refuse = [&](const auto&) { return one.error; };
    proc_.Write("sys/kernel/perf_event_paranoid", std::string(one.paranoid) + "\n");
    SetUp();
    clock_ = SampleClock();
    sink_.unavailable.clear();
    Threads({kPid});
    Sample();
    Sample();
    ASSERT_EQ(sink_.unavailable.size(), 1u);
    EXPECT_EQ(sink_.unavailable[0].source, "cpu counters");
    EXPECT_EQ(sink_.unavailable[0].reason.find(one.reason), 0u) << sink_.unavailable[0].reason;
    EXPECT_TRUE(sink_.samples.empty());
  }
}

TEST_F(CpuCounterReaderTest, CountersThatTheProcessorLacksAreLeftOut) {
  state_->refuse = [](const auto& request) {
    return request.counter == CpuCounter::kItlbMisses ? ENOENT : 0;
  };
  Threads({kPid});
  Sample();
  Set(kPid, CpuCounter::kCycles, 10, kSecondNs, kSecondNs);
  Sample();
  EXPECT_TRUE(Value(Metric::kProcessCycles));
  EXPECT_FALSE(Value(Metric::kProcessItlbMisses));
}

constexpr size_t kThreadsPages = 2000;
constexpr size_t kForkedPages = 20000;

void TouchPages(size_t pages) {
  const size_t page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  void* memory =
      ::mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) ::_exit(1);
  ::madvise(memory, pages * page, MADV_NOHUGEPAGE);
  for (size_t i = 0; i < pages; ++i) static_cast<volatile char*>(memory)[i * page] = 1;
  ::munmap(memory, pages * page);
}

// Waits for a byte, faults in a thread and in a process of its own, says so and waits again.
[[noreturn]] void FaultWhenAsked(int asked, int done) {
  char byte = 0;
  if (::read(asked, &byte, 1) != 1) ::_exit(1);
  std::thread(TouchPages, kThreadsPages).join();
  const pid_t child = ::fork();
  if (child == 0) {
    TouchPages(kForkedPages);
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  if (::write(done, &byte, 1) != 1 || ::read(asked, &byte, 1) != 1) ::_exit(1);
  ::_exit(0);
}

// With what the kernel counts itself, as machines for tests have no counters.
TEST(CpuCountersOfTheKernel, AThreadThatStartsLaterCountsAndAForkedProcessDoesNot) {
  auto source = KernelCpuCounters(CpuEvents::kSoftware);
  const int probe =
      source->Open({.counter = CpuCounter::kCycles, .tid = 0, .with_later_threads = true});
  if (probe < 0) GTEST_SKIP() << "perf_event_open is refused here: " << -probe;
  source->Close(probe);
  int asked[2], done[2];
  ASSERT_EQ(::pipe(asked), 0);
  ASSERT_EQ(::pipe(done), 0);
  const pid_t child = ::fork();
  if (child == 0) FaultWhenAsked(asked[0], done[1]);
  CpuCounterReader reader("/proc", std::move(source));
  CapturingSink sink;
  SampleClock clock;
  const JobProcess process{.pid = child, .start_ticks = 1, .threads = 1, .switches_per_s = {}};
  const std::span<const JobProcess> processes(&process, 1);
  clock.Sample(reader, sink, 2.0, processes);
  char byte = 1;
  ASSERT_EQ(::write(asked[1], &byte, 1), 1);
  ASSERT_EQ(::read(done[0], &byte, 1), 1);
  clock.Sample(reader, sink, 2.0, processes);
  const double faults = 2 * sink.Value(Metric::kProcessInstructions, -1, child).value_or(0);
  EXPECT_GE(faults, kThreadsPages);
  EXPECT_LT(faults, kForkedPages);
  EXPECT_GT(sink.Value(Metric::kProcessCycles, -1, child).value_or(0), 0);
  EXPECT_EQ(sink.Value(Metric::kProcessCountersRunningShare, -1, child), 1);
  EXPECT_EQ(::write(asked[1], &byte, 1), 1);
  ::waitpid(child, nullptr, 0);
  for (int fd : {asked[0], asked[1], done[0], done[1]}) ::close(fd);
}

}  // namespace
}  // namespace steptrace::agent
