// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

namespace steptrace::cli {
namespace {

namespace fs = std::filesystem;

// A machine of files, with what a test puts into it.
class Machine {
 public:
  Machine() : root_(fs::path(::testing::TempDir()) / ("doctor" + std::to_string(getpid()))) {
    fs::create_directories(root_ / "dev/shm");
    fs::create_directories(root_ / "sys");
  }
  ~Machine() { fs::remove_all(root_); }
  Machine& With(const fs::path& file, const std::string& text) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
    return *this;
  }
  HealthCheck Find(const std::string& subject, const fs::path& shm = {}) const {
    auto findings = Examine(root_, shm);
    auto found = std::find_if(findings.begin(), findings.end(),
                              [&](const HealthCheck& f) { return f.subject == subject; });
    EXPECT_NE(found, findings.end()) << subject;
    return found == findings.end() ? HealthCheck{} : *found;
  }

 private:
  fs::path root_;
};

TEST(Doctor, AnInvariantTscNeedsBothFlags) {
  Machine machine;
  machine.With("proc/cpuinfo", "flags : fpu constant_tsc\n");
  EXPECT_EQ(machine.Find("clock").health, Health::kLimited);
  machine.With("proc/cpuinfo", "flags : fpu constant_tsc nonstop_tsc\n");
  EXPECT_EQ(machine.Find("clock").health, Health::kOk);
}

TEST(Doctor, WaitsForACoreNeedSchedstat) {
  Machine machine;
  EXPECT_EQ(machine.Find("waits for a core").health, Health::kMissing);
  machine.With("proc/self/schedstat", "1 2 3\n");
  EXPECT_EQ(machine.Find("waits for a core").health, Health::kOk);
}

TEST(Doctor, DevicePhasesNeedADriverAndTheirWord) {
  unsetenv("STEPTRACE_HOOKS");
  Machine machine;
  EXPECT_EQ(machine.Find("device phases").health, Health::kMissing);
  machine.With("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 550.54\n");
  EXPECT_EQ(machine.Find("device phases").health, Health::kOk);
  setenv("STEPTRACE_HOOKS", "data,backward", 1);
  EXPECT_EQ(machine.Find("device phases").health, Health::kMissing);
  setenv("STEPTRACE_HOOKS", "data,device", 1);
  EXPECT_EQ(machine.Find("device phases").health, Health::kOk);
  unsetenv("STEPTRACE_HOOKS");
}

TEST(Doctor, KernelsNeedADriver) {
  Machine machine;
  EXPECT_EQ(machine.Find("kernels (CUPTI)").health, Health::kMissing);
  machine.With("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 550.54\n");
  EXPECT_EQ(machine.Find("kernels (CUPTI)").health, Health::kOk);
}

TEST(Doctor, StacksNeedTheRightsOfADebugger) {
  Machine machine;
  const HealthCheck free = machine.Find("Python stacks");
  EXPECT_NE(free.detail, "");
  if (free.health != Health::kOk) GTEST_SKIP() << "not even of a child: " << free.detail;
  machine.With("proc/sys/kernel/yama/ptrace_scope", "1\n");
  EXPECT_EQ(machine.Find("Python stacks").health, Health::kOk) << "the hooks name the agent";
  machine.With("proc/sys/kernel/yama/ptrace_scope", "3\n");
  EXPECT_EQ(machine.Find("Python stacks").health, Health::kMissing);
  EXPECT_NE(machine.Find("Python stacks").next_step.find("ptrace_scope"), std::string::npos);
}

TEST(Doctor, MissingFeatureComesWithItsRemedy) {
  for (const HealthCheck& one : Examine("/", {})) {
    EXPECT_NE(one.detail, "") << one.subject;
    if (one.subject == "gpu") continue;  // a machine without one has nothing to fix
    const bool reported = one.health == Health::kOk || one.next_step != "" ||
                          one.detail.find(';') != std::string::npos;  // in the reason itself
    EXPECT_TRUE(reported) << one.subject << ": " << one.detail;
  }
  Machine machine;
  setenv("INTEL_LIBITTNOTIFY64", "/opt/vtune.so", 1);
  EXPECT_EQ(machine.Find("operators (ITT)").health, Health::kMissing);
  EXPECT_NE(machine.Find("operators (ITT)").next_step.find("INTEL_LIBITTNOTIFY64"),
            std::string::npos);
  unsetenv("INTEL_LIBITTNOTIFY64");
  EXPECT_EQ(machine.Find("profiles (Kineto)").health, Health::kOk);
}

TEST(Doctor, SharedMemoryThatIsAbsentIsNamedWithARemedy) {
  HealthCheck finding = Machine().Find("shared memory", "/nowhere/shm");
  EXPECT_EQ(finding.health, Health::kLimited);
  EXPECT_NE(finding.detail.find("/nowhere/shm"), std::string::npos);
  EXPECT_NE(finding.next_step.find("--shm"), std::string::npos);
}

TEST(Doctor, ACollectorOfAnotherToolsIsNamed) {
  Machine machine;
  unsetenv("NCCL_PROFILER_PLUGIN");
  EXPECT_EQ(machine.Find("NCCL collectives").health, Health::kOk);
  setenv("NCCL_PROFILER_PLUGIN", "/opt/theirs.so", 1);
  const HealthCheck theirs = machine.Find("NCCL collectives");
  EXPECT_EQ(theirs.health, Health::kMissing);
  EXPECT_NE(theirs.detail.find("/opt/theirs.so"), std::string::npos);
  EXPECT_NE(theirs.next_step.find("unset NCCL_PROFILER_PLUGIN"), std::string::npos);
  setenv("STEPTRACE_PROBE", "/opt/theirs.so", 1);
  EXPECT_EQ(machine.Find("NCCL collectives").health, Health::kOk);
  unsetenv("STEPTRACE_PROBE");
  unsetenv("NCCL_PROFILER_PLUGIN");
}

}  // namespace
}  // namespace steptrace::cli
