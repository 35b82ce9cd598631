// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/metrics.toml.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace steptrace::store {

// clang-format off
enum class MetricScope : uint8_t { kNode, kCore, kJob, kProcess, kGpu, kAgent };

enum class MetricUnit : uint8_t {
  kShare,  // 0 to 1
  kCores,  // seconds of CPU per second
  kBytes,
  kBytesPerSecond,
  kPerSecond,
  kCount,
  kWatts,
  kHertz,
  kCelsius,
  kBitmask,
  kCode,
};

// A number for use in memory only: files hold the name.
enum class Metric : uint16_t {
  kCpuBusyShare,
  kCpuUserShare,
  kCpuSystemShare,
  kCpuIowaitShare,
  kCpuStealShare,
  kCpuRunnable,
  kMemoryUsed,
  kMemoryAvailable,
  kMemoryTotal,
  kMemoryUsedShare,
  kSwapUsed,
  kPsiCpuSome,
  kPsiIoSome,
  kPsiIoFull,
  kPsiMemorySome,
  kDiskRead,
  kDiskWrite,
  kDiskBusyShare,
  kDiskOperations,
  kNetworkReceive,
  kNetworkSend,
  kNetworkPlatformReceive,
  kNetworkPlatformSend,
  kRdmaReceive,
  kRdmaSend,
  kCgroupCpuLimit,
  kCgroupCpu,
  kCgroupThrottledShare,
  kCgroupThrottledPeriods,
  kCgroupThrottledCores,
  kCgroupMemoryLimit,
  kCgroupMemory,
  kCgroupPsiCpuSome,
  kCgroupPsiIoSome,
  kCgroupPsiMemorySome,
  kCoreBusyShare,
  kCoreUserShare,
  kCoreSystemShare,
  kCoreIowaitShare,
  kCoreStealShare,
  kJobCpu,
  kJobRss,
  kJobThreads,
  kJobProcesses,
  kJobVoluntarySwitches,
  kJobInvoluntarySwitches,
  kJobRead,
  kJobWrite,
  kJobRunDelay,
  kProcessCpu,
  kProcessRss,
  kProcessRssAnon,
  kProcessRssFile,
  kProcessRssShmem,
  kProcessPss,
  kProcessPrivateDirty,
  kProcessThreads,
  kProcessRead,
  kProcessWrite,
  kProcessRunDelay,
  kProcessMinorFaults,
  kProcessMajorFaults,
  kProcessVoluntarySwitches,
  kProcessInvoluntarySwitches,
  kProcessCycles,
  kProcessInstructions,
  kProcessItlbMisses,
  kProcessCountersRunningShare,
  kGpuUtilization,
  kGpuMemoryBusyShare,
  kGpuMemoryUsed,
  kGpuMemoryTotal,
  kGpuMemoryUsedShare,
  kGpuPower,
  kGpuSmClock,
  kGpuMemoryClock,
  kGpuTemperature,
  kGpuThrottleReasons,
  kGpuPcieReceive,
  kGpuPcieSend,
  kGpuNvlinkReceive,
  kGpuNvlinkSend,
  kGpuSmActiveShare,
  kGpuSmOccupancyShare,
  kGpuTensorActiveShare,
  kGpuDramActiveShare,
  kGpuEccErrors,
  kGpuXid,
  kAgentCpu,
  kAgentRss,
  kAgentRecords,
};

