// SPDX-License-Identifier: Apache-2.0
#include "agent/system/cgroup_reader.h"

#include <algorithm>

#include "agent/system/kernel_text.h"

namespace steptrace::agent {
namespace {

using store::Metric;

// Limits are set by people and schedulers, and jobs are moved seldom.
constexpr int64_t kFindAgainNs = 5 * kNsPerSecond;

std::string_view FirstWord(std::string_view text) {
  std::string_view line = TakeLine(text);
  return TakeWord(line);
}

std::optional<double> Cores(std::optional<uint64_t> quota_us, std::optional<uint64_t> period_us) {
  if (!quota_us || !period_us || *quota_us == 0 || *period_us == 0) return std::nullopt;
  return static_cast<double>(*quota_us) / static_cast<double>(*period_us);
}

}  // namespace

std::optional<double> ParseCpuMax(std::string_view text) {
  std::string_view line = TakeLine(text);
  const std::optional<uint64_t> quota_us = TakeU64(line);  // "max" is no number
  return Cores(quota_us, TakeU64(line));
}

std::optional<double> CoresOfQuota(std::string_view quota_us, std::string_view period_us) {
  return Cores(ToU64(FirstWord(quota_us)), ToU64(FirstWord(period_us)));
}

std::optional<uint64_t> ParseMemoryLimit(std::string_view text) {
  const std::optional<uint64_t> limit = ToU64(FirstWord(text));
  // v1 writes "none" as the largest number of whole pages.
  constexpr uint64_t kNoMachineHas = uint64_t{1} << 60;
  if (!limit || *limit >= kNoMachineHas) return std::nullopt;
  return limit;
}

CpuStat ParseCpuStat(std::string_view text) {
  CpuStat stat;
  const auto us_as_ns = [](std::optional<uint64_t> us) -> std::optional<uint64_t> {
    if (!us || *us > UINT64_MAX / kNsPerUs) return std::nullopt;
    return *us * static_cast<uint64_t>(kNsPerUs);
  };
  while (!text.empty()) {
    std::string_view line = TakeLine(text);
    const std::string_view key = TakeWord(line);
    const std::optional<uint64_t> value = TakeU64(line);
    if (key == "nr_periods") stat.periods = value;
    if (key == "nr_throttled") stat.throttled_periods = value;
    if (key == "throttled_time") stat.throttled_ns = value;            // v1
    if (key == "throttled_usec") stat.throttled_ns = us_as_ns(value);  // v2
    if (key == "usage_usec") stat.usage_ns = us_as_ns(value);
  }
  return stat;
}

std::string CgroupReader::ReadText(const std::string& path) {
  KeptFile file(path, KeptFile::Records::kMany);
  return std::string(file.ReadOnce(buffer_).value_or(std::string_view()));
}

void CgroupReader::FindFolders(SampleContext& context, int32_t pid) {
  const std::string process = proc_root_ + "/" + (pid > 0 ? std::to_string(pid) : "self");
  std::string text = ReadText(process + "/cgroup");
  if (text.empty()) {
    if (memberships_.empty()) {
      context.ReportOnce("cgroup", process + "/cgroup cannot be read",
                         "run the agent as the user of the training");
    }
    return;  // the process ended: what was found goes on holding
  }
  if (text == memberships_) return;
  memberships_ = std::move(text);
  const auto mounts = ParseCgroupMounts(ReadText(proc_root_ + "/self/mountinfo"));
  const auto memberships = ParseCgroupMemberships(memberships_);
  cpu_ = FindCgroup(mounts, memberships, "cpu");
  accounting_ = FindCgroup(mounts, memberships, "cpuacct");
  memory_ = FindCgroup(mounts, memberships, "memory");
  const auto unified = FindUnifiedCgroup(mounts, memberships);
  pressure_.reset();
  if (unified) pressure_ = PressureReader::OfCgroup(unified->folders.front());
  if (!cpu_ && !memory_) {
    context.ReportOnce("cgroup", "no cgroup hierarchy is mounted",
                       "mount /sys/fs/cgroup where the agent runs");
  }
  cpu_stat_ = KeptFile();
  cpu_usage_ = KeptFile();
  memory_use_ = KeptFile();
}

void CgroupReader::FindCpuLimit() {
  cpu_limit_cores_.reset();
  if (!cpu_) return;
  const std::string* set_in = &cpu_->folders.front();
  for (const std::string& folder : cpu_->folders) {
    const std::optional<double> cores = cpu_->v2
                                            ? ParseCpuMax(ReadText(folder + "/cpu.max"))
                                            : CoresOfQuota(ReadText(folder + "/cpu.cfs_quota_us"),
                                                           ReadText(folder + "/cpu.cfs_period_us"));
    if (!cores || (cpu_limit_cores_ && *cores >= *cpu_limit_cores_)) continue;
    cpu_limit_cores_ = cores;
    set_in = &folder;
  }
  const std::string stat = *set_in + "/cpu.stat";
  if (cpu_stat_.path() != stat) {
    cpu_stat_ = KeptFile(stat);
    elapsed_.Reset();
    usage_ns_per_s_.Reset();
    throttled_ns_per_s_.Reset();
    periods_.reset();
    throttled_periods_.reset();
  }
  cpu_usage_ = KeptFile(UsageFile(*set_in));
}

// v1 keeps usage in a hierarchy that may be mounted apart: the same path in it is the same cgroup,
// and where the process has another path there it tells of others.
std::string CgroupReader::UsageFile(const std::string& cpu_folder) const {
  if (cpu_->v2 || !accounting_ || accounting_->v2) return {};
  const std::string path = cpu_folder.substr(cpu_->folders.back().size());
  for (const std::string& folder : accounting_->folders) {
    if (folder == accounting_->folders.back() + path) return folder + "/cpuacct.usage";
  }
  return {};
}

void CgroupReader::FindMemoryLimit() {
  memory_limit_bytes_.reset();
  if (!memory_) return;
  const std::string* set_in = &memory_->folders.front();
  for (const std::string& folder : memory_->folders) {
    const std::optional<uint64_t> limit = ParseMemoryLimit(
        ReadText(folder + (memory_->v2 ? "/memory.max" : "/memory.limit_in_bytes")));
    if (!limit || (memory_limit_bytes_ && *limit >= *memory_limit_bytes_)) continue;
    memory_limit_bytes_ = limit;
    set_in = &folder;
  }
  const std::string use = *set_in + (memory_->v2 ? "/memory.current" : "/memory.usage_in_bytes");
  if (memory_use_.path() != use) memory_use_ = KeptFile(use);
}

void CgroupReader::SampleThrottling(SampleContext& context, const CpuStat& stat, double seconds) {
  if (const auto rate = stat.throttled_ns ? throttled_ns_per_s_.Update(*stat.throttled_ns, seconds)
                                          : std::nullopt) {
    context.Emit(Metric::kCgroupThrottledCores, *rate / static_cast<double>(kNsPerSecond));
  }
  if (!stat.periods || !stat.throttled_periods || !periods_ || !throttled_periods_) return;
  const std::optional<uint64_t> periods = Growth(*periods_, *stat.periods);
  const std::optional<uint64_t> throttled = Growth(*throttled_periods_, *stat.throttled_periods);
  if (!periods || !throttled) return;
  context.Emit(Metric::kCgroupThrottledPeriods, static_cast<double>(*throttled) / seconds);
  const double share =
      *periods == 0 ? 0.0 : static_cast<double>(*throttled) / static_cast<double>(*periods);
  context.Emit(Metric::kCgroupThrottledShare, std::min(1.0, share));
}

void CgroupReader::SampleCpu(SampleContext& context) {
  if (!cpu_) return;
  if (cpu_limit_cores_) context.Emit(Metric::kCgroupCpuLimit, *cpu_limit_cores_);
  const std::optional<std::string_view> text = cpu_stat_.Read(buffer_);
  if (!text) return;  // the root cgroup of v2 without the controller has none
  CpuStat stat = ParseCpuStat(*text);
  if (!cpu_usage_.path().empty()) {
    const auto usage = cpu_usage_.Read(buffer_);
    stat.usage_ns = usage ? ToU64(FirstWord(*usage)) : std::nullopt;
  }
  const std::optional<double> seconds = elapsed_.Advance(context.now_ns());
  if (const auto rate =
          stat.usage_ns ? usage_ns_per_s_.Update(*stat.usage_ns, seconds) : std::nullopt) {
    context.Emit(Metric::kCgroupCpu, *rate / static_cast<double>(kNsPerSecond));
  }
  if (seconds && cpu_limit_cores_) {
    SampleThrottling(context, stat, *seconds);
  } else if (stat.throttled_ns) {
    throttled_ns_per_s_.Update(*stat.throttled_ns, std::nullopt);
  }
  periods_ = stat.periods;
  throttled_periods_ = stat.throttled_periods;
}

void CgroupReader::SampleMemory(SampleContext& context) {
  if (!memory_) return;
  if (memory_limit_bytes_) {
    context.Emit(Metric::kCgroupMemoryLimit, static_cast<double>(*memory_limit_bytes_));
  }
  const std::optional<std::string_view> text = memory_use_.Read(buffer_);
  const std::optional<uint64_t> use = text ? ToU64(FirstWord(*text)) : std::nullopt;
  if (use) context.Emit(Metric::kCgroupMemory, static_cast<double>(*use));
}

void CgroupReader::Sample(SampleContext& context, int32_t pid) {
  if (IsDue(folders_found_ns_, context.now_ns(), kFindAgainNs)) {
    folders_found_ns_ = context.now_ns();
    FindFolders(context, pid);
    FindCpuLimit();
    FindMemoryLimit();
  }
  SampleCpu(context);
  SampleMemory(context);
  if (pressure_) pressure_->Sample(context);
}

}  // namespace steptrace::agent
