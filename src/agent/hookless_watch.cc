// SPDX-License-Identifier: Apache-2.0
#include "agent/hookless_watch.h"

#include <algorithm>
#include <deque>

#include "agent/process.h"
#include "agent/utf8.h"
#include "base/time.h"

namespace steptrace::agent {
namespace {

bool IsPython(const HooklessProcess& process) {
  if (process.comm.starts_with("python")) return true;
  if (process.arguments.empty()) return false;
  const std::string& program = process.arguments[0];
  const size_t slash = program.rfind('/');
  return program.compare(slash == std::string::npos ? 0 : slash + 1, 6, "python") == 0;
}

// The first option of Python's own that keeps sitecustomize away: -S, -I, -E, also in a bundle.
char BlockingOption(const HooklessProcess& process) {
  for (size_t i = 1; i < process.arguments.size(); ++i) {
    const std::string& argument = process.arguments[i];
    if (argument.size() < 2 || argument[0] != '-' || argument[1] == '-') return 0;
    for (char option : argument.substr(1)) {
      if (option == 'S' || option == 'I' || option == 'E') return option;
      if (option == 'c' || option == 'm' || option == 'W' || option == 'X') return 0;
    }
  }
  return 0;
}

std::string Named(const HooklessProcess& process) {
  return process.comm + " (pid " + std::to_string(process.pid) + ")";
}

}  // namespace

NoHooks ExplainNoHooks(const std::vector<HooklessProcess>& processes, uid_t own) {
  for (const HooklessProcess& process : processes) {
    if (process.owner != own) {
      return {true, Named(process) + " ran as user " + std::to_string(process.owner) +
                        " and cannot reach the rings of user " + std::to_string(own) +
                        "; start `steptrace run` as the user who trains"};
    }
  }
  for (const HooklessProcess& process : processes) {
    const char option = IsPython(process) ? BlockingOption(process) : '\0';
    if (option == 'S') {
      return {true, Named(process) +
                        " ran with -S, which loads no site packages: no hooks; leave the option "
                        "out"};
    }
    if (option != 0) {
      return {true, Named(process) + " ran with -" + option +
                        ", which ignores PYTHONPATH: no hooks; leave the option out or install "
                        "the .pth file: python -m steptrace.pth install"};
    }
  }
  for (const HooklessProcess& process : processes) {
    if (!IsPython(process)) continue;
    return {true, Named(process) +
                      " loaded no hooks: its environment was cleared, or it has no usable package; "
                      "see `steptrace doctor`"};
  }
  return {false,
          "steps: no process of the command was Python or recorded a range; a native program can "
          "use <steptrace/steptrace.h>"};
}

bool HooklessWatch::TakeDue(int64_t now_ns) {
  constexpr int64_t kShortestNs = 100 * kNsPerMs;
  constexpr int64_t kLongestNs = 10 * kNsPerSecond;
  if (now_ns < next_look_ns_) return false;
  pause_ns_ = std::clamp(pause_ns_ + pause_ns_ / 8, kShortestNs, kLongestNs);
  next_look_ns_ = now_ns + pause_ns_;
  return true;
}

void HooklessWatch::Look(int32_t command_pid) {
  std::deque<int32_t> left = {command_pid};
  size_t looked_at = 0;
  while (!left.empty() && looked_at++ < kMaxProcesses) {
    const int32_t pid = left.front();
    left.pop_front();
    auto stat = ReadProcessIdentity(pid);
    auto owner = ReadOwner(pid);
    if (!stat || !owner) continue;
    for (int32_t child : ReadChildren(pid)) left.push_back(child);
    if (seen_.size() >= kMaxProcesses && seen_.count(pid) == 0) continue;
    HooklessProcess& process = seen_[pid];
    process.pid = pid;
    process.comm = ToValidUtf8(stat->comm);
    process.owner = *owner;
    // A process between fork and exec still has its parent's arguments: the newest are right. One
    // that has ended shows none.
    if (auto arguments = ReadCommandLine(pid); !arguments.empty()) process.arguments = arguments;
  }
}

std::vector<HooklessProcess> HooklessWatch::Seen() const {
  std::vector<HooklessProcess> processes;
  for (const auto& [pid, process] : seen_) processes.push_back(process);
  return processes;
}

}  // namespace steptrace::agent
