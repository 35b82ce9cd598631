// SPDX-License-Identifier: Apache-2.0
#include "agent/system/allowed_cores_watch.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "agent/system/kept_file.h"
#include "agent/system/process_text.h"
#include "base/core_list.h"

namespace steptrace::agent {

// Whether threads of the process have cores that its main one has not, and lack some that it has,
// as OpenMP gives each its own (OMP_PROC_BIND): then no list says where the process may run.
// Threads from before the main one narrowed its own (os.sched_setaffinity, `taskset -p`) may run
// where it may, and elsewhere: it and what it starts may not.
bool AllowedCoresWatch::ThreadsAreBound(int32_t pid, std::string_view list,
                                        std::string_view before) {
  constexpr int kMostThreads = 16;
  const std::set<int32_t> own = ReadCoreList(list);
  std::error_code error;
  std::filesystem::directory_iterator thread(proc_root_ + "/" + std::to_string(pid) + "/task",
                                             error);
  for (int i = 0; !error && thread != std::filesystem::directory_iterator() && i < kMostThreads;
       thread.increment(error), ++i) {
    KeptFile file(thread->path().string() + "/status");
    const auto text = file.Read(buffer_);
    const auto cores = text ? ParseAllowedCores(*text) : std::nullopt;
    if (!cores || *cores == list || *cores == before) continue;
    if (!std::ranges::includes(ReadCoreList(*cores), own)) return true;
  }
  return false;
}

// A child begins with its parent's, so that workers that come and go tell nothing.
void AllowedCoresWatch::See(int32_t pid, int32_t ppid, std::string_view list,
                            SampleContext& context) {
  const auto [place, first] = of_.try_emplace(pid);
  Of& own = place->second;
  own.ppid = ppid;
  if (own.read == list) return;
  const std::string before = std::exchange(own.read, std::string(list));
  if (first) {
    const auto parent = of_.find(ppid);
    if (parent != of_.end()) own.known = parent->second.known;
  }
  if (own.known == list || ThreadsAreBound(pid, list, before)) return;
  if (!first) ReportChildren(pid, context);
  own.known = list;
  own.reported = true;
  Report(pid, own.known, context);
}

// Those that it has started keep theirs.
void AllowedCoresWatch::ReportChildren(int32_t pid, SampleContext& context) {
  for (auto& [child, of] : of_) {
    if (of.ppid != pid || of.known.empty() || std::exchange(of.reported, true)) continue;
    Report(child, of.known, context);
  }
}

void AllowedCoresWatch::Report(int32_t pid, const std::string& list, SampleContext& context) {
  if (reported_ >= most_) return;
  ++reported_;
  context.EmitAllowedCores({pid, list});
}

}  // namespace steptrace::agent
