// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "agent/system/kept_file.h"
#include "agent/system/process_text.h"

namespace steptrace::agent {

// What the threads of one process do by the kernel's word. Keeps descriptors for the threads that
// are asked for, up to a number. One thread.
class TaskStates {
 public:
  static constexpr size_t kMaxKept = 16;  // threads of a process

  TaskStates(int32_t pid, const std::string& proc_root);
  // The letter in /proc/<pid>/task/<tid>/stat: R runs or is ready to, S and D wait. Nothing: the
  // process has no such thread.
  std::optional<char> StateOf(int32_t tid);
  // Whether it runs or is ready to, for a third of what StateOf costs: it reads no more than
  // /proc/<pid>/task/<tid>/syscall, which takes the rights that reading memory takes. Nothing: the
  // thread is gone.
  std::optional<bool> Runs(int32_t tid);
  // How long and how often it has had a core: does not change while it has none. Nothing: the
  // kernel does not tell. Costs half of StateOf.
  std::optional<SchedStat> SchedStatOf(int32_t tid);

 private:
  std::optional<std::string_view> Read(std::map<int32_t, KeptFile>& files, int32_t tid,
                                       const char* name);

  std::string folder_;
  std::map<int32_t, KeptFile> states_;
  std::map<int32_t, KeptFile> turns_;
  std::map<int32_t, KeptFile> calls_;
  bool tells_calls_ = true;  // until a kernel does not, or not to us
  std::string buffer_;
};

}  // namespace steptrace::agent
