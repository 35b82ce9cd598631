// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/system/cgroup_path.h"
#include "agent/system/kept_file.h"
#include "agent/system/metric_sink.h"
#include "agent/system/pressure_reader.h"
#include "agent/system/rates.h"

namespace steptrace::agent {

// "50000 100000" or "max 100000" of cpu.max, as cores; nothing without a limit.
std::optional<double> ParseCpuMax(std::string_view text);
// cpu.cfs_quota_us and cpu.cfs_period_us of v1, as cores; a quota of -1 is none.
std::optional<double> CoresOfQuota(std::string_view quota_us, std::string_view period_us);
// memory.max or memory.limit_in_bytes; "max" and what no machine has are no limit.
std::optional<uint64_t> ParseMemoryLimit(std::string_view text);

// The counters of cpu.stat, of both versions.
struct CpuStat {
  std::optional<uint64_t> periods;
  std::optional<uint64_t> throttled_periods;
  std::optional<uint64_t> throttled_ns;
  std::optional<uint64_t> usage_ns;  // v2 alone
};

CpuStat ParseCpuStat(std::string_view text);

// Limits, use and throttling of the cgroups that hold one process (v1, v2 or both at once). Of
// nested limits the tightest holds; throttling and use are read where it is set. One thread.
class CgroupReader {
 public:
  explicit CgroupReader(std::string proc_root) : proc_root_(std::move(proc_root)) {}

  // `pid`: a process of the job, as long as it lives; 0: none is known.
  void Sample(SampleContext& context, int32_t pid);

 private:
  void FindFolders(SampleContext& context, int32_t pid);
  void FindCpuLimit();
  void FindMemoryLimit();
  std::string UsageFile(const std::string& cpu_folder) const;
  void SampleCpu(SampleContext& context);
  void SampleThrottling(SampleContext& context, const CpuStat& stat, double seconds);
  void SampleMemory(SampleContext& context);
  std::string ReadText(const std::string& path);

  std::string proc_root_;
  std::string buffer_;
  std::optional<int64_t> folders_found_ns_;
  std::string memberships_;  // the text from which the folders were found
  std::optional<CgroupFolders> cpu_;
  std::optional<CgroupFolders> accounting_;
  std::optional<CgroupFolders> memory_;
  std::optional<double> cpu_limit_cores_;
  std::optional<uint64_t> memory_limit_bytes_;
  KeptFile cpu_stat_;
  KeptFile cpu_usage_;  // v1
  KeptFile memory_use_;
  std::optional<PressureReader> pressure_;
  Elapsed elapsed_;
  RateOf usage_ns_per_s_;
  RateOf throttled_ns_per_s_;
  std::optional<uint64_t> periods_;
  std::optional<uint64_t> throttled_periods_;
};

}  // namespace steptrace::agent
