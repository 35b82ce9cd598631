// SPDX-License-Identifier: Apache-2.0
#include "agent/hookless_watch.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <set>
#include <utility>

#include "agent/process.h"
#include "agent/shebang.h"
#include "base/time.h"
#include "base/utf8.h"

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
  if (arguments.empty() || BaseName(arguments[0]) != "steptrace") return false;
  const auto command = std::find_if(arguments.begin() + 1, arguments.end(),
                                    [](const std::string& word) { return !word.starts_with('-'); });
  return command != arguments.end() && *command == "run";
}

// Takes launchers out, with all that they started.
std::vector<HooklessProcess> TakeRunsOut(std::vector<HooklessProcess>& processes) {
  std::vector<HooklessProcess> launchers;
  std::set<int32_t> others;
  for (const HooklessProcess& process : processes) {
    if (!IsLauncher(process)) continue;
    launchers.push_back(process);
    others.insert(process.pid);
  }
  for (size_t before = 0; before != others.size();) {
    before = others.size();
    for (const HooklessProcess& process : processes) {
      if (others.count(process.parent) != 0) others.insert(process.pid);
    }
  }
  std::erase_if(processes, [&](const HooklessProcess& p) { return others.count(p.pid) != 0; });
  return launchers;
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

int32_t OwnPid(const HooklessProcess& process) {
  return process.own_pid != 0 ? process.own_pid : process.pid;
}

// A fork is reached as its parent is, leaves no mark, and has the same arguments, or none once it
// has ended.
bool Reached(const HooklessProcess& process, const std::vector<HooklessProcess>& processes,
             const HooksMarks& marks) {
  const auto& own = process.arguments;
  return marks.Reached(OwnPid(process)) ||
         std::any_of(processes.begin(), processes.end(), [&](const HooklessProcess& other) {
           return (own.empty() || own == other.arguments) && marks.Reached(OwnPid(other));
         });
}

struct Refusal {
  HooksMark mark;
  const char* text;
};
constexpr Refusal kRefusals[] = {
    {HooksMark::kOtherBuild,
     "loaded the hooks, but is free-threaded or traces references, and so cannot record; train "
     "with a Python of the usual build"},
    {HooksMark::kNoProbe,
     "loaded the hooks, but the probe that STEPTRACE_PROBE names cannot be loaded; see "
     "`steptrace doctor`"},
    {HooksMark::kNoRing,
     "loaded the hooks, but could make no ring: the limit on the size of files is too small "
     "(`ulimit -f unlimited`), or it cannot use the folder of rings; see `steptrace doctor`"},
};

}  // namespace

std::string RefusedHooks(const std::vector<HooklessProcess>& processes, const HooksMarks& marks) {
  for (const auto& [mark, text] : kRefusals) {
    if (!marks.Any(mark)) continue;
    const auto it = std::find_if(
        processes.begin(), processes.end(),
        [&, mark = mark](const HooklessProcess& p) { return marks.Has(mark, OwnPid(p)); });
    return (it == processes.end() ? "a Python" : Named(*it)) + " " + text;
  }
  return "";
}

namespace {

// Of a process whose command line says why there are no hooks in it.
std::string KeptOut(const std::vector<HooklessProcess>& processes, const HooksMarks& marks) {
  for (const HooklessProcess& process : processes) {
    const char option = IsPython(process) ? BlockingOption(process) : '\0';
    if (option == 'S') {
      return Named(process) +
             " ran with -S, which loads no site packages: no hooks; leave the option out";
    }
    if (option != 0 && !Reached(process, processes, marks)) {
      return Named(process) + " ran with -" + option +
             ", which ignores PYTHONPATH: no hooks; leave the option out or install the .pth "
             "file: python -m steptrace.pth install";
    }
  }
  return "";
}

NoHooks NothingThere(const std::vector<HooklessProcess>& launchers) {
  const std::string own_run = "and what that started is recorded in its own run";
  std::string text =
      "no process of the command was seen to be Python or recorded a range; a native program has "
      "no steps here and can name ranges with <steptrace/steptrace.h>";
  if (!launchers.empty()) {
    const bool itself = std::any_of(launchers.begin(), launchers.end(),
                                    [](const HooklessProcess& p) { return p.parent == 0; });
    text =
        (itself ? "the command is `steptrace run` itself, " : "it ran `steptrace run` itself, ") +
        own_run;
  }
  return {NoHooks::Kind::kNothingThere, text};
}

}  // namespace

