// SPDX-License-Identifier: Apache-2.0
// The sampler where the system sets limits: a CPU quota, a user who may not look. Real ones, so
// that they need root; without it the tests say that they did not run.

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "agent/system/doctor_checks.h"
#include "agent/system/system_sampler.h"
#include "base/time.h"
#include "testing/capturing_sink.h"
#include "testing/child_process.h"

namespace steptrace::agent {
namespace {

namespace fs = std::filesystem;
using store::Metric;
using testing::CapturingSink;
using testing::ChildProcess;
using testing::SleepMs;

constexpr uid_t kNobody = 65534;

bool WriteText(const fs::path& file, const std::string& text) {
  std::ofstream stream(file);
  stream << text;
  stream.close();
  return !stream.fail();
}

std::unique_ptr<SystemSampler> Follow(int32_t pid) {
  SystemSamplerOptions options;
  options.nvml_library = "";
  options.job_roots = [pid] { return std::vector<JobRoot>{{.pid = pid}}; };
  return *SystemSampler::Create(std::move(options));
}

void SampleTwice(SystemSampler& sampler, CapturingSink& sink, int ms) {
  sampler.Sample(MonotonicNowNs(), sink);
  SleepMs(ms);
  sink.Clear();
  sampler.Sample(MonotonicNowNs(), sink);
}

// A cgroup with a quota of 0.05 cores, of whichever version this machine has; gone with the object.
class QuotaGroup {
 public:
  QuotaGroup() {
    const fs::path root = "/sys/fs/cgroup";
    const std::string name = "steptrace-test-" + std::to_string(::getpid());
    if (fs::exists(root / "cpu/cpu.cfs_quota_us")) {
      Make(root / "cpu" / name);
      if (fs::exists(root / "cpuacct/cgroup.procs")) Make(root / "cpuacct" / name);
      usable_ = WriteText(root / "cpu" / name / "cpu.cfs_quota_us", "5000");
    } else {
      Make(root / name);
      usable_ = WriteText(root / name / "cpu.max", "5000 100000");
    }
  }
  ~QuotaGroup() {
    for (const fs::path& folder : folders_) ::rmdir(folder.c_str());
  }
  QuotaGroup(const QuotaGroup&) = delete;
  QuotaGroup& operator=(const QuotaGroup&) = delete;
  bool usable() const { return usable_; }
  bool Add(int32_t pid) const {
    bool added = true;
    for (const fs::path& folder : folders_) {
      added = WriteText(folder / "cgroup.procs", std::to_string(pid)) && added;
    }
    return added;
  }

 private:
  void Make(const fs::path& folder) {
    if (::mkdir(folder.c_str(), 0755) == 0) folders_.push_back(folder);
  }
  std::vector<fs::path> folders_;
  bool usable_ = false;
};

TEST(SystemLimits, AQuotaThatRunsOutShows) {
  const QuotaGroup group;
  if (!group.usable()) GTEST_SKIP() << "no cgroup with a quota can be made here";
  ChildProcess child([]() -> int {
    for (;;) ClockNowNs(CLOCK_MONOTONIC);
  });
  ASSERT_TRUE(group.Add(child.pid()));
  const auto sampler = Follow(child.pid());
  CapturingSink sink;
  SampleTwice(*sampler, sink, 1500);
  EXPECT_DOUBLE_EQ(sink.Value(Metric::kCgroupCpuLimit).value_or(-1), 0.05);
  EXPECT_NEAR(sink.Value(Metric::kCgroupCpu).value_or(-1), 0.05, 0.05);
  EXPECT_NEAR(sink.Value(Metric::kJobCpu).value_or(-1), 0.05, 0.05);
  EXPECT_GT(sink.Value(Metric::kCgroupThrottledShare).value_or(-1), 0.5);
  EXPECT_GT(sink.Value(Metric::kCgroupThrottledCores).value_or(-1), 0.1);
  EXPECT_GT(sink.Value(Metric::kCgroupThrottledPeriods).value_or(-1), 4);
  child.Kill();
}

// What a sampler of another user sees of this process: the failed expectations, as a number.
int SeenByNobody(int32_t pid) {
  if (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) return 100;
  const auto sampler = Follow(pid);
  CapturingSink sink;
  SampleTwice(*sampler, sink, 200);
  int wrong = 0;
  wrong += sink.Value(Metric::kJobProcesses) != 1.0;
  wrong += !sink.Has(Metric::kJobCpu);
  wrong += sink.Has(Metric::kJobRead);
  const MissingSource* io = sink.Unavailable("process io");
  wrong += io == nullptr || io->reason.find("ermission denied") == std::string::npos ||
           io->remedy.empty();
  return wrong;
}

TEST(SystemLimits, AnotherUsersBytesAreAbsentWithTheReason) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to become another user";
  ChildProcess observed([] {
    SleepMs(60'000);
    return 0;
  });
  ChildProcess observer([&] { return SeenByNobody(observed.pid()); });
  EXPECT_EQ(observer.Wait(), 0);
}

constexpr int kCannotMount = 77;

int SeenBehindHidePid(int32_t pid) {
  if (::unshare(CLONE_NEWNS) != 0 ||
      ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("proc", "/proc", "proc", 0, "hidepid=2") != 0) {
    return kCannotMount;
  }
  if (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) return 100;
  const auto sampler = Follow(pid);
  CapturingSink sink;
  SampleTwice(*sampler, sink, 50);
  int wrong = 0;
  wrong += !sink.Has(Metric::kMemoryTotal);
  wrong += sink.Has(Metric::kJobProcesses);
  const MissingSource* job = sink.Unavailable("job");
  wrong += job == nullptr || job->remedy.find("hidepid") == std::string::npos;
  for (const DoctorCheck& check : DoctorChecks({.nvml_library = ""})) {
    if (check.source != "processes of other users") continue;
    wrong += check.available || check.reason.find("hidepid") == std::string::npos;
  }
  return wrong;
}

TEST(SystemLimits, AHiddenProcessIsToldAsHidden) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to mount /proc anew";
  ChildProcess observed([] {
    SleepMs(60'000);
    return 0;
  });
  ChildProcess observer([&] { return SeenBehindHidePid(observed.pid()); });
  const int wrong = observer.Wait();
  if (wrong == kCannotMount) GTEST_SKIP() << "no /proc can be mounted here";
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace steptrace::agent
