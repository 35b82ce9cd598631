// SPDX-License-Identifier: Apache-2.0
// The sampler on the real /proc, with children that do a known amount of each thing.
#include "agent/system/system_sampler.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>
#include <utility>

#include "agent/system/self_reader.h"
#include "base/time.h"
#include "testing/capturing_sink.h"
#include "testing/child_process.h"
#include "testing/fake_proc.h"

namespace steptrace::agent {
namespace {

using store::Metric;
using testing::CapturingSink;
using testing::ChildProcess;
using testing::SleepMs;

// The thread sanitizer keeps a thread of its own in every process.
#ifdef __SANITIZE_THREAD__
constexpr int kOwnThreads = 2;
#else
constexpr int kOwnThreads = 1;
#endif

int Burn() {
  for (;;) ClockNowNs(CLOCK_MONOTONIC);
}

void BurnCpuMs(int64_t ms) {
  while (ClockNowNs(CLOCK_THREAD_CPUTIME_ID) < ms * kNsPerMs) {
  }
}

// Closed until the test has taken its first sample: a busy machine outlasts any sleep.
class Gate {
 public:
  Gate() {
    if (::pipe(ends_) != 0) std::abort();
  }
  ~Gate() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  void Open() { EXPECT_EQ(::write(ends_[1], "", 1), 1); }
  void Pass() {
    char byte;
    while (::read(ends_[0], &byte, 1) != 1) {
    }
  }

 private:
  int ends_[2];
};

class SystemSamplerTest : public ::testing::Test {
 protected:
  void Follow(int32_t pid) {
    SystemSamplerOptions options;
    options.nvml_library = "";
    options.job_roots = [pid] { return std::vector<JobRoot>{{.pid = pid}}; };
    auto created = SystemSampler::Create(std::move(options));
    ASSERT_TRUE(created.ok()) << created.error().text();
    sampler_ = *std::move(created);
  }
  // Returns the seconds since the sample before.
  double Sample() {
    const int64_t now_ns = MonotonicNowNs();
    const int64_t before_ns = std::exchange(last_ns_, now_ns);
    sink_.Clear();
    sampler_->Sample(now_ns, sink_);
    return static_cast<double>(now_ns - before_ns) / kNsPerSecond;
  }
  double Value(Metric metric, int32_t pid = 0) const {
    return sink_.Value(metric, -1, pid).value_or(-1);
  }

