// SPDX-License-Identifier: Apache-2.0
#include "agent/system/cgroup_reader.h"

#include <gtest/gtest.h>

#include "testing/capturing_sink.h"
#include "testing/fake_proc.h"

namespace steptrace::agent {
namespace {

using store::Metric;
using testing::CapturingSink;
using testing::FakeTree;
using testing::SampleClock;

TEST(CgroupMounts, ReadsBothVersionsAndEscapes) {
  const auto mounts = ParseCgroupMounts(
      "25 1 254:0 / / rw - ext4 /dev/vda rw\n"
      "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup "
      "rw,cpu,cpuacct\n"
      "41 31 0:38 /docker/a\\040b /sys/fs/cgroup\\134x rw - cgroup2 cgroup2 rw,nsdelegate\n"
      "42 31\n"
      "43 31 0:38 / /x rw -\n");
  ASSERT_EQ(mounts.size(), 2u);
  EXPECT_FALSE(mounts[0].v2);
  EXPECT_EQ(mounts[0].point, "/sys/fs/cgroup/cpu,cpuacct");
  EXPECT_EQ(mounts[0].controllers, (std::vector<std::string>{"rw", "cpu", "cpuacct"}));
  EXPECT_TRUE(mounts[1].v2);
  EXPECT_EQ(mounts[1].root, "/docker/a b");
  EXPECT_EQ(mounts[1].point, "/sys/fs/cgroup\\x");
}

TEST(CgroupMemberships, PathsMayHoldColons) {
  const auto memberships = ParseCgroupMemberships(
      "4:memory:/a:b\n3:cpu,cpuacct:/\n2:name=systemd:/x\n0::/y\nbad\n1:cpu\n5:pids:relative\n");
  ASSERT_EQ(memberships.size(), 4u);
  EXPECT_EQ(memberships[0].path, "/a:b");
  EXPECT_EQ(memberships[1].controllers.size(), 2u);
  EXPECT_TRUE(memberships[3].controllers.empty());
}

TEST(FindCgroup, GivesAllAncestorsInnermostFirst) {
  const std::vector<CgroupMount> mounts = {{"/", "/cg", true, {}}};
  const auto found = FindCgroup(mounts, {{{}, "/slurm/job_7/step_0"}}, "cpu");
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->v2);
  EXPECT_EQ(found->folders, (std::vector<std::string>{"/cg/slurm/job_7/step_0", "/cg/slurm/job_7",
                                                      "/cg/slurm", "/cg"}));
}

TEST(FindCgroup, AContainerSeesItsOwnPart) {
  const std::vector<CgroupMount> mounts = {{"/docker/abc", "/cg", true, {}}};
  const auto folders = [&](const char* path) {
    return FindCgroup(mounts, {{{}, path}}, "cpu")->folders;
  };
  EXPECT_EQ(folders("/docker/abc/inner"), (std::vector<std::string>{"/cg/inner", "/cg"}));
  EXPECT_EQ(folders("/docker/abc"), std::vector<std::string>{"/cg"});
  EXPECT_EQ(folders("/docker/abcdef"), std::vector<std::string>{"/cg"}) << "not the same cgroup";
  EXPECT_EQ(folders("/../../other"), std::vector<std::string>{"/cg"}) << "never above the mount";
}

TEST(FindCgroup, HybridSystemsHaveControllersInV1) {
  const std::vector<CgroupMount> mounts = {{"/", "/cg/unified", true, {}},
                                           {"/", "/cg/memory", false, {"rw", "memory"}}};
  const std::vector<CgroupMembership> memberships = {{{"memory"}, "/m"}, {{}, "/u"}};
  EXPECT_EQ(FindCgroup(mounts, memberships, "memory")->folders.front(), "/cg/memory/m");
  EXPECT_EQ(FindCgroup(mounts, memberships, "cpu")->folders.front(), "/cg/unified/u");
  EXPECT_FALSE(FindCgroup({}, memberships, "cpu"));
}

TEST(CgroupTexts, Limits) {
  EXPECT_EQ(ParseCpuMax("50000 100000\n"), 0.5);
  EXPECT_EQ(ParseCpuMax("max 100000\n"), std::nullopt);
  EXPECT_EQ(ParseCpuMax("0 0"), std::nullopt);
  EXPECT_EQ(ParseCpuMax(""), std::nullopt);
  EXPECT_EQ(CoresOfQuota("250000\n", "100000\n"), 2.5);
  EXPECT_EQ(CoresOfQuota("-1\n", "100000\n"), std::nullopt);
  EXPECT_EQ(ParseMemoryLimit("1073741824\n"), 1073741824u);
  EXPECT_EQ(ParseMemoryLimit("max\n"), std::nullopt);
  EXPECT_EQ(ParseMemoryLimit("9223372036854771712\n"), std::nullopt) << "v1's way to say none";
}

TEST(CgroupTexts, CpuStatOfBothVersions) {
  const CpuStat v1 = ParseCpuStat("nr_periods 10\nnr_throttled 4\nthrottled_time 5000\n");
  EXPECT_EQ(v1.throttled_ns, 5000u);
  EXPECT_FALSE(v1.usage_ns);
  const CpuStat v2 = ParseCpuStat("usage_usec 7\nnr_periods 1\nnr_throttled 1\nthrottled_usec 5\n");
  EXPECT_EQ(v2.throttled_ns, 5000u);
  EXPECT_EQ(v2.usage_ns, 7000u);
  EXPECT_FALSE(ParseCpuStat("usage_usec 18446744073709551615\n").usage_ns) << "does not fit in ns";
}

class CgroupReaderTest : public ::testing::Test {
 protected:
  void Sample(double seconds = 1.0) { clock_.Sample(reader_, sink_, seconds, kPid); }
  void MountV2(const std::string& membership) {
    proc_.Write("self/mountinfo",
                "41 31 0:38 / " + cg_.root() + " rw,relatime - cgroup2 cgroup2 rw\n");
    proc_.Write("42/cgroup", "0::" + membership + "\n");
  }
  static constexpr int32_t kPid = 42;
  FakeTree proc_, cg_;
  CapturingSink sink_;
  SampleClock clock_;
  CgroupReader reader_{proc_.root()};
};

TEST_F(CgroupReaderTest, OfNestedLimitsTheTightestHolds) {
  MountV2("/pod/app");
  cg_.Write("pod/app/cpu.max", "400000 100000\n");
  cg_.Write("pod/cpu.max", "150000 100000\n");
  cg_.Write("cpu.max", "max 100000\n");
  cg_.Write("pod/app/memory.max", "1000000\n");
  cg_.Write("pod/memory.max", "5000000\n");
  cg_.Write("pod/app/memory.current", "700000\n");
  cg_.Write("pod/memory.current", "900000\n");
  cg_.Write("pod/cpu.stat",
            "usage_usec 1000000\nnr_periods 100\nnr_throttled 10\nthrottled_usec 0\n");
  cg_.Write("pod/app/cpu.stat", "usage_usec 5\nnr_periods 0\nnr_throttled 0\nthrottled_usec 0\n");
  Sample();
  EXPECT_EQ(sink_.Value(Metric::kCgroupCpuLimit), 1.5);
  EXPECT_EQ(sink_.Value(Metric::kCgroupMemoryLimit), 1000000);
  EXPECT_EQ(sink_.Value(Metric::kCgroupMemory), 700000);
  EXPECT_FALSE(sink_.Has(Metric::kCgroupThrottledShare));
  cg_.Write("pod/cpu.stat",
            "usage_usec 2500000\nnr_periods 110\nnr_throttled 14\nthrottled_usec 800000\n");
  Sample();
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kCgroupCpu), 1.5) << "read where the limit is set";
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kCgroupThrottledShare), 0.4);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kCgroupThrottledPeriods), 4);
  EXPECT_DOUBLE_EQ(*sink_.Value(Metric::kCgroupThrottledCores), 0.8);
}

