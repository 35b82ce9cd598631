// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/unique_fd.h"

namespace steptrace::agent {

// A process by pid and start time, so that its end is seen even if another takes the pid. Where the
// kernel has pidfds asking costs no look into /proc.
class ProcessHandle {
 public:
  ProcessHandle() = default;
  // `start_time_ticks` 0: whichever process has the pid now.
  ProcessHandle(int32_t pid, uint64_t start_time_ticks);

  // A zombie counts as gone: it will not write again.
  bool Alive();

 private:
  int32_t pid_ = 0;
  uint64_t start_time_ticks_ = 0;
  UniqueFd pidfd_;
  bool gone_ = true;
};

}  // namespace steptrace::agent
