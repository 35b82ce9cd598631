// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "agent/run/left_watch.h"
#include "agent/system/process.h"
#include "agent/system/process_handle.h"

namespace steptrace::agent {

// The command of a run, once the launcher has told its pid.
class Command {
 public:
  void Began(int32_t pid) {
    pid_ = pid;
    handle_ = ProcessHandle(pid, 0);
    const auto stat = ReadProcessIdentity(pid);
    start_ticks_ = stat ? stat->start_time_ticks : 0;
  }

  bool has_begun() const { return pid_ > 0; }
  int32_t pid() const { return pid_; }
  bool Alive() { return handle_.Alive(); }
  JobRoot root() const { return {pid_, start_ticks_}; }
  // As LeftWatch has it.
  uint64_t start_ticks() const { return has_begun() ? start_ticks_ : kNoCommand; }

 private:
  int32_t pid_ = 0;
  uint64_t start_ticks_ = 0;
  ProcessHandle handle_;
};

}  // namespace steptrace::agent