TEST_F(CgroupReaderTest, ATightInnerLimitHoldsUnderAWideOuterOne) {
  MountV2("/pod/app");
  cg_.Write("pod/app/cpu.max", "100000 100000\n");
  cg_.Write("pod/cpu.max", "400000 100000\n");
  cg_.Write("pod/app/memory.max", "5000000\n");
  cg_.Write("pod/memory.max", "1000000\n");
  Sample();
  EXPECT_EQ(sink_.Value(Metric::kCgroupCpuLimit), 1.0);
  EXPECT_EQ(sink_.Value(Metric::kCgroupMemoryLimit), 1000000);
}

TEST_F(CgroupReaderTest, WithoutLimitsThereIsUseAndNoThrottling) {
  MountV2("/app");
  cg_.Write("app/cpu.max", "max 100000\n");
  cg_.Write("app/memory.max", "max\n");
  cg_.Write("app/memory.current", "5\n");
  cg_.Write("app/cpu.stat", "usage_usec 0\nnr_periods 0\nnr_throttled 0\nthrottled_usec 0\n");
  Sample();
  cg_.Write("app/cpu.stat", "usage_usec 500000\nnr_periods 0\nnr_throttled 0\nthrottled_usec 0\n");
  Sample();
  EXPECT_FALSE(sink_.Has(Metric::kCgroupCpuLimit));
  EXPECT_FALSE(sink_.Has(Metric::kCgroupMemoryLimit));
  EXPECT_FALSE(sink_.Has(Metric::kCgroupThrottledShare));
  EXPECT_EQ(sink_.Value(Metric::kCgroupCpu), 0.5);
  EXPECT_EQ(sink_.Value(Metric::kCgroupMemory), 5);
}

