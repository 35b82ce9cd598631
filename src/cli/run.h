// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/run_options.h"

namespace steptrace::cli {

// Runs the command under observation and returns the status to exit with: the command's own; 127
// or 126 as shells do when it cannot be started; 2 when the `output` that was asked for cannot be
// made. A command that died of a signal: raises the same signal here, and returns 128 + its number
// only if that was survived.
int RunCommand(const RunOptions& options);

// Becomes the command, with nothing of ours in it. Returns only where it cannot be started, with
// the status to exit with.
int RunUntouched(const std::vector<std::string>& command);
// The same after the line that says why.
int RunUnrecorded(const std::vector<std::string>& command, const Error& why);

}  // namespace steptrace::cli
