// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

// The environment of the recorded command: the caller's, with STEPTRACE_* and a prefix of
// PYTHONPATH, and those of KINETO_* by which PyTorch's profiler asks the agent. Nothing else
// changes.
namespace steptrace::cli {

struct RunEnvironment {
  std::string run_id;
  std::filesystem::path run_dir;
  std::filesystem::path ring_dir;
  std::filesystem::path package_dir;   // empty: no package found, so no hooks
  std::string hooks;                   // empty: as the caller's environment says
  std::filesystem::path kineto_dir{};  // of the socket that Kineto asks; empty: it asks none
  pid_t agent_pid = -1;                // whom the probe lets read its process; -1: nobody
  std::string tensors{};               // which are looked at; empty: none
};

// The first variable by which the caller gives Kineto a daemon of his own; empty: none.
std::string OwnKinetoDaemon(const std::vector<std::string>& own);

// "NAME=value" entries, as for execve.
std::vector<std::string> EnvironmentForCommand(const std::vector<std::string>& own,
                                               const RunEnvironment& run);

// This process's environment.
std::vector<std::string> OwnEnvironment();

}  // namespace steptrace::cli
