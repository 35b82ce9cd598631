// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "agent/system/job_reader.h"
#include "agent/system/process.h"

namespace steptrace::agent {

// A living process of the command.
struct LeftProcess {
  enum class Kind {
    kPython,
    kStarter,  // a shell, or another program that starts the one it is given
    kOther,
  };
  int32_t pid = 0;      // as the agent sees it
  int32_t own_pid = 0;  // in its own pid namespace
  uint64_t start_ticks = 0;
  Kind kind = Kind::kOther;
  std::string comm;
};

// Finds the processes of a command that live, whoever their parent is by now. What a process was
// started with names its run (STEPTRACE_RUN): neither a double fork nor a session or a pid
// namespace of its own takes that away. One whose environment was cleared, or cannot be read, is
// found as a child of one that is found, or because it was seen in the command's tree before.
//
// What belongs to another run, started by the command, is that run's. Passive: reads files of
// `proc_root`, all processes that are younger than the command, once a call.
class LeftProcesses {
 public:
  explicit LeftProcesses(std::string run_id, std::string proc_root = kProcRoot)
      : run_id_(std::move(run_id)), proc_root_(std::move(proc_root)) {}

  // `known`: seen in the command's tree, dead or alive.
  std::vector<LeftProcess> Find(uint64_t command_start_ticks, std::span<const JobRoot> known) const;

 private:
  enum class Mark { kNone, kOurs, kOfAnother };
  struct Candidate {
    int32_t pid = 0;
    ProcessIdentity identity;
  };
  std::vector<Candidate> Younger(uint64_t command_start_ticks) const;
  Mark MarkOf(int32_t pid) const;
  LeftProcess Describe(const Candidate& candidate) const;

  std::string run_id_;
  std::string proc_root_;
};

}  // namespace steptrace::agent
