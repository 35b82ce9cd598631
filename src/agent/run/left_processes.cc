// SPDX-License-Identifier: Apache-2.0
#include "agent/run/left_processes.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <set>
#include <string_view>

#include "base/utf8.h"

namespace steptrace::agent {
namespace {

// The kernel takes no more for arguments and environment of usual limits (a quarter of the stack).
constexpr size_t kMaxEnvironmentBytes = size_t{2} << 20;
constexpr std::string_view kRunVariable = "STEPTRACE_RUN=";
constexpr std::string_view kDeleted = " (deleted)";  // as by an upgrade while it runs

// The name of the program that it executes; empty: not to be read.
std::string ProgramOf(int32_t pid, const std::string& proc_root) {
  char path[PATH_MAX];
  const std::string link = proc_root + "/" + std::to_string(pid) + "/exe";
  const ssize_t bytes = readlink(link.c_str(), path, sizeof path);
  if (bytes <= 0) return "";
  std::string_view text(path, static_cast<size_t>(bytes));
  if (text.ends_with(kDeleted)) text.remove_suffix(kDeleted.size());
  return std::string(text.substr(text.rfind('/') + 1));  // npos + 1 is 0
}

// Those that stay while what they started runs, or take a while to start it. The others execute it
// in their place at once.
bool IsStarter(std::string_view program) {
  constexpr std::array kStarters = {// shells
                                    "sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "fish",
                                    "csh", "tcsh", "busybox", "make", "xargs", "timeout",
                                    // of namespaces and containers
                                    "unshare", "bwrap", "apptainer", "singularity", "starter",
                                    "starter-suid", "enroot", "nsenter", "podman", "docker",
                                    // of ranks
                                    "mpirun", "mpiexec", "prterun", "orterun", "orted",
                                    "hydra_pmi_proxy", "srun"};
  return std::find(kStarters.begin(), kStarters.end(), program) != kStarters.end();
}

LeftProcess::Kind KindOf(std::string_view program) {
  if (program.starts_with("python")) return LeftProcess::Kind::kPython;
  return IsStarter(program) ? LeftProcess::Kind::kStarter : LeftProcess::Kind::kOther;
}

bool Contains(std::span<const JobRoot> known, int32_t pid, uint64_t start_ticks) {
  return std::any_of(known.begin(), known.end(), [&](const JobRoot& one) {
    return one.pid == pid && one.start_ticks == start_ticks;
  });
}

}  // namespace

// Parents before children.
std::vector<LeftProcesses::Candidate> LeftProcesses::Younger(uint64_t command_start_ticks) const {
  std::vector<Candidate> candidates;
  for (int32_t pid : ListProcesses(proc_root_)) {
    auto identity = ReadProcessIdentity(pid, proc_root_);
    if (!identity || identity->start_time_ticks < command_start_ticks) continue;
    if (identity->state == 'Z' || identity->state == 'X') continue;
    candidates.push_back({pid, *std::move(identity)});
  }
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return std::pair(a.identity.start_time_ticks, a.pid) <
           std::pair(b.identity.start_time_ticks, b.pid);
  });
  return candidates;
}

LeftProcesses::Mark LeftProcesses::MarkOf(int32_t pid) const {
  const std::string text = ReadEnvironment(pid, kMaxEnvironmentBytes, proc_root_);
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\0', begin), text.size());
    std::string_view entry(text.data() + begin, end - begin);
    if (entry.starts_with(kRunVariable)) {
      entry.remove_prefix(kRunVariable.size());
      return entry == run_id_ ? Mark::kOurs : Mark::kOfAnother;
    }
    begin = end + 1;
  }
  return Mark::kNone;
}

LeftProcess LeftProcesses::Describe(const Candidate& candidate) const {
  LeftProcess process;
  process.pid = candidate.pid;
  process.own_pid = ReadInnermostPid(candidate.pid, proc_root_);
  process.start_ticks = candidate.identity.start_time_ticks;
  const std::string program = ProgramOf(candidate.pid, proc_root_);
  process.kind = KindOf(program.empty() ? candidate.identity.comm : program);
  process.comm = CleanUtf8(candidate.identity.comm);
  return process;
}

std::vector<LeftProcess> LeftProcesses::Find(uint64_t command_start_ticks,
                                             std::span<const JobRoot> known) const {
  std::vector<LeftProcess> left;
  std::set<int32_t> members;
  for (const Candidate& candidate : Younger(command_start_ticks)) {
    const Mark mark = MarkOf(candidate.pid);
    const bool in_tree = members.contains(candidate.identity.ppid) ||
                         Contains(known, candidate.pid, candidate.identity.start_time_ticks);
    if (mark == Mark::kOfAnother || (mark == Mark::kNone && !in_tree)) continue;
    // A launcher or an agent of a run within this one, whose mark its command has.
    if (candidate.identity.comm == "steptrace") continue;
    members.insert(candidate.pid);
    left.push_back(Describe(candidate));
  }
  return left;
}

}  // namespace steptrace::agent