TEST_F(CgroupReaderTest, V1HasAHierarchyForEachController) {
  proc_.Write("self/mountinfo", "1 1 0:1 / " + cg_.path("cpu") + " rw - cgroup cgroup rw,cpu\n" +
                                    "1 1 0:2 / " + cg_.path("cpuacct") +
                                    " rw - cgroup cgroup rw,cpuacct\n" + "1 1 0:3 / " +
                                    cg_.path("memory") + " rw - cgroup cgroup rw,memory\n");
  proc_.Write("42/cgroup", "3:memory:/job\n2:cpuacct:/job\n1:cpu:/job\n");
  cg_.Write("cpu/job/cpu.cfs_quota_us", "50000\n");
  cg_.Write("cpu/job/cpu.cfs_period_us", "100000\n");
  cg_.Write("cpu/cpu.cfs_quota_us", "-1\n");
  cg_.Write("cpu/cpu.cfs_period_us", "100000\n");
  cg_.Write("cpu/job/cpu.stat", "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n");
  cg_.Write("cpuacct/job/cpuacct.usage", "0\n");
  cg_.Write("memory/job/memory.limit_in_bytes", "9223372036854771712\n");
  cg_.Write("memory/job/memory.usage_in_bytes", "77\n");
  Sample();
  EXPECT_EQ(sink_.Value(Metric::kCgroupCpuLimit), 0.5);
  EXPECT_FALSE(sink_.Has(Metric::kCgroupMemoryLimit));
  EXPECT_EQ(sink_.Value(Metric::kCgroupMemory), 77);
  cg_.Write("cpu/job/cpu.stat", "nr_periods 10\nnr_throttled 10\nthrottled_time 500000000\n");
  cg_.Write("cpuacct/job/cpuacct.usage", "500000000\n");
  Sample();
  EXPECT_EQ(sink_.Value(Metric::kCgroupCpu), 0.5);
  EXPECT_EQ(sink_.Value(Metric::kCgroupThrottledShare), 1.0);
  EXPECT_EQ(sink_.Value(Metric::kCgroupThrottledCores), 0.5);
}

TEST_F(CgroupReaderTest, V1UsageOfAnotherPathIsNotTheJobs) {
  proc_.Write("self/mountinfo", "1 1 0:1 / " + cg_.path("cpu") + " rw - cgroup cgroup rw,cpu\n" +
                                    "1 1 0:2 / " + cg_.path("cpuacct") +
                                    " rw - cgroup cgroup rw,cpuacct\n");
  proc_.Write("42/cgroup", "2:cpuacct:/\n1:cpu:/job\n");
  cg_.Write("cpu/job/cpu.cfs_quota_us", "50000\n");
  cg_.Write("cpu/job/cpu.cfs_period_us", "100000\n");
  cg_.Write("cpu/job/cpu.stat", "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n");
  cg_.Write("cpuacct/cpuacct.usage", "0\n");
  Sample();
  cg_.Write("cpuacct/cpuacct.usage", "2000000000\n");
  Sample();
  EXPECT_FALSE(sink_.Has(Metric::kCgroupCpu)) << "that was the whole node's";
  EXPECT_EQ(sink_.Value(Metric::kCgroupThrottledShare), 0.0);
}

TEST_F(CgroupReaderTest, ALimitThatChangesIsSeen) {
  MountV2("/app");
  cg_.Write("app/cpu.max", "100000 100000\n");
  cg_.Write("app/cpu.stat", "usage_usec 0\nnr_periods 0\nnr_throttled 0\nthrottled_usec 0\n");
  Sample();
  cg_.Write("app/cpu.max", "200000 100000\n");
  Sample(6.0);
  EXPECT_EQ(sink_.Value(Metric::kCgroupCpuLimit), 2.0);
  proc_.Write("42/cgroup", "0::/elsewhere\n");
  Sample(6.0);
  EXPECT_FALSE(sink_.Has(Metric::kCgroupCpuLimit)) << "the process was moved";
}

TEST_F(CgroupReaderTest, TheLimitsOutliveTheProcess) {
  MountV2("/app");
  cg_.Write("app/cpu.max", "100000 100000\n");
  Sample();
  proc_.Write("42/cgroup", "");
  proc_.Remove("42");
  Sample(6.0);
  EXPECT_EQ(sink_.Value(Metric::kCgroupCpuLimit), 1.0);
  EXPECT_TRUE(sink_.unavailable.empty() || !sink_.Unavailable("cgroup"));
}

TEST_F(CgroupReaderTest, CountersThatGoBackYieldNothing) {
  MountV2("/app");
  cg_.Write("app/cpu.max", "100000 100000\n");
  cg_.Write("app/cpu.stat", "usage_usec 900\nnr_periods 9\nnr_throttled 9\nthrottled_usec 9\n");
  Sample();
  cg_.Write("app/cpu.stat", "usage_usec 1\nnr_periods 1\nnr_throttled 1\nthrottled_usec 1\n");
  Sample();
  EXPECT_FALSE(sink_.Has(Metric::kCgroupCpu));
  EXPECT_FALSE(sink_.Has(Metric::kCgroupThrottledShare));
}

TEST_F(CgroupReaderTest, NothingMountedIsToldOnce) {
  proc_.Write("42/cgroup", "0::/app\n");
  Sample();
  Sample(6.0);
  ASSERT_EQ(sink_.unavailable.size(), 1u);
  EXPECT_EQ(sink_.unavailable[0].source, "cgroup");
}

}  // namespace
}  // namespace steptrace::agent
