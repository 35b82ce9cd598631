// SPDX-License-Identifier: Apache-2.0
#include "agent/system/thread_counts.h"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "agent/system/kernel_text.h"
#include "agent/system/process_text.h"
#include "agent/system/rates.h"

namespace steptrace::agent {
namespace {

// When as many threads began as ended, their number does not tell: list them anew now and then.
constexpr int64_t kListAgainNs = 5 * kNsPerSecond;
constexpr size_t kMaxThreads = 4096;  // of one process
constexpr int64_t kShortestQuietNs = kNsPerSecond / 4;
constexpr int64_t kLongestQuietNs = 4 * kNsPerSecond;

struct CloseTasks {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

}  // namespace

std::vector<int32_t> TidsOf(const std::string& process_folder) {
  std::vector<int32_t> tids;
  const std::unique_ptr<DIR, CloseTasks> tasks(::opendir((process_folder + "/task").c_str()));
  if (!tasks) return tids;
  while (const dirent* entry = ::readdir(tasks.get())) {
    const std::optional<uint64_t> tid = ToU64(entry->d_name);
    if (tid && *tid <= INT32_MAX && tids.size() < kMaxThreads) {
      tids.push_back(static_cast<int32_t>(*tid));
    }
  }
  std::sort(tids.begin(), tids.end());
  return tids;
}

void ThreadCounts::ListThreads(bool count_new) {
  std::vector<Thread> listed;
  auto known = threads_.begin();
  for (int32_t tid : TidsOf(folder_)) {
    while (known != threads_.end() && known->tid < tid) ++known;
    if (known != threads_.end() && known->tid == tid) {
      listed.push_back(std::move(*known));
      continue;
    }
    Thread thread{.tid = tid};
    thread.schedstat = KeptFile(folder_ + "/task/" + std::to_string(tid) + "/schedstat");
    thread.count_first = count_new;
    listed.push_back(std::move(thread));
  }
  threads_ = std::move(listed);
}

size_t ThreadCounts::open_files() const {
  size_t open = 0;
  for (const Thread& thread : threads_) open += thread.schedstat.open();
  return open;
}

void ThreadCounts::ReadDelay(Thread& thread, int64_t now_ns, ReadBudget& budget) {
  --budget.reads;
  const auto text = budget.Read(thread.schedstat, buffer_);
  const auto stat = text ? ParseSchedStat(*text) : std::nullopt;
  if (!stat) {
    error_ = thread.schedstat.error();
    return;
  }
  has_delay_ = true;
  if (thread.read_before || thread.count_first) {
    delay_ns_ += GrowthOrZero(thread.delay_ns, stat->delay_ns);
  }
  const bool ran = !thread.read_before || stat->turns != thread.turns;
  thread.quiet_ns = ran ? 0 : std::clamp(2 * thread.quiet_ns, kShortestQuietNs, kLongestQuietNs);
  thread.next_ns = now_ns + thread.quiet_ns;
  thread.read_before = true;
  thread.delay_ns = stat->delay_ns;
  thread.turns = stat->turns;
}

void ThreadCounts::ReadSwitches(Thread& thread, ReadBudget& budget) {
  if (thread.status_read_before && thread.turns == thread.status_turns && has_delay_) return;
  if (budget.status_reads <= 0) return;
  --budget.status_reads;
  KeptFile file(folder_ + "/task/" + std::to_string(thread.tid) + "/status");
  const auto text = file.ReadOnce(buffer_);
  const auto status = text ? ParseTaskStatus(*text) : std::nullopt;
  if (!status) return;
  has_switches_ = true;
  if (thread.status_read_before || thread.count_first) {
    voluntary_ += GrowthOrZero(thread.voluntary, status->voluntary_switches);
    involuntary_ += GrowthOrZero(thread.involuntary, status->involuntary_switches);
  }
  thread.status_read_before = true;
  thread.status_turns = thread.turns;
  thread.voluntary = status->voluntary_switches;
  thread.involuntary = status->involuntary_switches;
}

void ThreadCounts::Sample(const Request& request, ReadBudget& budget) {
  const int64_t now_ns = request.now_ns;
  if (request.threads != listed_threads_ || IsDue(listed_ns_, now_ns, kListAgainNs)) {
    ListThreads(request.from_birth || listed_ns_.has_value());
    listed_threads_ = request.threads;
    listed_ns_ = now_ns;
  }
  const size_t count = threads_.size();
  if (count == 0) return;
  next_ %= count;
  size_t done = 0;
  for (; done < count && budget.reads > 0; ++done) {
    Thread& thread = threads_[(next_ + done) % count];
    // A clock that went back must not silence a thread for long.
    const bool quiet = now_ns < thread.next_ns && thread.next_ns - now_ns <= kLongestQuietNs;
    if (!quiet) ReadDelay(thread, now_ns, budget);
    if (request.read_switches) ReadSwitches(thread, budget);
  }
  next_ = (next_ + done) % count;
}

}  // namespace steptrace::agent
