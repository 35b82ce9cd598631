// SPDX-License-Identifier: Apache-2.0
#include "agent/hookless_watch.h"

#include <unistd.h>

#include <algorithm>
#include <deque>

#include "agent/process.h"
#include "agent/utf8.h"
#include "base/time.h"

namespace steptrace::agent {
namespace {

std::string BaseName(const std::string& path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

bool IsPython(const HooklessProcess& process) {
  if (process.comm.starts_with("python")) return true;
  return !process.arguments.empty() && BaseName(process.arguments[0]).starts_with("python");
}

// Another `steptrace run` in this one: what it starts tells it alone.
bool IsLauncher(const HooklessProcess& process) {
  const auto& arguments = process.arguments;
  return arguments.size() > 1 && BaseName(arguments[0]) == "steptrace" &&
         std::find(arguments.begin() + 1, arguments.end(), "run") != arguments.end();
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

NoHooks ExplainNoHooks(const std::vector<HooklessProcess>& processes, uid_t own,
                       const HooksMarks& marks) {
  using Kind = NoHooks::Kind;
  for (const HooklessProcess& process : processes) {
    if (process.owner != own) {
      return {Kind::kLoss, Named(process) + " ran as user " + std::to_string(process.owner) +
                               " and cannot reach the rings of user " + std::to_string(own) +
                               "; start `steptrace run` as the user who trains"};
    }
  }
  if (std::any_of(processes.begin(), processes.end(), IsLauncher)) {
    return {Kind::kNothingThere,
            "steps: the command is `steptrace run` itself, and what it started is recorded in its "
            "own run"};
  }
  for (const HooklessProcess& process : processes) {
    const char option = IsPython(process) ? BlockingOption(process) : '\0';
    if (option == 'S') {
      return {Kind::kLoss,
              Named(process) +
                  " ran with -S, which loads no site packages: no hooks; leave the option out"};
    }
    if (option != 0) {
      return {Kind::kLoss, Named(process) + " ran with -" + option +
                               ", which ignores PYTHONPATH: no hooks; leave the option out or "
                               "install the .pth file: python -m steptrace.pth install"};
    }
  }
  if (marks.off) return {Kind::kOff, ""};
  if (marks.loaded) return {Kind::kIdle, ""};
  for (const HooklessProcess& process : processes) {
    if (!IsPython(process)) continue;
    return {Kind::kLoss, Named(process) +
                             " loaded no hooks: its environment was cleared, or it has no usable "
                             "package; see `steptrace doctor`"};
  }
  return {Kind::kNothingThere,
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

void HooklessWatch::Expect(int32_t pid, const std::vector<std::string>& command) {
  if (command.empty()) return;
  HooklessProcess& process = seen_[pid];
  process.pid = pid;
  process.comm = ToValidUtf8(BaseName(command[0]));
  process.owner = geteuid();
  process.arguments = command;
}

void HooklessWatch::Look(int32_t command_pid) {
  const auto launcher = ReadProcessIdentity(command_pid);
  const std::vector<std::string> of_launcher =
      launcher ? ReadCommandLine(launcher->ppid) : std::vector<std::string>();
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
    const std::vector<std::string> arguments = ReadCommandLine(pid);
    // Between fork and exec it still looks as its parent does: what was expected of it stands.
    if (pid == command_pid && !arguments.empty() && arguments == of_launcher) continue;
    HooklessProcess& process = seen_[pid];
    process.pid = pid;
    process.comm = ToValidUtf8(stat->comm);
    process.owner = *owner;
    // The newest are right: one may have executed another program. One that has ended shows none.
    if (!arguments.empty()) process.arguments = arguments;
  }
}

std::vector<HooklessProcess> HooklessWatch::Seen() const {
  std::vector<HooklessProcess> processes;
  for (const auto& [pid, process] : seen_) processes.push_back(process);
  return processes;
}

}  // namespace steptrace::agent