NoHooks ExplainNoHooks(std::vector<HooklessProcess> processes, uid_t own, const HooksMarks& marks) {
  using Kind = NoHooks::Kind;
  for (const HooklessProcess& process : processes) {
    if (process.owner != own) {
      return {Kind::kLoss, Named(process) + " ran as user " + std::to_string(process.owner) +
                               " and cannot reach the rings of user " + std::to_string(own) +
                               "; start `steptrace run` as the user who trains"};
    }
  }
  const std::vector<HooklessProcess> launchers = TakeRunsOut(processes);
  if (std::string text = KeptOut(processes, marks); !text.empty()) return {Kind::kLoss, text};
  if (std::string text = RefusedHooks(processes, marks); !text.empty()) {
    return {Kind::kRefused, text};
  }
  const bool loaded = marks.Any(HooksMark::kLoaded);
  if (marks.Any(HooksMark::kOff) && !loaded) return {Kind::kOff, ""};
  for (const HooklessProcess& process : processes) {
    if (!IsPython(process) || Reached(process, processes, marks)) continue;
    return {Kind::kLoss, Named(process) +
                             " loaded no hooks: its environment was cleared, or it has no usable "
                             "package; see `steptrace doctor`"};
  }
  if (marks.Any(HooksMark::kAside)) {
    return {Kind::kAside,
            "a Python set a tracer, profiler or debugger of its own (pdb, coverage, cProfile), and "
            "imported nothing that is hooked without it: the hooks step aside for such a tool, so "
            "that it sees nothing of them; record without it"};
  }
  if (loaded) return {Kind::kIdle, ""};
  return NothingThere(launchers);
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
  process.comm = CleanUtf8(BaseName(command[0]));
  process.owner = geteuid();
  process.arguments = command;
  const char* search = getenv("PATH");
  HooklessProcess script = process;
  script.arguments = ThroughInterpreter(command, search != nullptr ? search : "");
  if (!IsPython(process) && IsPython(script)) process = script;
}

void HooklessWatch::Look(int32_t command_pid) {
  const auto launcher = ReadProcessIdentity(command_pid);
  const std::vector<std::string> of_launcher =
      launcher ? ReadCommandLine(launcher->ppid) : std::vector<std::string>();
  std::deque<std::pair<int32_t, int32_t>> left = {{command_pid, 0}};
  size_t looked_at = 0;
  while (!left.empty() && looked_at++ < kMaxProcesses) {
    const auto [pid, parent] = left.front();
    left.pop_front();
    // Before its name: of one that executes a program meanwhile they are those of the program
    // before, by which a fork is known.
    const std::vector<std::string> arguments = ReadCommandLine(pid);
    auto stat = ReadProcessIdentity(pid);
    auto owner = ReadOwner(pid);
    if (!stat || !owner) continue;
    for (int32_t child : ReadChildren(pid)) left.emplace_back(child, pid);
    if (seen_.size() >= kMaxProcesses && seen_.count(pid) == 0) continue;
    // Between fork and exec it still looks as its parent does: what was expected of it stands.
    if (pid == command_pid && !arguments.empty() && arguments == of_launcher) continue;
    HooklessProcess& process = seen_[pid];
    if (process.own_pid == 0) process.own_pid = ReadInnermostPid(pid);
    process.pid = pid;
    process.parent = parent;
    process.comm = CleanUtf8(stat->comm);
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
