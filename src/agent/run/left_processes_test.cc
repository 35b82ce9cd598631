// SPDX-License-Identifier: Apache-2.0
#include "agent/run/left_processes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace steptrace::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

namespace fs = std::filesystem;

struct FakeProcess {
  int32_t pid = 0;
  int32_t ppid = 1;
  uint64_t start_ticks = 100;
  std::string comm = "python3";
  std::string exe = "/usr/bin/python3.11";
  std::string run = "r1";  // empty: it has no such variable
  char state = 'S';
  std::string ns_pids{};  // empty: of our own namespace
  std::string pid_ns{};   // the name of its namespace
};

// A folder that stands in for /proc.
class FakeProc {
 public:
  FakeProc() {
    char name[] = "/tmp/steptrace-proc-XXXXXX";
    root_ = mkdtemp(name);
  }
  ~FakeProc() {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }
  FakeProc(const FakeProc&) = delete;
  FakeProc& operator=(const FakeProc&) = delete;

  std::string root() const { return root_.string(); }
  void Add(const FakeProcess& process) const {
    const fs::path folder = root_ / std::to_string(process.pid);
    fs::create_directories(folder / "ns");
    std::ofstream(folder / "stat")
        << process.pid << " (" << process.comm << ") " << process.state << " " << process.ppid
        << " 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 " << process.start_ticks << " 0 0\n";
    std::ofstream(folder / "status") << "Name:\t" << process.comm << "\nNSpid:\t" << process.pid
                                     << process.ns_pids << "\nNSpgid:\t1\n";
    std::ofstream environ(folder / "environ", std::ios::binary);
    environ << "PATH=/bin" << '\0';
    if (!process.run.empty()) environ << "STEPTRACE_RUN=" << process.run << '\0';
    environ << "STEPTRACE_RUN_DIR=/elsewhere" << '\0';
    fs::create_symlink(process.exe, folder / "exe");
    if (!process.pid_ns.empty()) {
      std::ofstream(root_ / process.pid_ns).flush();
      fs::create_symlink(root_ / process.pid_ns, folder / "ns/pid");
    }
  }
  uint32_t InodeOf(const std::string& pid_ns) const {
    struct stat info {};
    EXPECT_EQ(stat((root_ / pid_ns).c_str(), &info), 0);
    return static_cast<uint32_t>(info.st_ino);
  }
  std::vector<int32_t> Find(std::span<const JobRoot> known = {}) const {
    std::vector<int32_t> pids;
    for (const LeftProcess& one : LeftProcesses("r1", root()).Find(100, known)) {
      pids.push_back(one.pid);
    }
    return pids;
  }

 private:
  fs::path root_;
};

TEST(LeftProcesses, AProcessOfTheRunIsFoundWhoeverItsParentIs) {
  const FakeProc proc;
  proc.Add({.pid = 20});
  proc.Add({.pid = 21, .run = ""});
  proc.Add({.pid = 22, .run = "r10"});
  EXPECT_THAT(proc.Find(), ElementsAre(20));
}

TEST(LeftProcesses, WhatBeganBeforeTheCommandOrHasEndedIsNone) {
  const FakeProc proc;
  proc.Add({.pid = 20, .start_ticks = 99});
  proc.Add({.pid = 21, .state = 'Z'});
  EXPECT_THAT(proc.Find(), IsEmpty());
}

TEST(LeftProcesses, OneWithoutAnEnvironmentIsFoundByItsParentOrBecauseItWasKnown) {
  const FakeProc proc;
  proc.Add({.pid = 30, .start_ticks = 100});
  proc.Add({.pid = 12, .ppid = 30, .start_ticks = 101, .run = ""});  // pids began anew
  proc.Add({.pid = 13, .ppid = 12, .start_ticks = 102, .run = ""});
  proc.Add({.pid = 40, .start_ticks = 105, .run = ""});
  proc.Add({.pid = 41, .start_ticks = 106, .run = ""});
  const std::vector<JobRoot> known = {{40, 105}, {41, 7}};
  EXPECT_THAT(proc.Find(known), ElementsAre(30, 12, 13, 40)) << "another has the pid 41 by now";
}

TEST(LeftProcesses, ARunWithinTheRunHasItsOwn) {
  const FakeProc proc;
  proc.Add({.pid = 20, .comm = "steptrace", .exe = "/bin/steptrace"});
  proc.Add({.pid = 21, .ppid = 20, .start_ticks = 101, .run = "r2"});
  proc.Add({.pid = 22, .ppid = 21, .start_ticks = 102, .run = ""});
  EXPECT_THAT(proc.Find(), IsEmpty());
}

TEST(LeftProcesses, TellsPythonsAndStartersByTheProgramNotByTheName) {
  const FakeProc proc;
  proc.Add({.pid = 20, .comm = "VLLM::Engine"});
  proc.Add({.pid = 21, .comm = "train.sh", .exe = "/usr/bin/bash (deleted)"});
  proc.Add({.pid = 22, .comm = "sleep", .exe = "/usr/bin/sleep"});
  proc.Add({.pid = 23, .comm = "python3", .exe = "/usr/bin/python3.11 (deleted)"});
  const auto left = LeftProcesses("r1", proc.root()).Find(100, {});
  ASSERT_THAT(left, SizeIs(4));
  EXPECT_EQ(left[0].kind, LeftProcess::Kind::kPython);
  EXPECT_EQ(left[0].comm, "VLLM::Engine");
  EXPECT_EQ(left[1].kind, LeftProcess::Kind::kStarter);
  EXPECT_EQ(left[2].kind, LeftProcess::Kind::kOther);
  EXPECT_EQ(left[3].kind, LeftProcess::Kind::kPython);
}

TEST(LeftProcesses, KnowsThePidByWhichAProcessKnowsItself) {
  const FakeProc proc;
  proc.Add({.pid = 20, .ns_pids = "\t7\t1"});
  EXPECT_EQ(LeftProcesses("r1", proc.root()).Find(100, {}).at(0).own_pid, 1);
}

TEST(FindOuterPid, FindsAProcessByWhatItKnowsOfItself) {
  const FakeProc proc;
  proc.Add({.pid = 20, .ns_pids = "\t1", .pid_ns = "first"});
  proc.Add({.pid = 21, .ns_pids = "\t1", .pid_ns = "second"});
  proc.Add({.pid = 22, .ns_pids = "\t2", .pid_ns = "second"});
  const uint32_t second = proc.InodeOf("second");
  EXPECT_EQ(FindOuterPid({second, 1, 100}, proc.root()), 21);
  EXPECT_EQ(FindOuterPid({second, 2, 100}, proc.root()), 22);
  EXPECT_EQ(FindOuterPid({second, 1, 99}, proc.root()), std::nullopt) << "another, before it";
  EXPECT_EQ(FindOuterPid({second + 4711, 1, 100}, proc.root()), std::nullopt);
  EXPECT_EQ(FindOuterPid({0, 1, 100}, proc.root()), std::nullopt) << "it did not say of which";
}

}  // namespace
}  // namespace steptrace::agent