  std::unique_ptr<SystemSampler> sampler_;
  CapturingSink sink_;
  int64_t last_ns_ = 0;
};

TEST_F(SystemSamplerTest, IntervalHasBounds) {
  SystemSamplerOptions options;
  options.interval_ns = 99'000'000;
  EXPECT_FALSE(SystemSampler::Create(options).ok());
  options.interval_ns = 60'000'000'001;
  EXPECT_FALSE(SystemSampler::Create(options).ok());
  options.interval_ns = 100'000'000;
  EXPECT_TRUE(SystemSampler::Create(options).ok());
}

TEST_F(SystemSamplerTest, FirstSampleHasNoRates) {
  Follow(::getpid());
  Sample();
  for (const MetricSample& sample : sink_.samples) {
    const store::MetricInfo& info = store::InfoOf(sample.metric);
    EXPECT_TRUE(info.unit == store::MetricUnit::kBytes || info.unit == store::MetricUnit::kCount ||
                sample.metric == Metric::kCgroupCpuLimit)
        << info.name;
  }
  EXPECT_GT(Value(Metric::kMemoryTotal), 0);
  EXPECT_GT(Value(Metric::kAgentRss), 0);
  EXPECT_EQ(Value(Metric::kJobProcesses), 1);
}

TEST_F(SystemSamplerTest, NodeSharesAddUp) {
  Follow(::getpid());
  Sample();
  SleepMs(300);
  Sample();
  const double busy = Value(Metric::kCpuBusyShare);
  EXPECT_GE(busy, 0);
  EXPECT_LE(busy, 1);
  EXPECT_NEAR(
      busy,
      Value(Metric::kCpuUserShare) + Value(Metric::kCpuSystemShare) + Value(Metric::kCpuStealShare),
      1e-9);
  double of_cores = 0;
  int cores = 0;
  for (const MetricSample& sample : sink_.samples) {
    if (sample.metric != Metric::kCoreBusyShare) continue;
    of_cores += sample.value;
    ++cores;
  }
  EXPECT_EQ(cores, static_cast<int>(std::thread::hardware_concurrency()));
  EXPECT_NEAR(of_cores / cores, busy, 0.1);
}

// A busy machine may give the child less than a core: what it got and what it waited for are one
// core together.
TEST_F(SystemSamplerTest, AProcessThatBurnsACoreShowsIt) {
  ChildProcess child(Burn);
  Follow(child.pid());
  SleepMs(20);
  Sample();  // looks at all processes
  SleepMs(20);
  Sample();  // from here on it is read at once
  SleepMs(3000);
  Sample();
  const double cpu = Value(Metric::kProcessCpu, child.pid());
  const double delay = Value(Metric::kProcessRunDelay, child.pid());
  EXPECT_GT(cpu, 0.1);
  EXPECT_NEAR(cpu + delay, 1.0, 0.1) << "cpu " << cpu << " delay " << delay;
  EXPECT_DOUBLE_EQ(Value(Metric::kJobCpu), cpu);
  EXPECT_EQ(Value(Metric::kJobThreads), kOwnThreads);
}

TEST_F(SystemSamplerTest, GrandchildrenAndThreadsAreFollowed) {
  Gate gate;
  ChildProcess child([&gate] {
    gate.Pass();
    if (::fork() == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      std::thread second([] { SleepMs(60'000); });
      for (;;) SleepMs(50);  // its switches grow, whenever it is found
    }
    SleepMs(60'000);
    return 0;
  });
  Follow(child.pid());
  Sample();
  EXPECT_EQ(Value(Metric::kJobProcesses), 1);
  gate.Open();
  // Where others start hundreds of processes between two samples, the next look at all of them
  // finds it: a minute later at most (process_finder.h).
  for (int i = 0; i < 300 && Value(Metric::kJobProcesses) < 2; ++i) {
    SleepMs(250);
    Sample();
  }
  SleepMs(2100);  // switches are read every 2 s
  Sample();
  EXPECT_EQ(Value(Metric::kJobProcesses), 2);
  EXPECT_GE(Value(Metric::kJobThreads), 2 * kOwnThreads + 1);
  EXPECT_GT(Value(Metric::kJobVoluntarySwitches), 0);
}

TEST_F(SystemSamplerTest, CpuOfChildrenThatCameAndWentIsNotLost) {
  constexpr int kChildren = 6;
  constexpr int64_t kBurnMs = 60;
  Gate gate;
  ChildProcess child([&gate] {
    gate.Pass();
    for (int i = 0; i < kChildren; ++i) {
      const pid_t pid = ::fork();
      if (pid == 0) {
        BurnCpuMs(kBurnMs);
        ::_exit(0);
      }
      ::waitpid(pid, nullptr, 0);
    }
    SleepMs(60'000);
    return 0;
  });
  Follow(child.pid());
  Sample();
  gate.Open();
  double cpu_s = 0;
  // Samples at awkward moments: children are seen young, old, dead and not at all.
  for (int i = 0; i < 600 && cpu_s < 0.9 * kChildren * kBurnMs / 1000; ++i) {
    SleepMs(47);
    const double seconds = Sample();
    cpu_s += Value(Metric::kJobCpu) * seconds;
  }
  SleepMs(100);
  const double seconds = Sample();
  cpu_s += Value(Metric::kJobCpu) * seconds;
  constexpr double kBurnedS = kChildren * kBurnMs / 1000.0;
  // Each child may round by a tick of 10 ms; a fork costs some too.
  EXPECT_NEAR(cpu_s, kBurnedS, 0.1) << "burned " << kBurnedS;
}

TEST_F(SystemSamplerTest, BytesWrittenAndReadShow) {
  if (::access("/proc/self/io", R_OK) != 0) GTEST_SKIP() << "the kernel keeps no I/O accounts";
  std::string name = (std::filesystem::path(::testing::TempDir()) / "bytes-XXXXXX").string();
  const int fd = ::mkstemp(name.data());
  ASSERT_GE(fd, 0);
  constexpr size_t kBytes = 4 << 20;
  Gate gate;
  ChildProcess child([&] {
    gate.Pass();
    const std::string block(kBytes, 'x');
    [[maybe_unused]] const ssize_t written = ::write(fd, block.data(), block.size());
    ::fsync(fd);
    SleepMs(60'000);
    return 0;
  });
  Follow(child.pid());
  Sample();
  gate.Open();
  const int64_t begin_ns = MonotonicNowNs();
  double written_bytes = 0;
  while (written_bytes < kBytes * 0.95 && MonotonicNowNs() - begin_ns < 20 * kNsPerSecond) {
    SleepMs(200);
    const double seconds = Sample();
    written_bytes += Value(Metric::kProcessWrite, child.pid()) * seconds;
  }
  ::close(fd);
  ::unlink(name.c_str());
  if (written_bytes == 0) GTEST_SKIP() << name << " lies in memory: writes reach no storage";
  EXPECT_NEAR(written_bytes, kBytes, kBytes * 0.05);
}

TEST_F(SystemSamplerTest, ReadsThatAParentInheritsAreCountedOnce) {
  if (::access("/proc/self/io", R_OK) != 0) GTEST_SKIP() << "the kernel keeps no I/O accounts";
  std::string name = (std::filesystem::path(::testing::TempDir()) / "bytes-XXXXXX").string();
  const int fd = ::mkstemp(name.data());
  ASSERT_GE(fd, 0);
  constexpr size_t kBytes = 4 << 20;
  Gate gate;
  ChildProcess child([&] {
    const pid_t writer = ::fork();
    if (writer == 0) {
      gate.Pass();
      const std::string block(kBytes, 'x');
      [[maybe_unused]] const ssize_t written = ::write(fd, block.data(), block.size());
      SleepMs(400);
      ::_exit(0);
    }
    ::waitpid(writer, nullptr, 0);
    SleepMs(60'000);
    return 0;
  });
  SleepMs(50);
  Follow(child.pid());
  Sample();
  gate.Open();
  double written_bytes = 0;
  for (int i = 0; i < 100 && (i < 10 || Value(Metric::kJobProcesses) != 1); ++i) {
    SleepMs(110);
    const double seconds = Sample();
    written_bytes += Value(Metric::kJobWrite) * seconds;
  }
  EXPECT_EQ(Value(Metric::kJobProcesses), 1) << "the writer is gone and was waited for";
  ::close(fd);
  ::unlink(name.c_str());
  if (written_bytes == 0) GTEST_SKIP() << name << " lies in memory: writes reach no storage";
  EXPECT_NEAR(written_bytes, kBytes, kBytes * 0.05);
}

TEST_F(SystemSamplerTest, AJobThatEndedEndsItsMetrics) {
  ChildProcess child([] {
    SleepMs(60'000);
    return 0;
  });
  Follow(child.pid());
  Sample();
  EXPECT_EQ(Value(Metric::kJobProcesses), 1);
  const int32_t pid = child.pid();
  child.Kill();
  SleepMs(100);
  Sample();
  EXPECT_EQ(Value(Metric::kJobProcesses), 0);
  EXPECT_FALSE(sink_.Has(Metric::kProcessRss, -1, pid));
  EXPECT_EQ(sink_.Unavailable("job"), nullptr) << "an end is no lack";
}

TEST_F(SystemSamplerTest, ClockThatStandsOrGoesBackYieldsNoRates) {
  Follow(::getpid());
  sampler_->Sample(2 * kNsPerSecond, sink_);
  for (int64_t now_ns : {2 * kNsPerSecond, kNsPerSecond}) {
    sink_.Clear();
    sampler_->Sample(now_ns, sink_);
    EXPECT_FALSE(sink_.Has(Metric::kJobCpu));
    EXPECT_FALSE(sink_.Has(Metric::kDiskRead));
    EXPECT_FALSE(sink_.Has(Metric::kAgentCpu));
  }
}

TEST_F(SystemSamplerTest, NoProcAtAllIsManyReasonsAndNoError) {
  testing::FakeTree empty;
  SystemSamplerOptions options;
  options.proc_root = empty.root();
  options.sys_root = empty.root();
  options.nvml_library = "libno-such-nvml.so.1";
  options.job_roots = [] { return std::vector<JobRoot>{{.pid = 1}}; };
  auto sampler = *SystemSampler::Create(std::move(options));
  for (int i = 1; i < 5; ++i) sampler->Sample(i * kNsPerSecond, sink_);
  for (const char* source : {"cpu", "memory", "psi", "disk", "network", "cgroup", "gpu"}) {
    EXPECT_TRUE(sink_.Unavailable(source)) << source;
  }
  for (const MetricSample& sample : sink_.samples) {
    EXPECT_EQ(sample.metric, Metric::kAgentCpu) << store::InfoOf(sample.metric).name;
  }
}

TEST_F(SystemSamplerTest, OwnCostCanBeLeftToTheOwner) {
  SystemSamplerOptions options;
  options.nvml_library = "";
  options.own_cost = false;
  auto sampler = *SystemSampler::Create(std::move(options));
  for (int i = 1; i < 3; ++i) sampler->Sample(i * kNsPerSecond, sink_);
  EXPECT_FALSE(sink_.Has(Metric::kAgentRss));
  EXPECT_FALSE(sink_.Has(Metric::kAgentCpu));
  const SelfUsage self = SelfReader("/proc").Read();
  EXPECT_GT(self.cpu_ns, 0);
  EXPECT_GT(self.rss_bytes, 1 << 20);
}

}  // namespace
}  // namespace steptrace::agent
