// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "agent/system/metric_sink.h"

namespace steptrace::agent {

// Which cores the job's processes may run on, told where they are other than whoever has what was
// told takes them for: a process's own, or its parent's as it began. One thread.
class AllowedCoresWatch {
 public:
  // `most`: times that a process is told of.
  AllowedCoresWatch(std::string proc_root, int most)
      : proc_root_(std::move(proc_root)), most_(most) {}

  // `list`: as the process's status has it now.
  void See(int32_t pid, int32_t ppid, std::string_view list, SampleContext& context);
  void Forget(int32_t pid) { of_.erase(pid); }

 private:
  struct Of {
    int32_t ppid = 0;
    std::string read{};   // last
    std::string known{};  // to whoever has what was told
    bool reported = false;
  };

  bool ThreadsAreBound(int32_t pid, std::string_view list, std::string_view before);
  void Report(int32_t pid, const std::string& list, SampleContext& context);
  void ReportChildren(int32_t pid, SampleContext& context);

  std::string proc_root_;
  int most_;
  int reported_ = 0;
  std::map<int32_t, Of> of_;  // living processes
  std::string buffer_;
};

}  // namespace steptrace::agent
