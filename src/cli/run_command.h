// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/run_signals.h"

// The recorded command as a child of the launcher, in its process group and session.
namespace steptrace::cli {

inline constexpr int kExitNotExecutable = 126;
inline constexpr int kExitNotFound = 127;

// Why a command cannot be started, with the status that shells give.
struct StartFailure {
  int exit_status = kExitNotFound;
  Error error;
  bool before_exec = false;  // for want of a descriptor or a process: it was not even tried
};

// Looks the program up as exec will do it; 0 in exit_status: found.
StartFailure CheckProgram(const std::string& program);
StartFailure DescribeExecError(const std::string& program, int error_number);

struct StartedCommand {
  pid_t pid = -1;
  StartFailure failure;  // when pid is -1
};

// Starts it with stdin, stdout, stderr, signals and limits as the launcher was given them.
StartedCommand StartCommand(const std::vector<std::string>& command,
                            const std::vector<std::string>& environment, RunSignals& signals);

// Becomes the command: returns only on failure.
StartFailure ExecCommand(const std::vector<std::string>& command,
                         const std::vector<std::string>& environment);

}  // namespace steptrace::cli
