// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/system/process_text.h"

namespace steptrace::agent {

struct FoundProcess {
  int32_t pid = 0;
  int32_t ppid = 0;
  uint64_t start_ticks = 0;
  bool born_since_last = false;  // it began after the call before: all of its CPU time is new
};

// Finds the processes that have come into a tree since the call before. Not every descendant needs
// a look at every process of the machine: ids are given in order and /proc/loadavg ends with the
// last one given, so that usually only the few ids since then are asked for their parent. When too
// many were given at once, or the ids began anew, all of /proc is read, as seldom as keeps that
// under 1/2000 of the time.
//
// Passive: reads files of `proc_root`, knows no time but what it is told. One thread.
class ProcessFinder {
 public:
  using IsMember = std::function<bool(int32_t pid)>;

  explicit ProcessFinder(std::string proc_root) : proc_root_(std::move(proc_root)) {}

  // Descendants of members that are no members, parents before children.
  std::vector<FoundProcess> Find(const IsMember& is_member, int64_t now_ns);

  // Reads one process; nothing when it is not there or must not be seen.
  std::optional<FoundProcess> Inspect(int32_t pid);
  // The last id given as of the call of Find before; ids up to it are not new.
  std::optional<int32_t> last_pid() const { return last_pid_; }

 private:
  std::optional<int32_t> ReadLastPid();
  void CheckNewIds(int32_t from, int32_t to, const IsMember& is_member,
                   std::vector<FoundProcess>& found);
  void ReadAll(const IsMember& is_member, std::vector<FoundProcess>& found);
  bool IsThreadOfAnother(int32_t pid);
  bool FullScanIsDue(int64_t now_ns) const;

  std::string proc_root_;
  std::string buffer_;
  std::optional<int32_t> last_pid_;
  bool behind_ = true;  // ids were given that nobody has asked for yet
  std::optional<int64_t> last_scan_ns_;
  int64_t scan_cost_ns_ = 0;
};

}  // namespace steptrace::agent
