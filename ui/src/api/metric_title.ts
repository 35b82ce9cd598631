// SPDX-License-Identifier: Apache-2.0
// Metrics as people say them. Their own names, which filters and files have, are told beside it.
import { metricInfo } from './metrics';

const GROUPS: Readonly<Record<string, string>> = {
  cpu: 'CPU',
  psi: 'pressure',
  gpu: 'GPU',
  agent: 'profiler',
  torch_cuda: 'CUDA allocator',
};

const WORDS: Readonly<Record<string, string>> = {
  cpu: 'CPU',
  io: 'I/O',
  iowait: 'I/O wait',
  psi: 'pressure',
  rss: 'RSS',
  pss: 'PSS',
  anon: 'anonymous',
  shmem: 'shared',
  rdma: 'RDMA',
  pcie: 'PCIe',
  nvlink: 'NVLink',
  sm: 'SM',
  dram: 'DRAM',
  ecc: 'ECC',
  xid: 'Xid',
  itlb: 'iTLB',
  ooms: 'out of memory',
  alloc: 'allocation',
};

/** `cgroup.cpu_cores` is `cgroup CPU`; of a core, GPU or process with its number. Other tools' names stay. */
export function metricTitle(metric: string, number: number | null = null): string {
  const info = metricInfo(metric);
  if (info === undefined) return metric;
  const group = GROUPS[info.group] ?? info.group;
  const words = info.words.split(' ').map((word) => WORDS[word] ?? word);
  return [group, ...(number === null ? [] : [String(number)]), ...words].join(' ');
}