struct MetricInfo {
  Metric metric;
  const char* name;
  MetricScope scope;
  MetricUnit unit;
};
inline constexpr MetricInfo kMetrics[] = {
    {Metric::kCpuBusyShare, "cpu.busy_share", MetricScope::kNode, MetricUnit::kShare},
    {Metric::kCpuUserShare, "cpu.user_share", MetricScope::kNode, MetricUnit::kShare},
    {Metric::kCpuSystemShare, "cpu.system_share", MetricScope::kNode, MetricUnit::kShare},
    {Metric::kCpuIowaitShare, "cpu.iowait_share", MetricScope::kNode, MetricUnit::kShare},
    {Metric::kCpuStealShare, "cpu.steal_share", MetricScope::kNode, MetricUnit::kShare},
    {Metric::kCpuRunnable, "cpu.runnable", MetricScope::kNode, MetricUnit::kCount},
    {Metric::kMemoryUsed, "memory.used_bytes", MetricScope::kNode, MetricUnit::kBytes},
    {Metric::kMemoryAvailable, "memory.available_bytes", MetricScope::kNode, MetricUnit::kBytes},
    {Metric::kMemoryTotal, "memory.total_bytes", MetricScope::kNode, MetricUnit::kBytes},
    {Metric::kMemoryUsedShare, "memory.used_share", MetricScope::kNode, MetricUnit::kShare},
    {Metric::kSwapUsed, "swap.used_bytes", MetricScope::kNode, MetricUnit::kBytes},
    {Metric::kPsiCpuSome, "psi.cpu_some_share", MetricScope::kNode, MetricUnit::kShare},
    {Metric::kPsiIoSome, "psi.io_some_share", MetricScope::kNode, MetricUnit::kShare},
    {Metric::kPsiIoFull, "psi.io_full_share", MetricScope::kNode, MetricUnit::kShare},
    {Metric::kPsiMemorySome, "psi.memory_some_share", MetricScope::kNode, MetricUnit::kShare},
    {Metric::kDiskRead, "disk.read_bytes_per_s", MetricScope::kNode, MetricUnit::kBytesPerSecond},
    {Metric::kDiskWrite, "disk.write_bytes_per_s", MetricScope::kNode, MetricUnit::kBytesPerSecond},
    {Metric::kDiskBusyShare, "disk.busy_share", MetricScope::kNode, MetricUnit::kShare},
    {Metric::kDiskOperations, "disk.operations_per_s", MetricScope::kNode, MetricUnit::kPerSecond},
    {Metric::kNetworkReceive, "network.receive_bytes_per_s", MetricScope::kNode, MetricUnit::kBytesPerSecond},
    {Metric::kNetworkSend, "network.send_bytes_per_s", MetricScope::kNode, MetricUnit::kBytesPerSecond},
    {Metric::kNetworkPlatformReceive, "network.platform_receive_bytes_per_s", MetricScope::kNode, MetricUnit::kBytesPerSecond},
    {Metric::kNetworkPlatformSend, "network.platform_send_bytes_per_s", MetricScope::kNode, MetricUnit::kBytesPerSecond},
    {Metric::kRdmaReceive, "network.rdma_receive_bytes_per_s", MetricScope::kNode, MetricUnit::kBytesPerSecond},
    {Metric::kRdmaSend, "network.rdma_send_bytes_per_s", MetricScope::kNode, MetricUnit::kBytesPerSecond},
    {Metric::kCgroupCpuLimit, "cgroup.cpu_limit_cores", MetricScope::kNode, MetricUnit::kCores},
    {Metric::kCgroupCpu, "cgroup.cpu_cores", MetricScope::kNode, MetricUnit::kCores},
    {Metric::kCgroupThrottledShare, "cgroup.throttled_share", MetricScope::kNode, MetricUnit::kShare},
    {Metric::kCgroupThrottledPeriods, "cgroup.throttled_periods_per_s", MetricScope::kNode, MetricUnit::kPerSecond},
    {Metric::kCgroupThrottledCores, "cgroup.throttled_cores", MetricScope::kNode, MetricUnit::kCores},
    {Metric::kCgroupMemoryLimit, "cgroup.memory_limit_bytes", MetricScope::kNode, MetricUnit::kBytes},
    {Metric::kCgroupMemory, "cgroup.memory_bytes", MetricScope::kNode, MetricUnit::kBytes},
    {Metric::kCgroupPsiCpuSome, "cgroup.psi_cpu_some_share", MetricScope::kNode, MetricUnit::kShare},
    {Metric::kCgroupPsiIoSome, "cgroup.psi_io_some_share", MetricScope::kNode, MetricUnit::kShare},
    {Metric::kCgroupPsiMemorySome, "cgroup.psi_memory_some_share", MetricScope::kNode, MetricUnit::kShare},
    {Metric::kCoreBusyShare, "core.busy_share", MetricScope::kCore, MetricUnit::kShare},
    {Metric::kCoreUserShare, "core.user_share", MetricScope::kCore, MetricUnit::kShare},
    {Metric::kCoreSystemShare, "core.system_share", MetricScope::kCore, MetricUnit::kShare},
    {Metric::kCoreIowaitShare, "core.iowait_share", MetricScope::kCore, MetricUnit::kShare},
    {Metric::kCoreStealShare, "core.steal_share", MetricScope::kCore, MetricUnit::kShare},
    {Metric::kJobCpu, "job.cpu_cores", MetricScope::kJob, MetricUnit::kCores},
    {Metric::kJobRss, "job.rss_bytes", MetricScope::kJob, MetricUnit::kBytes},
    {Metric::kJobThreads, "job.threads", MetricScope::kJob, MetricUnit::kCount},
    {Metric::kJobProcesses, "job.processes", MetricScope::kJob, MetricUnit::kCount},
    {Metric::kJobVoluntarySwitches, "job.voluntary_switches_per_s", MetricScope::kJob, MetricUnit::kPerSecond},
    {Metric::kJobInvoluntarySwitches, "job.involuntary_switches_per_s", MetricScope::kJob, MetricUnit::kPerSecond},
    {Metric::kJobRead, "job.read_bytes_per_s", MetricScope::kJob, MetricUnit::kBytesPerSecond},
    {Metric::kJobWrite, "job.write_bytes_per_s", MetricScope::kJob, MetricUnit::kBytesPerSecond},
    {Metric::kJobRunDelay, "job.run_delay_cores", MetricScope::kJob, MetricUnit::kCores},
    {Metric::kProcessCpu, "process.cpu_cores", MetricScope::kProcess, MetricUnit::kCores},
    {Metric::kProcessRss, "process.rss_bytes", MetricScope::kProcess, MetricUnit::kBytes},
    {Metric::kProcessRssAnon, "process.rss_anon_bytes", MetricScope::kProcess, MetricUnit::kBytes},
    {Metric::kProcessRssFile, "process.rss_file_bytes", MetricScope::kProcess, MetricUnit::kBytes},
    {Metric::kProcessRssShmem, "process.rss_shmem_bytes", MetricScope::kProcess, MetricUnit::kBytes},
    {Metric::kProcessPss, "process.pss_bytes", MetricScope::kProcess, MetricUnit::kBytes},
    {Metric::kProcessPrivateDirty, "process.private_dirty_bytes", MetricScope::kProcess, MetricUnit::kBytes},
    {Metric::kProcessThreads, "process.threads", MetricScope::kProcess, MetricUnit::kCount},
    {Metric::kProcessRead, "process.read_bytes_per_s", MetricScope::kProcess, MetricUnit::kBytesPerSecond},
    {Metric::kProcessWrite, "process.write_bytes_per_s", MetricScope::kProcess, MetricUnit::kBytesPerSecond},
    {Metric::kProcessRunDelay, "process.run_delay_cores", MetricScope::kProcess, MetricUnit::kCores},
    {Metric::kProcessMinorFaults, "process.minor_faults_per_s", MetricScope::kProcess, MetricUnit::kPerSecond},
    {Metric::kProcessMajorFaults, "process.major_faults_per_s", MetricScope::kProcess, MetricUnit::kPerSecond},
    {Metric::kProcessVoluntarySwitches, "process.voluntary_switches_per_s", MetricScope::kProcess, MetricUnit::kPerSecond},
    {Metric::kProcessInvoluntarySwitches, "process.involuntary_switches_per_s", MetricScope::kProcess, MetricUnit::kPerSecond},
    {Metric::kProcessCycles, "process.cycles_per_s", MetricScope::kProcess, MetricUnit::kPerSecond},
    {Metric::kProcessInstructions, "process.instructions_per_s", MetricScope::kProcess, MetricUnit::kPerSecond},
    {Metric::kProcessItlbMisses, "process.itlb_misses_per_s", MetricScope::kProcess, MetricUnit::kPerSecond},
    {Metric::kProcessCountersRunningShare, "process.counters_running_share", MetricScope::kProcess, MetricUnit::kShare},
    {Metric::kGpuUtilization, "gpu.utilization_share", MetricScope::kGpu, MetricUnit::kShare},
    {Metric::kGpuMemoryBusyShare, "gpu.memory_busy_share", MetricScope::kGpu, MetricUnit::kShare},
    {Metric::kGpuMemoryUsed, "gpu.memory_used_bytes", MetricScope::kGpu, MetricUnit::kBytes},
    {Metric::kGpuMemoryTotal, "gpu.memory_total_bytes", MetricScope::kGpu, MetricUnit::kBytes},
    {Metric::kGpuMemoryUsedShare, "gpu.memory_used_share", MetricScope::kGpu, MetricUnit::kShare},
    {Metric::kGpuPower, "gpu.power_watts", MetricScope::kGpu, MetricUnit::kWatts},
    {Metric::kGpuSmClock, "gpu.sm_clock_hz", MetricScope::kGpu, MetricUnit::kHertz},
    {Metric::kGpuMemoryClock, "gpu.memory_clock_hz", MetricScope::kGpu, MetricUnit::kHertz},
    {Metric::kGpuTemperature, "gpu.temperature_celsius", MetricScope::kGpu, MetricUnit::kCelsius},
    {Metric::kGpuThrottleReasons, "gpu.throttle_reasons", MetricScope::kGpu, MetricUnit::kBitmask},
    {Metric::kGpuPcieReceive, "gpu.pcie_receive_bytes_per_s", MetricScope::kGpu, MetricUnit::kBytesPerSecond},
    {Metric::kGpuPcieSend, "gpu.pcie_send_bytes_per_s", MetricScope::kGpu, MetricUnit::kBytesPerSecond},
    {Metric::kGpuNvlinkReceive, "gpu.nvlink_receive_bytes_per_s", MetricScope::kGpu, MetricUnit::kBytesPerSecond},
    {Metric::kGpuNvlinkSend, "gpu.nvlink_send_bytes_per_s", MetricScope::kGpu, MetricUnit::kBytesPerSecond},
    {Metric::kGpuSmActiveShare, "gpu.sm_active_share", MetricScope::kGpu, MetricUnit::kShare},
    {Metric::kGpuSmOccupancyShare, "gpu.sm_occupancy_share", MetricScope::kGpu, MetricUnit::kShare},
    {Metric::kGpuTensorActiveShare, "gpu.tensor_active_share", MetricScope::kGpu, MetricUnit::kShare},
    {Metric::kGpuDramActiveShare, "gpu.dram_active_share", MetricScope::kGpu, MetricUnit::kShare},
    {Metric::kGpuEccErrors, "gpu.ecc_errors", MetricScope::kGpu, MetricUnit::kCount},
    {Metric::kGpuXid, "gpu.xid", MetricScope::kGpu, MetricUnit::kCode},
    {Metric::kAgentCpu, "agent.cpu_cores", MetricScope::kAgent, MetricUnit::kCores},
    {Metric::kAgentRss, "agent.rss_bytes", MetricScope::kAgent, MetricUnit::kBytes},
    {Metric::kAgentRecords, "agent.records_per_s", MetricScope::kAgent, MetricUnit::kPerSecond},
};
inline constexpr size_t kMetricCount = 91;

