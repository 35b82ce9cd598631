// SPDX-License-Identifier: Apache-2.0
#include "agent/system/process_handle.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/system/process.h"

namespace steptrace::agent {

ProcessHandle::ProcessHandle(int32_t pid, uint64_t start_time_ticks)
    : pid_(pid), start_time_ticks_(start_time_ticks) {
  pidfd_ = UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  auto stat = ReadProcessIdentity(pid);
  if (start_time_ticks_ == 0 && stat) start_time_ticks_ = stat->start_time_ticks;
  gone_ = !IsAlive(pid, start_time_ticks_);
}

bool ProcessHandle::Alive() {
  if (gone_) return false;
  if (pidfd_.valid()) {
    pollfd exited{pidfd_.get(), POLLIN, 0};
    gone_ = poll(&exited, 1, 0) > 0;
  } else {
    gone_ = !IsAlive(pid_, start_time_ticks_);
  }
  if (gone_) pidfd_.reset();
  return !gone_;
}

}  // namespace steptrace::agent
