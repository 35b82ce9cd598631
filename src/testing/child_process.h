// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <functional>

namespace steptrace::testing {

inline void SleepMs(int ms) {
  ::poll(nullptr, 0, ms);
}

// A child process that runs `work`, exits with what it returns, and ends with this object at the
// latest.
class ChildProcess {
 public:
  explicit ChildProcess(const std::function<int()>& work) : pid_(::fork()) {
    if (pid_ < 0) std::abort();
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::_exit(work());
  }
  ~ChildProcess() { Kill(); }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  int32_t pid() const { return pid_; }
  void Kill() {
    if (pid_ <= 0) return;  // kill(-1) would mean every process there is
    ::kill(pid_, SIGKILL);
    Wait();
  }
  // Waits for its end; the status that it exited with, -1 when it died of a signal.
  int Wait() {
    if (pid_ <= 0) return -1;
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t pid_;
};

}  // namespace steptrace::testing
