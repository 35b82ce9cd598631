// SPDX-License-Identifier: Apache-2.0
#include "agent/system/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "agent/system/process_text.h"
#include "base/unique_fd.h"

namespace steptrace::agent {
namespace {

std::string ReadSmallFile(const std::string& path, size_t max_bytes) {
  UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  char buffer[4096];
  while (file.valid() && text.size() < max_bytes) {
    const ssize_t count = read(file.get(), buffer, sizeof buffer);
    if (count <= 0) break;
    text.append(buffer, static_cast<size_t>(count));
  }
  if (text.size() > max_bytes) text.resize(max_bytes);
  return text;
}

std::string ProcPath(int32_t pid, const char* file, const std::string& proc_root = kProcRoot) {
  return proc_root + "/" + std::to_string(pid) + "/" + file;
}

// By how much the time since boot differs in a process's time namespace; 0 where there are none.
int64_t BoottimeOffsetSeconds(const std::string& pid, const std::string& proc_root) {
  std::istringstream lines(ReadSmallFile(proc_root + "/" + pid + "/timens_offsets", 256));
  std::string clock;
  int64_t seconds = 0;
  int64_t nanoseconds = 0;
  while (lines >> clock >> seconds >> nanoseconds) {
    if (clock == "boottime") return seconds;
  }
  return 0;
}

}  // namespace

std::optional<ProcessIdentity> ReadProcessIdentity(int32_t pid, const std::string& proc_root) {
  const std::string text = ReadSmallFile(ProcPath(pid, "stat", proc_root), 4096);
  const auto stat = ParseProcessStat(text);
  if (!stat) return std::nullopt;
  return ProcessIdentity{std::string(stat->comm), stat->state, stat->ppid, stat->start_ticks};
}

std::vector<int32_t> ListProcesses(const std::string& proc_root) {
  std::vector<int32_t> pids;
  DIR* folder = opendir(proc_root.c_str());
  if (folder == nullptr) return pids;
  while (dirent* entry = readdir(folder)) {
    int32_t pid = 0;
    const char* end = entry->d_name + std::strlen(entry->d_name);
    if (std::from_chars(entry->d_name, end, pid).ptr == end && pid > 0) pids.push_back(pid);
  }
  closedir(folder);
  return pids;
}

uint32_t OwnPidNamespace() {
  static const uint32_t inode = [] {
    struct stat info {};
    return ::stat("/proc/self/ns/pid", &info) == 0 ? static_cast<uint32_t>(info.st_ino) : 0;
  }();
  return inode;
}

bool IsAlive(int32_t pid, uint64_t start_time_ticks, const std::string& proc_root) {
  auto stat = ReadProcessIdentity(pid, proc_root);
  if (!stat || stat->state == 'Z' || stat->state == 'X') return false;
  if (start_time_ticks == 0 || stat->start_time_ticks == start_time_ticks) return true;
  // In a time namespace of its own it told its start by another clock, whole seconds away.
  const int64_t apart_s = BoottimeOffsetSeconds(std::to_string(pid), proc_root) -
                          BoottimeOffsetSeconds("self", proc_root);
  if (apart_s == 0) return false;
  const auto apart = static_cast<int64_t>(start_time_ticks - stat->start_time_ticks);
  return std::abs(apart - apart_s * sysconf(_SC_CLK_TCK)) <= 1;
}

std::string ReadThreadComm(int32_t pid, int32_t tid) {
  const std::string file = "task/" + std::to_string(tid) + "/comm";
  std::string name = ReadSmallFile(ProcPath(pid, file.c_str()), 64);
  if (!name.empty() && name.back() == '\n') name.pop_back();
  return name;
}

int32_t ReadInnermostPid(int32_t pid, const std::string& proc_root) {
  const std::string text = ReadSmallFile(ProcPath(pid, "status", proc_root), 8192);
  const std::string key = "\nNSpid:";
  const size_t at = text.find(key);
  if (at == std::string::npos) return pid;
  const size_t end = text.find('\n', at + key.size());
  std::istringstream list(text.substr(at + key.size(), end - at - key.size()));
  int32_t innermost = pid;
  for (int32_t next; list >> next;) innermost = next;
  return innermost;
}

std::optional<int32_t> FindOuterPid(const NamespacedProcess& process,
                                    const std::string& proc_root) {
  if (process.pid_namespace == 0) return std::nullopt;
  for (int32_t pid : ListProcesses(proc_root)) {
    struct stat info {};
    if (::stat(ProcPath(pid, "ns/pid", proc_root).c_str(), &info) != 0) continue;
    if (static_cast<uint32_t>(info.st_ino) != process.pid_namespace) continue;
    if (ReadInnermostPid(pid, proc_root) != process.pid) continue;
    if (IsAlive(pid, process.start_time_ticks, proc_root)) return pid;
  }
  return std::nullopt;
}

std::vector<int32_t> ReadChildren(int32_t pid) {
  std::vector<int32_t> children;
  const std::string tasks = ProcPath(pid, "task");
  DIR* folder = opendir(tasks.c_str());
  if (folder == nullptr) return children;
  while (dirent* entry = readdir(folder)) {
    if (entry->d_name[0] == '.') continue;
    std::istringstream list(ReadSmallFile(tasks + "/" + entry->d_name + "/children", 65536));
    int32_t child;
    while (list >> child) children.push_back(child);
  }
  closedir(folder);
  return children;
}

std::optional<uid_t> ReadOwner(int32_t pid) {
  struct stat status {};
  if (stat(("/proc/" + std::to_string(pid)).c_str(), &status) != 0) return std::nullopt;
  return status.st_uid;
}

std::string ReadEnvironment(int32_t pid, size_t max_bytes, const std::string& proc_root) {
  return ReadSmallFile(ProcPath(pid, "environ", proc_root), max_bytes);
}

std::vector<std::string> ReadCommandLine(int32_t pid, size_t max_bytes) {
  const std::string text = ReadSmallFile(ProcPath(pid, "cmdline"), max_bytes);
  std::vector<std::string> arguments;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = text.find('\0', begin);
    if (end == std::string::npos) end = text.size();
    arguments.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return arguments;
}

}  // namespace steptrace::agent
