// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/metrics.toml.

export type NodeMetric =
  | 'cpu.busy_share'
  | 'cpu.user_share'
  | 'cpu.system_share'
  | 'cpu.iowait_share'
  | 'cpu.steal_share'
  | 'cpu.runnable'
  | 'memory.used_bytes'
  | 'memory.available_bytes'
  | 'memory.total_bytes'
  | 'memory.used_share'
  | 'swap.used_bytes'
  | 'psi.cpu_some_share'
  | 'psi.io_some_share'
  | 'psi.io_full_share'
  | 'psi.memory_some_share'
  | 'disk.read_bytes_per_s'
  | 'disk.write_bytes_per_s'
  | 'disk.busy_share'
  | 'disk.operations_per_s'
  | 'network.receive_bytes_per_s'
  | 'network.send_bytes_per_s'
  | 'network.platform_receive_bytes_per_s'
  | 'network.platform_send_bytes_per_s'
  | 'network.rdma_receive_bytes_per_s'
  | 'network.rdma_send_bytes_per_s'
  | 'cgroup.cpu_limit_cores'
  | 'cgroup.cpu_cores'
  | 'cgroup.throttled_share'
  | 'cgroup.throttled_periods_per_s'
  | 'cgroup.throttled_cores'
  | 'cgroup.memory_limit_bytes'
  | 'cgroup.memory_bytes'
  | 'cgroup.psi_cpu_some_share'
  | 'cgroup.psi_io_some_share'
  | 'cgroup.psi_memory_some_share';
export type CoreMetric =
  | 'core.busy_share'
  | 'core.user_share'
  | 'core.system_share'
  | 'core.iowait_share'
  | 'core.steal_share';
export type JobMetric =
  | 'job.cpu_cores'
  | 'job.rss_bytes'
  | 'job.threads'
  | 'job.processes'
  | 'job.voluntary_switches_per_s'
  | 'job.involuntary_switches_per_s'
  | 'job.read_bytes_per_s'
  | 'job.write_bytes_per_s'
  | 'job.run_delay_cores';
export type ProcessMetric =
  | 'process.cpu_cores'
  | 'process.rss_bytes'
  | 'process.rss_anon_bytes'
  | 'process.rss_file_bytes'
  | 'process.rss_shmem_bytes'
  | 'process.pss_bytes'
  | 'process.private_dirty_bytes'
  | 'process.threads'
  | 'process.read_bytes_per_s'
  | 'process.write_bytes_per_s'
  | 'process.run_delay_cores'
  | 'process.minor_faults_per_s'
  | 'process.major_faults_per_s'
  | 'process.voluntary_switches_per_s'
  | 'process.involuntary_switches_per_s'
  | 'process.cycles_per_s'
  | 'process.instructions_per_s'
  | 'process.itlb_misses_per_s'
  | 'process.counters_running_share';
export type GpuMetric =
  | 'gpu.utilization_share'
  | 'gpu.memory_busy_share'
  | 'gpu.memory_used_bytes'
  | 'gpu.memory_total_bytes'
  | 'gpu.memory_used_share'
  | 'gpu.power_watts'
  | 'gpu.sm_clock_hz'
  | 'gpu.memory_clock_hz'
  | 'gpu.temperature_celsius'
  | 'gpu.throttle_reasons'
  | 'gpu.pcie_receive_bytes_per_s'
  | 'gpu.pcie_send_bytes_per_s'
  | 'gpu.nvlink_receive_bytes_per_s'
  | 'gpu.nvlink_send_bytes_per_s'
  | 'gpu.sm_active_share'
  | 'gpu.sm_occupancy_share'
  | 'gpu.tensor_active_share'
  | 'gpu.dram_active_share'
  | 'gpu.ecc_errors'
  | 'gpu.xid';
export type AgentMetric = 'agent.cpu_cores' | 'agent.rss_bytes' | 'agent.records_per_s';
export type TorchCudaMetric =
  | 'torch_cuda.allocated_bytes'
  | 'torch_cuda.reserved_bytes'
  | 'torch_cuda.inactive_split_bytes'
  | 'torch_cuda.alloc_retries'
  | 'torch_cuda.ooms';
export type Metric =
  NodeMetric | CoreMetric | JobMetric | ProcessMetric | GpuMetric | AgentMetric | TorchCudaMetric;

/** What it counts for, its unit, and its name's words: the group, and the rest without the unit. */
export interface MetricInfo {
  readonly scope: string;
  readonly unit: string;
  readonly group: string;
  readonly words: string;
}

