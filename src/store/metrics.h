// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

// Every metric of the `counters` table, declared once. A counter's track bears the metric's name;
// what it counts for stands in the track: nothing (node, job, agent), device (core, GPU) or pid.
// docs/reference/metrics.md comes from this list.
namespace steptrace::store {

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
  const char* sentence;
};

namespace catalogue {
using enum MetricScope;

inline constexpr MetricInfo kMetrics[] = {
    {Metric::kCpuBusyShare, "cpu.busy_share", kNode, MetricUnit::kShare,
     "Of the time of all cores, that in which they had work: neither idle nor in I/O wait; stolen "
     "time included."},
    {Metric::kCpuUserShare, "cpu.user_share", kNode, MetricUnit::kShare,
     "Of the time of all cores, that in user code, niced or not."},
    {Metric::kCpuSystemShare, "cpu.system_share", kNode, MetricUnit::kShare,
     "Of the time of all cores, that in the kernel, interrupts included."},
    {Metric::kCpuIowaitShare, "cpu.iowait_share", kNode, MetricUnit::kShare,
     "Of the time of all cores, that idle with a read or write outstanding; the kernel's estimate, "
     "to be read beside psi.io_some_share."},
    {Metric::kCpuStealShare, "cpu.steal_share", kNode, MetricUnit::kShare,
     "Of the time of all cores, that which the hypervisor gave to other machines."},
    {Metric::kCpuRunnable, "cpu.runnable", kNode, MetricUnit::kCount,
     "Threads that ran or could have run at that moment, without the one that looked."},
    {Metric::kMemoryUsed, "memory.used_bytes", kNode, MetricUnit::kBytes,
     "Memory of the node that is not available: total less available."},
    {Metric::kMemoryAvailable, "memory.available_bytes", kNode, MetricUnit::kBytes,
     "Memory that programs could still take without swapping; the kernel's estimate."},
    {Metric::kMemoryTotal, "memory.total_bytes", kNode, MetricUnit::kBytes, "Memory of the node."},
    {Metric::kMemoryUsedShare, "memory.used_share", kNode, MetricUnit::kShare,
     "Memory of the node in use, of all that it has; from imported runs, which tell no bytes."},
    {Metric::kSwapUsed, "swap.used_bytes", kNode, MetricUnit::kBytes, "Swap in use."},
    {Metric::kPsiCpuSome, "psi.cpu_some_share", kNode, MetricUnit::kShare,
     "Share of time in which at least one thread of the node waited for a core."},
    {Metric::kPsiIoSome, "psi.io_some_share", kNode, MetricUnit::kShare,
     "Share of time in which at least one thread of the node waited for storage."},
    {Metric::kPsiIoFull, "psi.io_full_share", kNode, MetricUnit::kShare,
     "Share of time in which all threads that had work waited for storage."},
    {Metric::kPsiMemorySome, "psi.memory_some_share", kNode, MetricUnit::kShare,
     "Share of time in which at least one thread of the node waited for memory to be freed."},
    {Metric::kDiskRead, "disk.read_bytes_per_s", kNode, MetricUnit::kBytesPerSecond,
     "Read from whole disks, summed; partitions, loop, RAM and stacked devices (dm, md) not "
     "counted again."},
    {Metric::kDiskWrite, "disk.write_bytes_per_s", kNode, MetricUnit::kBytesPerSecond,
     "Written to whole disks, summed likewise."},
    {Metric::kDiskBusyShare, "disk.busy_share", kNode, MetricUnit::kShare,
     "Of the busiest disk: share of time with at least one request outstanding."},
    {Metric::kDiskOperations, "disk.operations_per_s", kNode, MetricUnit::kPerSecond,
     "Reads and writes of storage; from imported runs."},
    {Metric::kNetworkReceive, "network.receive_bytes_per_s", kNode, MetricUnit::kBytesPerSecond,
     "Received by the physical interfaces; by all but the loopback where there is no physical "
     "one, as in containers."},
    {Metric::kNetworkSend, "network.send_bytes_per_s", kNode, MetricUnit::kBytesPerSecond,
     "Sent, by the same interfaces."},
    {Metric::kNetworkPlatformReceive, "network.platform_receive_bytes_per_s", kNode,
     MetricUnit::kBytesPerSecond,
     "Received by SageMaker's own part of the node, which fetches data; from imported runs."},
    {Metric::kNetworkPlatformSend, "network.platform_send_bytes_per_s", kNode,
     MetricUnit::kBytesPerSecond,
     "Sent by SageMaker's own part of the node, which stores results; from imported runs."},
    {Metric::kRdmaReceive, "network.rdma_receive_bytes_per_s", kNode, MetricUnit::kBytesPerSecond,
     "Received by InfiniBand and RoCE ports, which interfaces do not count."},
    {Metric::kRdmaSend, "network.rdma_send_bytes_per_s", kNode, MetricUnit::kBytesPerSecond,
     "Sent by InfiniBand and RoCE ports."},
    {Metric::kCgroupCpuLimit, "cgroup.cpu_limit_cores", kNode, MetricUnit::kCores,
     "CPU quota of the job's cgroup, the tightest of its ancestors; absent: no quota."},
    {Metric::kCgroupCpu, "cgroup.cpu_cores", kNode, MetricUnit::kCores,
     "CPU used under that quota (of the job's own cgroup where there is no quota)."},
    {Metric::kCgroupThrottledShare, "cgroup.throttled_share", kNode, MetricUnit::kShare,
     "Of the quota's periods in which there was work, those in which the quota ran out."},
    {Metric::kCgroupThrottledPeriods, "cgroup.throttled_periods_per_s", kNode,
     MetricUnit::kPerSecond, "Periods in which the quota ran out."},
    {Metric::kCgroupThrottledCores, "cgroup.throttled_cores", kNode, MetricUnit::kCores,
     "Cores that had work and stood still because the quota had run out, in the mean."},
    {Metric::kCgroupMemoryLimit, "cgroup.memory_limit_bytes", kNode, MetricUnit::kBytes,
     "Memory limit of the job's cgroup, the tightest of its ancestors; absent: no limit."},
    {Metric::kCgroupMemory, "cgroup.memory_bytes", kNode, MetricUnit::kBytes,
     "Memory charged against that limit, page cache included (of the job's own cgroup where there "
     "is no limit)."},
    {Metric::kCgroupPsiCpuSome, "cgroup.psi_cpu_some_share", kNode, MetricUnit::kShare,
     "As psi.cpu_some_share, of the job's cgroup: waits by its quota count too."},
    {Metric::kCgroupPsiIoSome, "cgroup.psi_io_some_share", kNode, MetricUnit::kShare,
     "As psi.io_some_share, of the job's cgroup."},
    {Metric::kCgroupPsiMemorySome, "cgroup.psi_memory_some_share", kNode, MetricUnit::kShare,
     "As psi.memory_some_share, of the job's cgroup."},
    {Metric::kCoreBusyShare, "core.busy_share", kCore, MetricUnit::kShare,
     "Of the core's time, that in which it had work, stolen time included."},
    {Metric::kCoreUserShare, "core.user_share", kCore, MetricUnit::kShare,
     "Of the core's time, that in user code, niced or not."},
    {Metric::kCoreSystemShare, "core.system_share", kCore, MetricUnit::kShare,
     "Of the core's time, that in the kernel, interrupts included."},
    {Metric::kCoreIowaitShare, "core.iowait_share", kCore, MetricUnit::kShare,
     "Of the core's time, that idle with a read or write outstanding; unreliable for one core."},
    {Metric::kCoreStealShare, "core.steal_share", kCore, MetricUnit::kShare,
     "Of the core's time, that which the hypervisor gave to other machines."},
    {Metric::kJobCpu, "job.cpu_cores", kJob, MetricUnit::kCores,
     "CPU used by the training's processes, those that ended in between included."},
    {Metric::kJobRss, "job.rss_bytes", kJob, MetricUnit::kBytes,
     "Sum of the processes' resident memory; what they share is counted in each."},
    {Metric::kJobThreads, "job.threads", kJob, MetricUnit::kCount,
     "Threads of the training's processes."},
    {Metric::kJobProcesses, "job.processes", kJob, MetricUnit::kCount,
     "Living processes of the training."},
    {Metric::kJobVoluntarySwitches, "job.voluntary_switches_per_s", kJob, MetricUnit::kPerSecond,
     "Times that a thread gave up its core: it waited for something."},
    {Metric::kJobInvoluntarySwitches, "job.involuntary_switches_per_s", kJob,
     MetricUnit::kPerSecond, "Times that a thread lost its core to another."},
    {Metric::kJobRead, "job.read_bytes_per_s", kJob, MetricUnit::kBytesPerSecond,
     "Read from storage by the training's processes; reads from the page cache do not count."},
    {Metric::kJobWrite, "job.write_bytes_per_s", kJob, MetricUnit::kBytesPerSecond,
     "Written towards storage by the training's processes."},
    {Metric::kJobRunDelay, "job.run_delay_cores", kJob, MetricUnit::kCores,
     "Threads of the training that could have run and had no core, in the mean."},
    {Metric::kProcessCpu, "process.cpu_cores", kProcess, MetricUnit::kCores,
     "CPU used by the process, all its threads."},
    {Metric::kProcessRss, "process.rss_bytes", kProcess, MetricUnit::kBytes,
     "Resident memory of the process, shared pages included."},
    {Metric::kProcessRssAnon, "process.rss_anon_bytes", kProcess, MetricUnit::kBytes,
     "Of that, anonymous memory: what the program allocated."},
    {Metric::kProcessRssFile, "process.rss_file_bytes", kProcess, MetricUnit::kBytes,
     "Of that, pages of files: code, libraries, mapped data."},
    {Metric::kProcessRssShmem, "process.rss_shmem_bytes", kProcess, MetricUnit::kBytes,
     "Of that, shared memory: batches of DataLoader workers among it."},
    {Metric::kProcessThreads, "process.threads", kProcess, MetricUnit::kCount,
     "Threads of the process."},
    {Metric::kProcessRead, "process.read_bytes_per_s", kProcess, MetricUnit::kBytesPerSecond,
     "Read from storage by the process, and by children that lived too shortly to be seen."},
    {Metric::kProcessWrite, "process.write_bytes_per_s", kProcess, MetricUnit::kBytesPerSecond,
     "Written towards storage, likewise."},
    {Metric::kProcessRunDelay, "process.run_delay_cores", kProcess, MetricUnit::kCores,
     "Threads of the process that could have run and had no core, in the mean."},
    {Metric::kProcessMinorFaults, "process.minor_faults_per_s", kProcess, MetricUnit::kPerSecond,
     "Page faults of the process that needed no reading: memory touched for the first time, or "
     "given back and touched again."},
    {Metric::kProcessMajorFaults, "process.major_faults_per_s", kProcess, MetricUnit::kPerSecond,
     "Page faults of the process that waited for a file or for swap to be read."},
    {Metric::kProcessVoluntarySwitches, "process.voluntary_switches_per_s", kProcess,
     MetricUnit::kPerSecond,
     "Times that a thread of the process gave up its core: it waited for something."},
    {Metric::kProcessInvoluntarySwitches, "process.involuntary_switches_per_s", kProcess,
     MetricUnit::kPerSecond, "Times that a thread of the process lost its core to another."},
    {Metric::kProcessCycles, "process.cycles_per_s", kProcess, MetricUnit::kPerSecond,
     "Cycles of the cores in the process's user code; the processor's counter, scaled up where it "
     "had to be shared (process.counters_running_share)."},
    {Metric::kProcessInstructions, "process.instructions_per_s", kProcess, MetricUnit::kPerSecond,
     "Instructions of the process's user code, likewise; over the cycles: how many at once."},
    {Metric::kProcessItlbMisses, "process.itlb_misses_per_s", kProcess, MetricUnit::kPerSecond,
     "Fetches of instructions whose page was not in the translation buffer, likewise: code that is "
     "spread too widely."},
    {Metric::kProcessCountersRunningShare, "process.counters_running_share", kProcess,
     MetricUnit::kShare,
     "Of the time in which the process ran, that in which the processor counted it: under 1 the "
     "three above are estimates. Of the counter with the least."},
    {Metric::kGpuUtilization, "gpu.utilization_share", kGpu, MetricUnit::kShare,
     "Share of the driver's last sample period (1/6 to 1 s) in which at least one kernel ran; "
     "says nothing of how much of the GPU it filled."},
    {Metric::kGpuMemoryBusyShare, "gpu.memory_busy_share", kGpu, MetricUnit::kShare,
     "Share of the same period in which device memory was read or written."},
    {Metric::kGpuMemoryUsed, "gpu.memory_used_bytes", kGpu, MetricUnit::kBytes,
     "Device memory in use, by all processes and the driver."},
    {Metric::kGpuMemoryTotal, "gpu.memory_total_bytes", kGpu, MetricUnit::kBytes, "Device memory."},
    {Metric::kGpuMemoryUsedShare, "gpu.memory_used_share", kGpu, MetricUnit::kShare,
     "Device memory in use, of all that the device has; from imported runs, which tell no bytes."},
    {Metric::kGpuPower, "gpu.power_watts", kGpu, MetricUnit::kWatts, "Power drawn by the board."},
    {Metric::kGpuSmClock, "gpu.sm_clock_hz", kGpu, MetricUnit::kHertz,
     "Clock of the multiprocessors."},
    {Metric::kGpuMemoryClock, "gpu.memory_clock_hz", kGpu, MetricUnit::kHertz,
     "Clock of the device memory."},
    {Metric::kGpuTemperature, "gpu.temperature_celsius", kGpu, MetricUnit::kCelsius,
     "Temperature of the chip."},
    {Metric::kGpuThrottleReasons, "gpu.throttle_reasons", kGpu, MetricUnit::kBitmask,
     "Why the clocks are not higher: 1 idle, 2 set by an application, 4 power cap, 8 hardware "
     "slowdown, 16 sync boost, 32 software thermal, 64 hardware thermal, 128 power brake, 256 "
     "display."},
    {Metric::kGpuPcieReceive, "gpu.pcie_receive_bytes_per_s", kGpu, MetricUnit::kBytesPerSecond,
     "Received by the GPU over PCIe."},
    {Metric::kGpuPcieSend, "gpu.pcie_send_bytes_per_s", kGpu, MetricUnit::kBytesPerSecond,
     "Sent by the GPU over PCIe."},
    {Metric::kGpuNvlinkReceive, "gpu.nvlink_receive_bytes_per_s", kGpu, MetricUnit::kBytesPerSecond,
     "Data received by the GPU over all NVLinks."},
    {Metric::kGpuNvlinkSend, "gpu.nvlink_send_bytes_per_s", kGpu, MetricUnit::kBytesPerSecond,
     "Data sent by the GPU over all NVLinks."},
    {Metric::kGpuSmActiveShare, "gpu.sm_active_share", kGpu, MetricUnit::kShare,
     "Share of the multiprocessors that had work, in the mean since the sample before (GPM; Hopper "
     "and later)."},
    {Metric::kGpuSmOccupancyShare, "gpu.sm_occupancy_share", kGpu, MetricUnit::kShare,
     "Warps that were resident, of the most that the multiprocessors hold, likewise."},
    {Metric::kGpuTensorActiveShare, "gpu.tensor_active_share", kGpu, MetricUnit::kShare,
     "Share of time in which the multiprocessors' tensor cores worked, likewise."},
    {Metric::kGpuDramActiveShare, "gpu.dram_active_share", kGpu, MetricUnit::kShare,
     "Bandwidth of the device memory in use, of the most that it has, likewise."},
    {Metric::kGpuEccErrors, "gpu.ecc_errors", kGpu, MetricUnit::kCount,
     "ECC errors, corrected or not, since sampling began."},
    {Metric::kGpuXid, "gpu.xid", kGpu, MetricUnit::kCode,
     "Code of an XID error, at the sample that saw it; a row per error."},
    {Metric::kAgentCpu, "agent.cpu_cores", kAgent, MetricUnit::kCores,
     "CPU used by Steptrace's own agent."},
    {Metric::kAgentRss, "agent.rss_bytes", kAgent, MetricUnit::kBytes,
     "Resident memory of Steptrace's own agent."},
    {Metric::kAgentRecords, "agent.records_per_s", kAgent, MetricUnit::kPerSecond,
     "Records that the agent took from the rings."},
};
}  // namespace catalogue
using catalogue::kMetrics;

inline constexpr size_t kMetricCount = sizeof(kMetrics) / sizeof(kMetrics[0]);

consteval bool MetricsStandInOrder() {
  for (size_t i = 0; i < kMetricCount; ++i) {
    if (static_cast<size_t>(kMetrics[i].metric) != i) return false;
  }
  return kMetricCount == static_cast<size_t>(Metric::kAgentRecords) + 1;
}
static_assert(MetricsStandInOrder(), "kMetrics lists each Metric once, in the enum's order");

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

constexpr const char* NameOf(MetricScope scope) {
  constexpr const char* kNames[] = {"node", "core", "job", "process", "gpu", "agent"};
  return kNames[static_cast<size_t>(scope)];
}

constexpr const char* NameOf(MetricUnit unit) {
  constexpr const char* kNames[] = {"share", "cores", "bytes", "bytes/s", "1/s", "count",
                                    "W",     "Hz",    "°C",    "bitmask", "code"};
  return kNames[static_cast<size_t>(unit)];
}

}  // namespace steptrace::store
