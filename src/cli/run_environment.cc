// SPDX-License-Identifier: Apache-2.0
#include "cli/run_environment.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "agent/capture/trace_intake.h"

extern char** environ;

namespace steptrace::cli {
namespace {

// What an outer run set must not reach a command of ours.
constexpr std::string_view kOurs[] = {"STEPTRACE_RUN",       "STEPTRACE_RUN_DIR",
                                      "STEPTRACE_RING_DIR",  "STEPTRACE_PROBE",
                                      "STEPTRACE_AGENT_PID", "STEPTRACE_TENSORS"};

std::string_view NameOf(std::string_view entry) {
  return entry.substr(0, entry.find('='));
}

bool IsOurs(std::string_view name) {
  for (std::string_view ours : kOurs) {
    if (name == ours) return true;
  }
  return false;
}

// By these programs find who collects what they tell: PyTorch and oneDNN their tasks
// (src/probe/itt.h), whatever uses NVTX its ranges (src/probe/nvtx.cc), NCCL its collectives
// (src/probe/nccl.cc).
constexpr std::string_view kCollectors[] = {"INTEL_LIBITTNOTIFY64", "NVTX_INJECTION64_PATH",
                                            "NCCL_PROFILER_PLUGIN"};

bool HasVariable(const std::vector<std::string>& environment, std::string_view name) {
  return std::any_of(environment.begin(), environment.end(),
                     [&](const std::string& entry) { return NameOf(entry) == name; });
}

// An outer run's collector: its probe.
bool IsOuterCollector(std::string_view entry, const std::vector<std::string>& own) {
  const std::string_view name = NameOf(entry);
  if (std::find(std::begin(kCollectors), std::end(kCollectors), name) == std::end(kCollectors)) {
    return false;
  }
  const std::string probe = "STEPTRACE_PROBE" + std::string(entry.substr(name.size()));
  return std::find(own.begin(), own.end(), probe) != own.end();
}

void AddPackage(const RunEnvironment& run, const std::string* old_python_path,
                std::vector<std::string>& environment) {
  const std::string probe = (run.package_dir / "_probe.abi3.so").string();
  environment.push_back("STEPTRACE_PROBE=" + probe);
  // Whoever set one already collects himself: the hooks then say so.
  for (std::string_view collector : kCollectors) {
    if (run.hooks == "off" || HasVariable(environment, collector)) continue;
    environment.push_back(std::string(collector) + "=" + probe);
  }
  std::string path = "PYTHONPATH=" + (run.package_dir / "bootstrap").string();
  // An empty old value means "nothing", whereas an empty component means the current folder.
  if (old_python_path != nullptr && !old_python_path->empty()) path += ":" + *old_python_path;
  environment.push_back(path);
}

// Traces go where the agent takes them. Kineto tells stderr of each process that it asks, as of its
// level 4 of errors alone.
void AddKineto(const RunEnvironment& run, std::vector<std::string>& environment) {
  environment.push_back("KINETO_USE_DAEMON=1");
  environment.push_back("KINETO_IPC_SOCKET_DIR=" + run.kineto_dir.string());
  environment.push_back("KINETO_ONDEMAND_TRACE_DIR=" +
                        (run.run_dir / agent::kProfilesName).string());
  if (!HasVariable(environment, "KINETO_LOG_LEVEL")) environment.push_back("KINETO_LOG_LEVEL=4");
}

}  // namespace

std::string OwnKinetoDaemon(const std::vector<std::string>& own) {
  for (const char* name : {"KINETO_USE_DAEMON", "KINETO_IPC_SOCKET_DIR"}) {
    if (HasVariable(own, name)) return name;
  }
  return {};
}

std::vector<std::string> EnvironmentForCommand(const std::vector<std::string>& own,
                                               const RunEnvironment& run) {
  std::vector<std::string> environment;
  std::string python_path;
  bool has_python_path = false;
  for (const std::string& entry : own) {
    const std::string_view name = NameOf(entry);
    if (name == "PYTHONPATH" && !run.package_dir.empty()) {
      python_path = entry.size() > name.size() ? entry.substr(name.size() + 1) : "";
      has_python_path = true;
    } else if (name == "KINETO_ONDEMAND_TRACE_DIR" && !run.kineto_dir.empty()) {
      continue;  // without a daemon of his own it does nothing
    } else if (!IsOurs(name) && !IsOuterCollector(entry, own) &&
               !(name == "STEPTRACE_HOOKS" && !run.hooks.empty())) {
      environment.push_back(entry);
    }
  }
  environment.push_back("STEPTRACE_RUN=" + run.run_id);
  environment.push_back("STEPTRACE_RUN_DIR=" + run.run_dir.string());
  environment.push_back("STEPTRACE_RING_DIR=" + run.ring_dir.string());
  if (!run.hooks.empty()) environment.push_back("STEPTRACE_HOOKS=" + run.hooks);
  if (!run.tensors.empty()) environment.push_back("STEPTRACE_TENSORS=" + run.tensors);
  if (run.agent_pid > 0) {
    environment.push_back("STEPTRACE_AGENT_PID=" + std::to_string(run.agent_pid));
  }
  if (!run.kineto_dir.empty()) AddKineto(run, environment);
  if (!run.package_dir.empty()) {
    AddPackage(run, has_python_path ? &python_path : nullptr, environment);
  }
  return environment;
}

std::vector<std::string> OwnEnvironment() {
  std::vector<std::string> entries;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    entries.emplace_back(*entry);
  }
  return entries;
}

}  // namespace steptrace::cli
