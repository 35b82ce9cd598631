// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks/task_states.h"

namespace steptrace::agent {

TaskStates::TaskStates(int32_t pid, const std::string& proc_root)
    : folder_(proc_root + "/" + std::to_string(pid) + "/task/") {}

std::optional<std::string_view> TaskStates::Read(std::map<int32_t, KeptFile>& files, int32_t tid,
                                                 const char* name) {
  auto file = files.find(tid);
  if (file == files.end()) {
    if (files.size() >= kMaxKept) {
      return KeptFile(folder_ + std::to_string(tid) + name).ReadOnce(buffer_);
    }
    file = files.try_emplace(tid, folder_ + std::to_string(tid) + name).first;
  }
  const auto text = file->second.Read(buffer_);
  if (!text) files.erase(file);  // the thread is gone: its place is for another
  return text;
}

std::optional<char> TaskStates::StateOf(int32_t tid) {
  const auto text = Read(states_, tid, "/stat");
  const auto stat = text ? ParseProcessStat(*text) : std::nullopt;
  return stat ? std::optional(stat->state) : std::nullopt;
}

std::optional<bool> TaskStates::Runs(int32_t tid) {
  if (tells_calls_) {
    // A call and its arguments, of one that waits.
    if (const auto text = Read(calls_, tid, "/syscall")) return text->starts_with("running");
  }
  const auto state = StateOf(tid);
  if (!state || *state == 'Z' || *state == 'X') return std::nullopt;
  tells_calls_ = false;
  return *state == 'R';
}

std::optional<SchedStat> TaskStates::SchedStatOf(int32_t tid) {
  const auto text = Read(turns_, tid, "/schedstat");
  return text ? ParseSchedStat(*text) : std::nullopt;
}

}  // namespace steptrace::agent
