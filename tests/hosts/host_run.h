// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace steptrace::hosts {

struct HostResult {
  int status = 0;      // exit status, or 128 + the signal that ended it
  std::string output;  // stdout and stderr
};

// A host program at work, with the probe named in its environment. Killed when it outlives its
// owner or 60 s.
class HostRun {
 public:
  explicit HostRun(const std::vector<std::string>& arguments);
  ~HostRun();
  HostRun(const HostRun&) = delete;
  HostRun& operator=(const HostRun&) = delete;

  // Another probe for the hosts to come; null: the one that was built.
  static void UseProbe(const char* path);

  pid_t pid() const { return pid_; }
  // Calls `meanwhile` about every ms until the program has ended.
  HostResult Wait(const std::function<void()>& meanwhile = [] {});

 private:
  bool Ended();
  void ReadOutput();

  pid_t pid_ = -1;
  int output_fd_ = -1;
  HostResult result_;
};

HostResult RunHost(const std::vector<std::string>& arguments);

}  // namespace steptrace::hosts
