// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "agent/system/kept_file.h"

namespace steptrace::agent {

// What the threads of one process do by the kernel's word: its letter in
// /proc/<pid>/task/<tid>/stat (R runs or is ready to, S and D wait). Keeps a descriptor for each
// thread that was asked for.
class TaskStates {
 public:
  static constexpr size_t kMaxKept = 64;

  TaskStates(int32_t pid, const std::string& proc_root);
  // Nothing: the process has no such thread.
  std::optional<char> StateOf(int32_t tid);

 private:
  std::string folder_;
  std::map<int32_t, KeptFile> files_;
  std::string buffer_;
};

}  // namespace steptrace::agent
