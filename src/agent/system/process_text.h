// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

// The texts of /proc/<pid>/… Each yields nothing when it is damaged or empty.
namespace steptrace::agent {

struct ProcessStat {
  int32_t pid = 0;
  int32_t ppid = 0;
  char state = '?';
  std::string_view comm;        // as the process set it: may hold blanks, brackets, newlines
  uint64_t minor_faults = 0;    // without the children's
  uint64_t major_faults = 0;    // likewise
  uint64_t own_ticks = 0;       // user and system, of living and ended threads
  uint64_t children_ticks = 0;  // of children that ended and were waited for, and of theirs
  uint64_t threads = 0;
  uint64_t start_ticks = 0;  // since boot; with the pid it names a process for good
  uint64_t rss_pages = 0;
};

std::optional<ProcessStat> ParseProcessStat(std::string_view text);

struct ProcessIo {
  uint64_t read_bytes = 0;
  uint64_t write_bytes = 0;
};

std::optional<ProcessIo> ParseProcessIo(std::string_view text);

struct SchedStat {
  uint64_t run_ns = 0;
  uint64_t delay_ns = 0;  // runnable without a core
  uint64_t turns = 0;     // times that it got a core
};

std::optional<SchedStat> ParseSchedStat(std::string_view text);

struct TaskStatus {
  int32_t process = 0;  // Tgid: the process that the thread belongs to
  uint64_t voluntary_switches = 0;
  uint64_t involuntary_switches = 0;
};

std::optional<TaskStatus> ParseTaskStatus(std::string_view text);

// What a process has in memory, by kind (Linux 4.5 and later).
struct ProcessMemoryUse {
  uint64_t anon_bytes = 0;
  uint64_t file_bytes = 0;
  uint64_t shmem_bytes = 0;
};

// Of /proc/<pid>/status; nothing: a kernel thread, a zombie, or an older kernel.
std::optional<ProcessMemoryUse> ParseMemoryUse(std::string_view status);

// What a process holds with others, and what for itself alone.
struct SmapsRollup {
  uint64_t pss_bytes = 0;
  uint64_t private_dirty_bytes = 0;
};

// Of /proc/<pid>/smaps_rollup.
std::optional<SmapsRollup> ParseSmapsRollup(std::string_view text);

// The cores that a process may run on, by its own setting and its cpuset, as the kernel lists them:
// "0-3,8". Of /proc/<pid>/status; nothing: an older kernel, or a text that is no such list.
std::optional<std::string_view> ParseAllowedCores(std::string_view status);

// The last id that the kernel gave to a process or thread: the last number of /proc/loadavg.
std::optional<int32_t> ParseLastPid(std::string_view loadavg);

}  // namespace steptrace::agent
