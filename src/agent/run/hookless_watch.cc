// SPDX-License-Identifier: Apache-2.0
#include "agent/run/hookless_watch.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <set>
#include <utility>

#include "agent/run/shebang.h"
#include "agent/system/process.h"
#include "base/time.h"
#include "base/utf8.h"
#include "model/finding_kinds.h"

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

constexpr HooksMark kRefusals[] = {HooksMark::kOtherBuild, HooksMark::kNoProbe, HooksMark::kNoRing};

}  // namespace

std::optional<model::Finding> RefusedHooks(const std::vector<HooklessProcess>& processes,
                                           const HooksMarks& marks) {
  for (const HooksMark mark : kRefusals) {
    if (!marks.Any(mark)) continue;
    const auto it = std::find_if(processes.begin(), processes.end(), [&](const HooklessProcess& p) {
      return marks.Has(mark, OwnPid(p));
    });
    const bool known = it != processes.end();
    return Make(model::finding::LossHooksRefused{
        .pid = known ? std::optional<int64_t>(it->pid) : std::nullopt,
        .other_build = mark == HooksMark::kOtherBuild,
        .no_probe = mark == HooksMark::kNoProbe,
        .process = known ? it->comm : std::string()});
  }
  return std::nullopt;
}

namespace {

// Of a process whose command line says why there are no hooks in it.
std::optional<model::Finding> KeptOut(const std::vector<HooklessProcess>& processes,
                                      const HooksMarks& marks) {
  for (const HooklessProcess& process : processes) {
    const char option = IsPython(process) ? BlockingOption(process) : '\0';
    if (option == 'S') {
      return Make(model::finding::LossNoSitePackages{.pid = process.pid, .process = process.comm});
    }
    if (option != 0 && !Reached(process, processes, marks)) {
      return Make(model::finding::LossPythonPathIgnored{
          .pid = process.pid, .process = process.comm, .option = std::string(1, option)});
    }
  }
  return std::nullopt;
}

NoHooks NothingThere(const std::vector<HooklessProcess>& launchers) {
  if (launchers.empty()) {
    return {NoHooks::Kind::kNothingThere, Make(model::finding::LossNothingToRecord{})};
  }
  const bool itself = std::any_of(launchers.begin(), launchers.end(),
                                  [](const HooklessProcess& p) { return p.parent == 0; });
  return {NoHooks::Kind::kNothingThere,
          Make(model::finding::LossRecordedElsewhere{.itself = itself})};
}

}  // namespace

NoHooks ExplainNoHooks(std::vector<HooklessProcess> processes, uid_t own, const HooksMarks& marks) {
  using Kind = NoHooks::Kind;
  for (const HooklessProcess& process : processes) {
    if (process.owner == own) continue;
    return {Kind::kLoss, Make(model::finding::LossOtherUser{.pid = process.pid,
                                                            .user = int64_t{process.owner},
                                                            .own = int64_t{own},
                                                            .process = process.comm})};
  }
  const std::vector<HooklessProcess> launchers = TakeRunsOut(processes);
  if (auto what = KeptOut(processes, marks)) return {Kind::kLoss, std::move(what)};
  if (auto what = RefusedHooks(processes, marks)) return {Kind::kRefused, std::move(what)};
  const bool loaded = marks.Any(HooksMark::kLoaded);
  if (marks.Any(HooksMark::kOff) && !loaded) return {Kind::kOff};
  for (const HooklessProcess& process : processes) {
    if (!IsPython(process) || Reached(process, processes, marks)) continue;
    return {Kind::kLoss,
            Make(model::finding::LossNoHooksLoaded{.pid = process.pid, .process = process.comm})};
  }
  if (marks.Any(HooksMark::kAside)) {
    return {Kind::kAside, Make(model::finding::LossToolOfTheScript{})};
  }
  if (loaded) return {Kind::kIdle};
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

void HooklessWatch::Check(int32_t command_pid) {
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
