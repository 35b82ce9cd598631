// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor.h"

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

#include "agent/stacks/stack_rights.h"
#include "agent/system/doctor_checks.h"
#include "cli/doctor_cupti.h"
#include "cli/package_dir.h"

namespace steptrace::cli {
namespace {

namespace fs = std::filesystem;

// A few ranks with workers: 2^16 records of 32 bytes for a training thread, 2^12 for others.
constexpr uint64_t kComfortableShmBytes = 64ull << 20;

std::optional<std::string> ReadText(const fs::path& path) {
  std::ifstream in(path);
  if (!in) return std::nullopt;
  std::stringstream text;
  text << in.rdbuf();
  std::string read = std::move(text).str();
  while (!read.empty() && (read.back() == '\n' || read.back() == ' ')) read.pop_back();
  return read;
}

HealthCheck ExaminePackage() {
  auto package = PackageDir();
  if (package.ok()) return {"Python package", Health::kOk, package->string(), ""};
  return {"Python package", Health::kMissing,
          "not found beside " + ExecutablePath().string() + ": trainings get no hooks",
          "install the wheel again or set STEPTRACE_PACKAGE_DIR"};
}

HealthCheck ExamineShm(const fs::path& shm) {
  struct statvfs space {};
  if (statvfs(shm.c_str(), &space) != 0 || access(shm.c_str(), W_OK | X_OK) != 0) {
    return {"shared memory", Health::kLimited,
            shm.string() + " is absent or cannot be written: rings lie in files",
            "mount a tmpfs there or name one with --shm"};
  }
  uint64_t free_bytes = uint64_t{space.f_bavail} * space.f_frsize;
  std::string detail = fmt::format("{}, {} MiB free", shm.string(), free_bytes >> 20);
  if (free_bytes >= kComfortableShmBytes) return {"shared memory", Health::kOk, detail, ""};
  return {"shared memory", Health::kLimited, detail + ": too little for many ranks",
          "docker run --shm-size=1g, or name another tmpfs with --shm"};
}

HealthCheck ExamineClock(const fs::path& root) {
  std::string flags = ReadText(root / "proc/cpuinfo").value_or("");
  bool invariant =
      flags.find("constant_tsc") != flags.npos && flags.find("nonstop_tsc") != flags.npos;
  if (invariant) return {"clock", Health::kOk, "invariant TSC", ""};
  return {"clock", Health::kLimited,
          "no invariant TSC: records use CLOCK_MONOTONIC, about 20 ns slower each",
          "no action is needed; most machines that are not virtual have one"};
}

HealthCheck ExamineRunQueue(const fs::path& root) {
  if (ReadText(root / "proc/self/schedstat")) {
    return {"waits for a core", Health::kOk, "/proc/self/schedstat", ""};
  }
  return {"waits for a core", Health::kMissing,
          "no /proc/self/schedstat: CPU contention is recognised less well",
          "use a kernel with CONFIG_SCHED_INFO"};
}

HealthCheck ExamineStacks(const fs::path& root) {
  const agent::StackRights rights = agent::ExamineStackRights(root / "proc");
  if (rights.allowed) return {"Python stacks", Health::kOk, rights.reason, rights.remedy};
  return {"Python stacks", Health::kMissing,
          rights.reason + ": not read from outside; a training samples its own instead",
          rights.remedy};
}

// Where a library takes one collector alone, and finds it by a variable, the user's comes first.
HealthCheck ExamineCollector(const char* subject, const char* variable) {
  const char* theirs = std::getenv(variable);
  const char* ours = std::getenv("STEPTRACE_PROBE");  // of a run that this is part of
  if (theirs == nullptr || (ours != nullptr && std::strcmp(ours, theirs) == 0)) {
    return {subject, Health::kOk, fmt::format("`steptrace run` sets {}", variable), ""};
  }
  return {subject, Health::kMissing,
          fmt::format("{} is set to {}: another tool collects them", variable, theirs),
          fmt::format("unset {} for the run", variable)};
}

constexpr const char* kNeedsDriver =
    "install NVIDIA's driver; in a container: docker run --gpus all";

// Operators in windows, as PyTorch tells ITT of them: it takes one collector.
HealthCheck ExamineOperators() {
#if defined(__x86_64__)
  return ExamineCollector("operators (ITT)", "INTEL_LIBITTNOTIFY64");
#else
  return {"operators (ITT)", Health::kMissing,
          "PyTorch has ITT on x86-64 only: windows of operators stay empty",
          "use --capture profile, which takes them from PyTorch's profiler"};
#endif
}

// The hooks begin and end it in the training: nothing of the machine can be in its way.
HealthCheck ExamineProfiles() {
  const char* hooks = std::getenv("STEPTRACE_HOOKS");
  if (hooks != nullptr && std::strcmp(hooks, "off") == 0) {
    return {"profiles (Kineto)", Health::kMissing, "STEPTRACE_HOOKS is off", "unset it"};
  }
  return {"profiles (Kineto)", Health::kOk,
          "PyTorch's own profiler, in windows: --capture stacks,shapes,memory; for processes "
          "without hooks: run --kineto",
          ""};
}

// Where the Python of this package, or of this executable, has its packages.
std::vector<fs::path> Sites() {
  std::vector<fs::path> sites;
  for (const fs::path& package : PackageDirCandidates()) sites.push_back(package.parent_path());
  return sites;
}

// Device activity: the library is the framework's own and shows in the training alone.
HealthCheck ExamineKernels(const fs::path& root) {
  const auto version = ReadText(root / "proc/driver/nvidia/version");
  if (!version) {
    return {"kernels (CUPTI)", Health::kMissing, "no NVIDIA driver (/proc/driver/nvidia/version)",
            kNeedsDriver};
  }
  return {"kernels (CUPTI)", Health::kOk,
          "an NVIDIA driver is loaded; windows of kernels need a PyTorch built with CUPTI, which "
          "wheels for CUDA are",
          ""};
}

// Device time of phases, by events: the driver is the training's own, as above.
HealthCheck ExamineDevicePhases(const fs::path& root) {
  if (!ReadText(root / "proc/driver/nvidia/version")) {
    return {"device phases", Health::kMissing, "no NVIDIA driver (/proc/driver/nvidia/version)",
            kNeedsDriver};
  }
  const char* hooks = std::getenv("STEPTRACE_HOOKS");
  if (hooks != nullptr && hooks[0] != 0 && std::strcmp(hooks, "all") != 0 &&
      std::strstr(hooks, "device") == nullptr) {
    return {"device phases", Health::kMissing, "STEPTRACE_HOOKS does not name device",
            "add device to it"};
  }
  return {"device phases", Health::kOk,
          "events at the boundaries of forward, backward and optimizer, in every step", ""};
}

}  // namespace

std::vector<HealthCheck> Examine(const fs::path& root, const fs::path& shm) {
  std::vector<HealthCheck> findings = {
      ExaminePackage(),
      ExamineShm(shm.empty() ? root / "dev/shm" : shm),
      ExamineClock(root),
      ExamineRunQueue(root),
      ExamineStacks(root),
      ExamineOperators(),
      ExamineProfiles(),
      ExamineKernels(root),
      ExamineCuptiUsers(Sites()),
      ExamineDevicePhases(root),
      ExamineCollector("NVTX ranges", "NVTX_INJECTION64_PATH"),
      ExamineCollector("NCCL collectives", "NCCL_PROFILER_PLUGIN")};
  agent::DoctorOptions options;
  options.proc_root = root / "proc";
  options.sys_root = root / "sys";
  for (const auto& check : agent::DoctorChecks(options)) {
    Health health = check.available ? Health::kOk : Health::kMissing;
    findings.push_back({check.source, health, check.reason, check.remedy});
  }
  return findings;
}

}  // namespace steptrace::cli
