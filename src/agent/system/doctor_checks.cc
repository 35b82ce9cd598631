// SPDX-License-Identifier: Apache-2.0
#include "agent/system/doctor_checks.h"

#include <unistd.h>

#include <cstdio>
#include <map>
#include <optional>

#include "agent/system/kept_file.h"
#include "agent/system/kernel_text.h"
#include "agent/system/system_sampler.h"
#include "base/time.h"

namespace steptrace::agent {
namespace {

using store::Metric;

// What two samples gave.
class Findings : public MetricSink {
 public:
  void OnSample(const MetricSample& sample) override { values_[sample.metric] = sample.value; }
  void OnUnavailable(const MissingSource& source) override { unavailable_.push_back(source); }

  std::optional<double> Value(Metric metric) const {
    const auto found = values_.find(metric);
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }
  const MissingSource* Unavailable(const std::string& source) const {
    for (const MissingSource& entry : unavailable_) {
      if (entry.source == source) return &entry;
    }
    return nullptr;
  }
  const std::vector<MissingSource>& unavailable() const { return unavailable_; }

 private:
  std::map<Metric, double> values_;
  std::vector<MissingSource> unavailable_;
};

// A source that is there when `witness`, a metric that it always yields, came.
struct Source {
  const char* name;  // as readers report it
  Metric witness;
  const char* what;  // of it, for people
};

constexpr Source kSources[] = {
    {"cpu", Metric::kCpuRunnable, "each core: user, system, I/O wait, steal"},
    {"memory", Metric::kMemoryTotal, "used, cached, swap"},
    {"psi", Metric::kPsiCpuSome, "time in which tasks stall on CPU, memory and I/O"},
    {"disk", Metric::kDiskRead, "bytes and requests of each disk"},
    {"network", Metric::kNetworkReceive, "bytes of each interface"},
    {"job", Metric::kJobProcesses, "the training's processes: CPU, memory, threads, switches"},
    {"process io", Metric::kJobRead, "bytes that they read and write"},
    {"process run delay", Metric::kJobRunDelay, "time in which they wait for a core"},
    {"cgroup psi", Metric::kCgroupPsiCpuSome, "the same stalls, of the container alone"},
};

DoctorCheck CheckOf(const Findings& findings, const Source& source) {
  DoctorCheck check{.source = source.name,
                    .available = findings.Value(source.witness).has_value(),
                    .reason = source.what,
                    .remedy = {}};
  if (check.available) return check;
  if (const MissingSource* reported = findings.Unavailable(source.name)) {
    check.reason = reported->reason;
    check.remedy = reported->remedy;
  } else {
    check.reason = "this machine has none";
    check.remedy = "nothing is wrong where it has none; else see that /proc and /sys are mounted";
  }
  return check;
}

std::string Number(double value, const char* unit) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.4g %s", value, unit);
  return text;
}

// No limit is no lack: the check is about whether one would be seen.
DoctorCheck CgroupCheck(const Findings& findings) {
  DoctorCheck check{.source = "cgroup", .available = true, .reason = {}, .remedy = {}};
  if (const MissingSource* reported = findings.Unavailable("cgroup")) {
    return {.source = "cgroup",
            .available = false,
            .reason = reported->reason,
            .remedy = reported->remedy};
  }
  constexpr double kGib = 1 << 30;
  const auto cores = findings.Value(Metric::kCgroupCpuLimit);
  const auto bytes = findings.Value(Metric::kCgroupMemoryLimit);
  check.reason = cores ? "CPU limit " + Number(*cores, "cores") : "no CPU limit";
  check.reason += bytes ? ", memory limit " + Number(*bytes / kGib, "GiB") : ", no memory limit";
  return check;
}

DoctorCheck CpuCounterCheck(const Findings& findings) {
  DoctorCheck check{.source = "cpu counters",
                    .available = true,
                    .reason = "cycles, instructions, misses of the instruction TLB",
                    .remedy = {}};
  if (const MissingSource* reported = findings.Unavailable("cpu counters")) {
    check.available = false;
    check.reason = reported->reason;
    check.remedy = reported->remedy;
  }
  return check;
}

void AddGpuChecks(const Findings& findings, const std::vector<GpuDevice>& gpus,
                  std::vector<DoctorCheck>& checks) {
  if (gpus.empty()) {
    DoctorCheck check{.source = "gpu", .available = false, .reason = "no GPU", .remedy = {}};
    if (const MissingSource* reported = findings.Unavailable("gpu")) {
      check.reason = reported->reason;
      check.remedy = reported->remedy;
    }
    checks.push_back(std::move(check));
    return;
  }
  for (const GpuDevice& gpu : gpus) {
    checks.push_back({.source = "gpu " + std::to_string(gpu.device),
                      .available = true,
                      .reason = gpu.name,
                      .remedy = {}});
    if (!gpu.gpm) continue;
    checks.push_back({.source = "gpu " + std::to_string(gpu.device) + " GPM",
                      .available = true,
                      .reason = "multiprocessors, tensor cores and memory bandwidth in use",
                      .remedy = {}});
  }
  for (const MissingSource& reported : findings.unavailable()) {
    if (!reported.of_gpu) continue;
    checks.push_back({.source = reported.source,
                      .available = false,
                      .reason = reported.reason,
                      .remedy = reported.remedy});
  }
}

// The option by which the /proc mounted at `point` hides processes; nothing when it hides none. Of
// several mounts on one point the last is seen; its own options are the last word of its line.
std::optional<std::string> HidePidOf(std::string_view mountinfo, std::string_view point) {
  std::optional<std::string> hidden;
  while (!mountinfo.empty()) {
    std::string_view line = TakeLine(mountinfo);
    const std::string_view options = line.substr(line.rfind(' ') + 1);
    for (int skipped = 0; skipped < 4; ++skipped) TakeWord(line);
    if (TakeWord(line) != point) continue;
    hidden.reset();
    const size_t at = options.find("hidepid=");
    if (at == std::string_view::npos) continue;
    const std::string_view option = options.substr(at, options.find(',', at) - at);
    if (option != "hidepid=0" && option != "hidepid=off") hidden = std::string(option);
  }
  return hidden;
}

DoctorCheck OtherUsersCheck(const DoctorOptions& options) {
  DoctorCheck check{
      .source = "processes of other users", .available = true, .reason = {}, .remedy = {}};
  std::string buffer;
  KeptFile mounts(options.proc_root + "/self/mountinfo", KeptFile::Records::kMany);
  const auto text = mounts.ReadOnce(buffer);
  const auto hidden = text ? HidePidOf(*text, options.proc_root) : std::nullopt;
  if (hidden && ::geteuid() != 0) {
    check.available = false;
    check.reason = options.proc_root + " is mounted with " + *hidden;
    check.remedy = "run the agent as the user of the training, or as root";
  } else if (::geteuid() != 0) {
    check.reason = "their CPU and memory; their I/O only as root";
  } else {
    check.reason = "their CPU, memory and I/O";
  }
  return check;
}

}  // namespace

std::vector<DoctorCheck> DoctorChecks(const DoctorOptions& options) {
  SystemSamplerOptions sampling;
  sampling.proc_root = options.proc_root;
  sampling.sys_root = options.sys_root;
  sampling.nvml_library = options.nvml_library;
  sampling.job_roots = [] { return std::vector<JobRoot>{{.pid = ::getpid()}}; };
  Result<std::unique_ptr<SystemSampler>> sampler = SystemSampler::Create(std::move(sampling));
  if (!sampler.ok()) return {{"system", false, sampler.error().text(), ""}};
  Findings findings;
  // Rates need two samples; the time between them is only told, so nobody has to wait for it.
  (*sampler)->Sample(kNsPerSecond, findings);
  (*sampler)->Sample(2 * kNsPerSecond, findings);
  std::vector<DoctorCheck> checks;
  for (const Source& source : kSources) checks.push_back(CheckOf(findings, source));
  checks.push_back(CgroupCheck(findings));
  checks.push_back(OtherUsersCheck(options));
  checks.push_back(CpuCounterCheck(findings));
  AddGpuChecks(findings, (*sampler)->gpus(), checks);
  return checks;
}

}  // namespace steptrace::agent
