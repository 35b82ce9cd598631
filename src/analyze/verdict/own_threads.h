// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "analyze/verdict/verdict_input.h"

namespace steptrace::analyze {

// Threads among which PyTorch splits an operator on the CPU, where a node's ranks have more of them
// than cores: they take turns, and each operator waits for the last of them. So it is in a
// container that may use few cores of a machine with many, for PyTorch starts one a core of the
// machine.
struct OwnThreads {
  int32_t threads = 1;  // of a rank
  int32_t ranks = 1;    // on the node
  double cores = 1;     // that the job may use there
  int32_t fitting = 1;  // of a rank, so that all have a core
};

// Nothing: they are not more, they wait for no core or not by their own doing, a device computes,
// or it is not known how many they are.
std::optional<OwnThreads> FindOwnThreads(const VerdictInput& input);

// What another thread of the process runs for so long that it takes the interpreter from the
// training; null: none does.
const StageFunction* ConcurrentThread(const VerdictInput& input);

}  // namespace steptrace::analyze
