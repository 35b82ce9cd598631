// SPDX-License-Identifier: Apache-2.0
#include "agent/system/process_finder.h"

#include <dirent.h>

#include <algorithm>
#include <memory>
#include <set>

#include "agent/system/kept_file.h"
#include "agent/system/kernel_text.h"
#include "agent/system/rates.h"
#include "base/time.h"

namespace steptrace::agent {
namespace {

// At 3 us an id: under 1 ms. A training that starts workers takes a few dozen.
constexpr int32_t kMaxNewIds = 256;
// A scan may take this share of the time: 10 ms on a node of 1,000 processes means every 20 s.
constexpr int64_t kScanCostShare = 2000;
constexpr int64_t kShortestScanPeriodNs = kNsPerSecond;
// Also when nothing seems to be missing: /proc/loadavg may be a container's invention.
constexpr int64_t kLongestScanPeriodNs = 60 * kNsPerSecond;
constexpr size_t kMaxScanned = 1 << 16;

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

}  // namespace

std::optional<FoundProcess> ProcessFinder::Inspect(int32_t pid) {
  KeptFile file(proc_root_ + "/" + std::to_string(pid) + "/stat");
  const auto text = file.ReadOnce(buffer_);
  const auto stat = text ? ParseProcessStat(*text) : std::nullopt;
  if (!stat) return std::nullopt;
  return FoundProcess{.pid = pid, .ppid = stat->ppid, .start_ticks = stat->start_ticks};
}

std::optional<int32_t> ProcessFinder::ReadLastPid() {
  KeptFile file(proc_root_ + "/loadavg");
  const auto text = file.ReadOnce(buffer_);
  return text ? ParseLastPid(*text) : std::nullopt;
}

// A thread's id is found under /proc too, though not listed, and its parent is its process's.
bool ProcessFinder::IsThreadOfAnother(int32_t pid) {
  KeptFile file(proc_root_ + "/" + std::to_string(pid) + "/status");
  const auto text = file.ReadOnce(buffer_);
  const auto status = text ? ParseTaskStatus(*text) : std::nullopt;
  return !status || status->process != pid;
}

void ProcessFinder::CheckNewIds(int32_t from, int32_t to, const IsMember& is_member,
                                std::vector<FoundProcess>& found) {
  std::set<int32_t> found_pids;
  for (int32_t id = from; id <= to; ++id) {
    std::optional<FoundProcess> process = Inspect(id);
    if (!process || is_member(id)) continue;
    if (!is_member(process->ppid) && !found_pids.contains(process->ppid)) continue;
    if (IsThreadOfAnother(id)) continue;
    process->born_since_last = true;
    found_pids.insert(id);
    found.push_back(*process);
  }
}

void ProcessFinder::ReadAll(const IsMember& is_member, std::vector<FoundProcess>& found) {
  const std::unique_ptr<DIR, CloseDir> folder(::opendir(proc_root_.c_str()));
  if (!folder) return;
  std::vector<FoundProcess> strangers;
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::optional<uint64_t> id = ToU64(entry->d_name);
    if (!id || *id > INT32_MAX || strangers.size() >= kMaxScanned) continue;
    const auto pid = static_cast<int32_t>(*id);
    if (is_member(pid)) continue;
    if (const auto process = Inspect(pid)) strangers.push_back(*process);
  }
  // A parent began before its child, so one pass in that order sees whole families.
  std::sort(strangers.begin(), strangers.end(), [](const FoundProcess& a, const FoundProcess& b) {
    return a.start_ticks != b.start_ticks ? a.start_ticks < b.start_ticks : a.pid < b.pid;
  });
  std::set<int32_t> found_pids;
  for (const FoundProcess& process : strangers) {
    if (!is_member(process.ppid) && !found_pids.contains(process.ppid)) continue;
    found_pids.insert(process.pid);
    found.push_back(process);
  }
}

bool ProcessFinder::FullScanIsDue(int64_t now_ns) const {
  const int64_t wanted_ns = behind_ ? scan_cost_ns_ * kScanCostShare : kLongestScanPeriodNs;
  return IsDue(last_scan_ns_, now_ns,
               std::clamp(wanted_ns, kShortestScanPeriodNs, kLongestScanPeriodNs));
}

std::vector<FoundProcess> ProcessFinder::Find(const IsMember& is_member, int64_t now_ns) {
  std::vector<FoundProcess> found;
  // 0 is no id: some containers invent the file.
  const std::optional<int32_t> last_pid = ReadLastPid();
  const bool usable = last_pid && *last_pid > 0 && last_pid_ && *last_pid >= *last_pid_;
  if (usable && *last_pid - *last_pid_ <= kMaxNewIds) {
    if (*last_pid > *last_pid_) CheckNewIds(*last_pid_ + 1, *last_pid, is_member, found);
  } else {
    behind_ = true;
  }
  last_pid_ = last_pid;
  if (!FullScanIsDue(now_ns)) return found;
  const int64_t begin_ns = ClockNowNs(CLOCK_THREAD_CPUTIME_ID);
  std::set<int32_t> already;
  for (const FoundProcess& process : found) already.insert(process.pid);
  ReadAll([&](int32_t pid) { return is_member(pid) || already.contains(pid); }, found);
  scan_cost_ns_ = ClockNowNs(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
  last_scan_ns_ = now_ns;
  behind_ = false;
  return found;
}

}  // namespace steptrace::agent
