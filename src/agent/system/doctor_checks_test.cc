// SPDX-License-Identifier: Apache-2.0
#include "agent/system/doctor_checks.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "testing/fake_proc.h"

namespace steptrace::agent {
namespace {

using testing::FakeTree;

const DoctorCheck* Find(const std::vector<DoctorCheck>& checks, const std::string& source) {
  for (const DoctorCheck& check : checks) {
    if (check.source == source) return &check;
  }
  return nullptr;
}

TEST(DoctorChecks, ThisMachineHasTheBasics) {
  const auto checks = DoctorChecks({.nvml_library = "libno-such-nvml.so.1"});
  for (const char* source : {"cpu", "memory", "job"}) {
    ASSERT_TRUE(Find(checks, source)) << source;
    EXPECT_TRUE(Find(checks, source)->available) << source << ": " << Find(checks, source)->reason;
  }
  ASSERT_TRUE(Find(checks, "gpu"));
  EXPECT_FALSE(Find(checks, "gpu")->available);
  EXPECT_FALSE(Find(checks, "gpu")->reason.empty());
}

TEST(DoctorChecks, WhatIsMissingHasAReasonAndMostlyARemedy) {
  FakeTree proc, sys;
  const auto checks = DoctorChecks(
      {.proc_root = proc.root(), .sys_root = sys.root(), .nvml_library = "libno-such-nvml.so.1"});
  for (const char* source : {"cpu", "memory", "psi", "disk", "network", "cgroup"}) {
    const DoctorCheck* check = Find(checks, source);
    ASSERT_TRUE(check) << source;
    EXPECT_FALSE(check->available) << source;
    EXPECT_FALSE(check->reason.empty()) << source;
    EXPECT_FALSE(check->remedy.empty()) << source;
  }
}

TEST(DoctorChecks, GpusAreNamedWithWhatTheyLack) {
  FakeTree tree;
  tree.Write("state", "devices 1\n0.name NVIDIA H200\n0.utilization 1 1\n");
  ::setenv("STEPTRACE_FAKE_NVML", tree.path("state").c_str(), 1);
  const auto checks = DoctorChecks({.nvml_library = FAKE_NVML_PATH});
  ::unsetenv("STEPTRACE_FAKE_NVML");
  ASSERT_TRUE(Find(checks, "gpu 0"));
  EXPECT_TRUE(Find(checks, "gpu 0")->available);
  EXPECT_EQ(Find(checks, "gpu 0")->reason, "NVIDIA H200");
  ASSERT_TRUE(Find(checks, "gpu 0 power"));
  EXPECT_FALSE(Find(checks, "gpu 0 power")->available);
  ASSERT_TRUE(Find(checks, "gpu 0 GPM"));
  EXPECT_FALSE(Find(checks, "gpu 0 GPM")->available);
}

TEST(DoctorChecks, GpmIsThereFromHopperOn) {
  FakeTree tree;
  tree.Write("state", "devices 1\n0.name NVIDIA H100\n0.gpm yes\n0.gpm.2 1\n");
  ::setenv("STEPTRACE_FAKE_NVML", tree.path("state").c_str(), 1);
  const auto checks = DoctorChecks({.nvml_library = FAKE_NVML_PATH});
  ::unsetenv("STEPTRACE_FAKE_NVML");
  ASSERT_TRUE(Find(checks, "gpu 0 GPM"));
  EXPECT_TRUE(Find(checks, "gpu 0 GPM")->available);
}

TEST(DoctorChecks, CpuCountersAreThereOrHaveAReason) {
  const auto checks = DoctorChecks({.nvml_library = ""});
  ASSERT_TRUE(Find(checks, "cpu counters"));
  EXPECT_FALSE(Find(checks, "cpu counters")->reason.empty());
}

TEST(DoctorChecks, LimitIsReportedWithItsSize) {
  FakeTree proc, cg;
  proc.Write("self/mountinfo", "41 31 0:38 / " + cg.root() + " rw - cgroup2 cgroup2 rw\n");
  proc.Write("self/cgroup", "0::/app\n");
  cg.Write("app/cpu.max", "150000 100000\n");
  cg.Write("app/memory.max", "2147483648\n");
  const auto checks = DoctorChecks({.proc_root = proc.root(), .nvml_library = ""});
  ASSERT_TRUE(Find(checks, "cgroup"));
  EXPECT_TRUE(Find(checks, "cgroup")->available);
  EXPECT_EQ(Find(checks, "cgroup")->reason, "CPU limit 1.5 cores, memory limit 2 GiB");
}

}  // namespace
}  // namespace steptrace::agent