const METRICS: Readonly<Record<Metric, readonly [string, string, string, string]>> = {
  'cpu.busy_share': ['node', 'share', 'cpu', 'busy'],
  'cpu.user_share': ['node', 'share', 'cpu', 'user'],
  'cpu.system_share': ['node', 'share', 'cpu', 'system'],
  'cpu.iowait_share': ['node', 'share', 'cpu', 'iowait'],
  'cpu.steal_share': ['node', 'share', 'cpu', 'steal'],
  'cpu.runnable': ['node', 'count', 'cpu', 'runnable'],
  'memory.used_bytes': ['node', 'bytes', 'memory', 'used'],
  'memory.available_bytes': ['node', 'bytes', 'memory', 'available'],
  'memory.total_bytes': ['node', 'bytes', 'memory', 'total'],
  'memory.used_share': ['node', 'share', 'memory', 'used'],
  'swap.used_bytes': ['node', 'bytes', 'swap', 'used'],
  'psi.cpu_some_share': ['node', 'share', 'psi', 'cpu some'],
  'psi.io_some_share': ['node', 'share', 'psi', 'io some'],
  'psi.io_full_share': ['node', 'share', 'psi', 'io full'],
  'psi.memory_some_share': ['node', 'share', 'psi', 'memory some'],
  'disk.read_bytes_per_s': ['node', 'bytes/s', 'disk', 'read'],
  'disk.write_bytes_per_s': ['node', 'bytes/s', 'disk', 'write'],
  'disk.busy_share': ['node', 'share', 'disk', 'busy'],
  'disk.operations_per_s': ['node', '1/s', 'disk', 'operations'],
  'network.receive_bytes_per_s': ['node', 'bytes/s', 'network', 'receive'],
  'network.send_bytes_per_s': ['node', 'bytes/s', 'network', 'send'],
  'network.platform_receive_bytes_per_s': ['node', 'bytes/s', 'network', 'platform receive'],
  'network.platform_send_bytes_per_s': ['node', 'bytes/s', 'network', 'platform send'],
  'network.rdma_receive_bytes_per_s': ['node', 'bytes/s', 'network', 'rdma receive'],
  'network.rdma_send_bytes_per_s': ['node', 'bytes/s', 'network', 'rdma send'],
  'cgroup.cpu_limit_cores': ['node', 'cores', 'cgroup', 'cpu limit'],
  'cgroup.cpu_cores': ['node', 'cores', 'cgroup', 'cpu'],
  'cgroup.throttled_share': ['node', 'share', 'cgroup', 'throttled'],
  'cgroup.throttled_periods_per_s': ['node', '1/s', 'cgroup', 'throttled periods'],
  'cgroup.throttled_cores': ['node', 'cores', 'cgroup', 'throttled'],
  'cgroup.memory_limit_bytes': ['node', 'bytes', 'cgroup', 'memory limit'],
  'cgroup.memory_bytes': ['node', 'bytes', 'cgroup', 'memory'],
  'cgroup.psi_cpu_some_share': ['node', 'share', 'cgroup', 'psi cpu some'],
  'cgroup.psi_io_some_share': ['node', 'share', 'cgroup', 'psi io some'],
  'cgroup.psi_memory_some_share': ['node', 'share', 'cgroup', 'psi memory some'],
  'core.busy_share': ['core', 'share', 'core', 'busy'],
  'core.user_share': ['core', 'share', 'core', 'user'],
  'core.system_share': ['core', 'share', 'core', 'system'],
  'core.iowait_share': ['core', 'share', 'core', 'iowait'],
  'core.steal_share': ['core', 'share', 'core', 'steal'],
  'job.cpu_cores': ['job', 'cores', 'job', 'cpu'],
  'job.rss_bytes': ['job', 'bytes', 'job', 'rss'],
  'job.threads': ['job', 'count', 'job', 'threads'],
  'job.processes': ['job', 'count', 'job', 'processes'],
  'job.voluntary_switches_per_s': ['job', '1/s', 'job', 'voluntary switches'],
  'job.involuntary_switches_per_s': ['job', '1/s', 'job', 'involuntary switches'],
  'job.read_bytes_per_s': ['job', 'bytes/s', 'job', 'read'],
  'job.write_bytes_per_s': ['job', 'bytes/s', 'job', 'write'],
  'job.run_delay_cores': ['job', 'cores', 'job', 'run delay'],
  'process.cpu_cores': ['process', 'cores', 'process', 'cpu'],
  'process.rss_bytes': ['process', 'bytes', 'process', 'rss'],
  'process.rss_anon_bytes': ['process', 'bytes', 'process', 'rss anon'],
  'process.rss_file_bytes': ['process', 'bytes', 'process', 'rss file'],
  'process.rss_shmem_bytes': ['process', 'bytes', 'process', 'rss shmem'],
  'process.pss_bytes': ['process', 'bytes', 'process', 'pss'],
  'process.private_dirty_bytes': ['process', 'bytes', 'process', 'private dirty'],
  'process.threads': ['process', 'count', 'process', 'threads'],
  'process.read_bytes_per_s': ['process', 'bytes/s', 'process', 'read'],
  'process.write_bytes_per_s': ['process', 'bytes/s', 'process', 'write'],
  'process.run_delay_cores': ['process', 'cores', 'process', 'run delay'],
  'process.minor_faults_per_s': ['process', '1/s', 'process', 'minor faults'],
  'process.major_faults_per_s': ['process', '1/s', 'process', 'major faults'],
  'process.voluntary_switches_per_s': ['process', '1/s', 'process', 'voluntary switches'],
  'process.involuntary_switches_per_s': ['process', '1/s', 'process', 'involuntary switches'],
  'process.cycles_per_s': ['process', '1/s', 'process', 'cycles'],
  'process.instructions_per_s': ['process', '1/s', 'process', 'instructions'],
  'process.itlb_misses_per_s': ['process', '1/s', 'process', 'itlb misses'],
  'process.counters_running_share': ['process', 'share', 'process', 'counters running'],
  'gpu.utilization_share': ['gpu', 'share', 'gpu', 'utilization'],
  'gpu.memory_busy_share': ['gpu', 'share', 'gpu', 'memory busy'],
  'gpu.memory_used_bytes': ['gpu', 'bytes', 'gpu', 'memory used'],
  'gpu.memory_total_bytes': ['gpu', 'bytes', 'gpu', 'memory total'],
  'gpu.memory_used_share': ['gpu', 'share', 'gpu', 'memory used'],
  'gpu.power_watts': ['gpu', 'W', 'gpu', 'power'],
  'gpu.sm_clock_hz': ['gpu', 'Hz', 'gpu', 'sm clock'],
  'gpu.memory_clock_hz': ['gpu', 'Hz', 'gpu', 'memory clock'],
  'gpu.temperature_celsius': ['gpu', '°C', 'gpu', 'temperature'],
  'gpu.throttle_reasons': ['gpu', 'bitmask', 'gpu', 'throttle reasons'],
  'gpu.pcie_receive_bytes_per_s': ['gpu', 'bytes/s', 'gpu', 'pcie receive'],
  'gpu.pcie_send_bytes_per_s': ['gpu', 'bytes/s', 'gpu', 'pcie send'],
  'gpu.nvlink_receive_bytes_per_s': ['gpu', 'bytes/s', 'gpu', 'nvlink receive'],
  'gpu.nvlink_send_bytes_per_s': ['gpu', 'bytes/s', 'gpu', 'nvlink send'],
  'gpu.sm_active_share': ['gpu', 'share', 'gpu', 'sm active'],
  'gpu.sm_occupancy_share': ['gpu', 'share', 'gpu', 'sm occupancy'],
  'gpu.tensor_active_share': ['gpu', 'share', 'gpu', 'tensor active'],
  'gpu.dram_active_share': ['gpu', 'share', 'gpu', 'dram active'],
  'gpu.ecc_errors': ['gpu', 'count', 'gpu', 'ecc errors'],
  'gpu.xid': ['gpu', 'code', 'gpu', 'xid'],
  'agent.cpu_cores': ['agent', 'cores', 'agent', 'cpu'],
  'agent.rss_bytes': ['agent', 'bytes', 'agent', 'rss'],
  'agent.records_per_s': ['agent', '1/s', 'agent', 'records'],
  'torch_cuda.allocated_bytes': ['told', 'bytes', 'torch_cuda', 'allocated'],
  'torch_cuda.reserved_bytes': ['told', 'bytes', 'torch_cuda', 'reserved'],
  'torch_cuda.inactive_split_bytes': ['told', 'bytes', 'torch_cuda', 'inactive split'],
  'torch_cuda.alloc_retries': ['told', 'count', 'torch_cuda', 'alloc retries'],
  'torch_cuda.ooms': ['told', 'count', 'torch_cuda', 'ooms'],
};

/** Of a name that counters of imported traces have: undefined. */
export function metricInfo(name: string): MetricInfo | undefined {
  if (!Object.hasOwn(METRICS, name)) return undefined;
  const [scope, unit, group, words] = METRICS[name as Metric];
  return { scope, unit, group, words };
}