constexpr const char* NameOf(MetricScope of) {
  constexpr const char* kNames[] = {"node", "core", "job", "process", "gpu", "agent"};
  return kNames[static_cast<size_t>(of)];
}
constexpr const char* NameOf(MetricUnit of) {
  constexpr const char* kNames[] = {"share", "cores", "bytes", "bytes/s", "1/s", "count", "W", "Hz", "°C", "bitmask", "code"};
  return kNames[static_cast<size_t>(of)];
}

// What hooks tell, by name.
namespace torch_cuda {
inline constexpr std::string_view kAllocatedBytes = "torch_cuda.allocated_bytes";
inline constexpr std::string_view kReservedBytes = "torch_cuda.reserved_bytes";
inline constexpr std::string_view kInactiveSplitBytes = "torch_cuda.inactive_split_bytes";
inline constexpr std::string_view kAllocRetries = "torch_cuda.alloc_retries";
inline constexpr std::string_view kOoms = "torch_cuda.ooms";
inline constexpr std::string_view kAll[] = {"torch_cuda.allocated_bytes", "torch_cuda.reserved_bytes", "torch_cuda.inactive_split_bytes", "torch_cuda.alloc_retries", "torch_cuda.ooms"};
}  // namespace torch_cuda
// clang-format on

constexpr const MetricInfo& InfoOf(Metric metric) {
  return kMetrics[static_cast<size_t>(metric)];
}

constexpr const char* NameOf(Metric metric) {
  return InfoOf(metric).name;
}

constexpr bool operator==(std::string_view stored, Metric metric) {
  return stored == NameOf(metric);
}

constexpr std::optional<Metric> MetricNamed(std::string_view name) {
  for (const MetricInfo& info : kMetrics) {
    if (name == info.name) return info.metric;
  }
  return std::nullopt;
}

}  // namespace steptrace::store
