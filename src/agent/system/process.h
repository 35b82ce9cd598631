// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// What /proc says of one process. A pid alone names nobody for long: with the start time it does.
namespace steptrace::agent {

struct ProcessIdentity {
  std::string comm;
  char state = '?';
  int32_t ppid = 0;
  uint64_t start_time_ticks = 0;  // field 22 of /proc/<pid>/stat
};

inline constexpr const char* kProcRoot = "/proc";

std::optional<ProcessIdentity> ReadProcessIdentity(int32_t pid,
                                                   const std::string& proc_root = kProcRoot);

// The processes that /proc lists, in no order.
std::vector<int32_t> ListProcesses(const std::string& proc_root = kProcRoot);

// The inode of our own pid namespace, in which pids are looked up; 0: not known.
uint32_t OwnPidNamespace();

// Whether that very process runs: it exists, is no zombie, and began then (0: whenever).
bool IsAlive(int32_t pid, uint64_t start_time_ticks, const std::string& proc_root = kProcRoot);

// The name of one thread; empty: gone.
std::string ReadThreadComm(int32_t pid, int32_t tid);

// Its pid as it knows it itself, in its own pid namespace; that of ours where the kernel does not
// tell.
int32_t ReadInnermostPid(int32_t pid, const std::string& proc_root = kProcRoot);

// A process by what it knows of itself: its pid in its own namespace.
struct NamespacedProcess {
  uint32_t pid_namespace = 0;  // inode
  int32_t pid = 0;
  uint64_t start_time_ticks = 0;
};

// The pid under which we see a living process of a namespace within ours; none: it has ended, or
// its namespace is none of those. Looks at every process, one call each.
std::optional<int32_t> FindOuterPid(const NamespacedProcess& process,
                                    const std::string& proc_root = kProcRoot);

// The children of all threads of a process; empty where the kernel does not tell.
std::vector<int32_t> ReadChildren(int32_t pid);

// Its effective user; none: gone.
std::optional<uid_t> ReadOwner(int32_t pid);

// What it was started with: "NAME=value" entries, each with a NUL behind it. Empty: not to be read.
std::string ReadEnvironment(int32_t pid, size_t max_bytes,
                            const std::string& proc_root = kProcRoot);

// Its arguments, at most `max_bytes` of them.
std::vector<std::string> ReadCommandLine(int32_t pid, size_t max_bytes = 4096);

}  // namespace steptrace::agent
