// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks/task_states.h"

#include "agent/system/process_text.h"

namespace steptrace::agent {

TaskStates::TaskStates(int32_t pid, const std::string& proc_root)
    : folder_(proc_root + "/" + std::to_string(pid) + "/task/") {}

std::optional<char> TaskStates::StateOf(int32_t tid) {
  if (files_.size() >= kMaxKept && files_.count(tid) == 0) files_.clear();
  auto [file, added] = files_.try_emplace(tid);
  if (added) file->second = KeptFile(folder_ + std::to_string(tid) + "/stat");
  const auto text = file->second.Read(buffer_);
  const auto stat = text ? ParseProcessStat(*text) : std::nullopt;
  if (!stat) {
    files_.erase(file);
    return std::nullopt;
  }
  return stat->state;
}

}  // namespace steptrace::agent
