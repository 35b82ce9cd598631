// SPDX-License-Identifier: Apache-2.0
// The sections `devices` and `kernels` (docs/reference/report.md, operators.md), as this view reads
// them, and the sums over the devices that are shown.
import type * as report from '../../api/report';

export type DeviceWindow = report.Plain<report.DeviceWindow>;

export type DeviceStep = report.Plain<report.DeviceStep>;

export type Copy = report.Seen<
  report.Copy,
  'kind' | 'count' | 'bytes' | 'sum_ns' | 'busy_ns' | 'bytes_per_s' | 'small_count'
>;

/** The same copies of several devices. */
export interface Copies extends Copy {
  /** `busy_ns` of the devices that tell bytes. */
  told_ns: number;
}

/** Of the streams and launches nothing is shown. */
export type Device = report.Seen<
  report.Device,
  | 'node'
  | 'rank'
  | 'device'
  | 'name'
  | 'events'
  | 'ts_ns'
  | 'window'
  | 'idle'
  | 'steps'
  | 'utilization'
  | 'est_sm_efficiency'
  | 'est_achieved_occupancy'
> & {
  tensor_cores: Pick<report.TensorCoreUse, 'share'> | null;
  precisions?: report.Seen<report.PrecisionTime, 'precision' | 'ns'>[];
  copies: Copy[];
};

export interface DevicesSection {
  devices: report.Rows<Device>;
  roles: report.Rows<report.Roles>;
}

export type KernelOfDevice = report.Seen<
  report.Kernel,
  'rank' | 'name' | 'role' | 'calls' | 'total_ns' | 'tensor_cores' | 'streams'
>;

export interface KernelsOfDevices {
  kernels: report.Rows<KernelOfDevice>;
}

export const keyOf = (d: Device): string => `${d.rank}-${d.device}`;

export const nameOf = (d: Device, ranks: number): string =>
  `${ranks > 1 ? `rank ${d.rank} · ` : ''}GPU ${d.device}${d.name ? ` · ${d.name}` : ''}`;

/** Sums of the windows: exact, for each device's parts sum to its own. */
export function summed(devices: readonly Device[]): DeviceWindow {
  const total: DeviceWindow = {
    span_ns: 0,
    busy_ns: 0,
    idle_ns: 0,
    compute_ns: 0,
    communication_ns: 0,
    memory_ns: 0,
    overlap_ns: 0,
    exposed_communication_ns: 0,
    exposed_memory_ns: 0,
  };
  for (const { window } of devices) {
    for (const name of Object.keys(total) as (keyof DeviceWindow)[]) total[name] += window[name];
  }
  return total;
}

export interface Share {
  name: string;
  title: string;
  value: number;
}

/** What the devices did in their windows; the parts sum to the windows' spans. */
export function activity(devices: readonly Device[]): Share[] {
  const w = summed(devices);
  const idle = devices.reduce(
    (sum, { idle }) => ({
      host: sum.host + idle.host_ns,
      wait: sum.wait + idle.kernel_wait_ns,
      other: sum.other + idle.other_ns,
    }),
    { host: 0, wait: 0, other: 0 },
  );
  return [
    { name: 'compute', title: 'Kernels', value: w.compute_ns },
    { name: 'communication', title: 'Exposed communication', value: w.exposed_communication_ns },
    { name: 'memory', title: 'Copies and fills alone', value: w.exposed_memory_ns },
    { name: 'idle_host', title: 'Idle: not launched yet', value: idle.host },
    { name: 'idle_wait', title: 'Idle: between kernels', value: idle.wait },
    { name: 'idle', title: 'Idle: else', value: idle.other },
  ];
}

/** Copies of all devices by direction, the longest first. */
export function copies(devices: readonly Device[]): Copies[] {
  const byKind = new Map<string, Copies>();
  for (const copy of devices.flatMap((d) => d.copies)) {
    const sum = byKind.get(copy.kind);
    const told_ns = copy.bytes === null ? 0 : copy.busy_ns;
    if (sum === undefined) byKind.set(copy.kind, { ...copy, told_ns });
    else {
      sum.told_ns += told_ns;
      sum.count += copy.count;
      if (copy.bytes !== null) sum.bytes = (sum.bytes ?? 0) + copy.bytes;
      sum.sum_ns += copy.sum_ns;
      sum.busy_ns += copy.busy_ns;
      sum.small_count += copy.small_count;
    }
  }
  return [...byKind.values()].sort((a, b) => b.sum_ns - a.sum_ns);
}

/** Bytes a second while any runs; null: nothing tells how many. */
export function rateOf({ bytes, told_ns }: Copies): number | null {
  return bytes && told_ns > 0 ? (bytes / told_ns) * 1e9 : null;
}

/** The runs of kernels on some devices alone: of a rank with several devices those of each are apart. */
export function onDevices(
  kernels: readonly KernelOfDevice[],
  devices: readonly Device[],
): KernelOfDevice[] {
  const shown = new Set(devices.map((d) => `${d.rank}-${d.device}`));
  return kernels.flatMap((kernel) => {
    const streams = kernel.streams.filter((s) => shown.has(`${kernel.rank}-${s.device}`));
    if (streams.length === 0) return [];
    const sum = (of: 'calls' | 'total_ns') => streams.reduce((total, s) => total + s[of], 0);
    return [{ ...kernel, streams, calls: sum('calls'), total_ns: sum('total_ns') }];
  });
}

/** Kernels of all ranks by name. */
export function byName(kernels: readonly KernelOfDevice[]): KernelOfDevice[] {
  const sums = new Map<string, KernelOfDevice>();
  for (const kernel of kernels) {
    const sum = sums.get(kernel.name);
    if (sum === undefined) sums.set(kernel.name, { ...kernel });
    else {
      sum.calls += kernel.calls;
      sum.total_ns += kernel.total_ns;
    }
  }
  return [...sums.values()];
}

/** Time of the devices' computing kernels by precision; the longest first. */
export function precisions(devices: readonly Device[]): Share[] {
  const sums = new Map<string, number>();
  for (const { precision, ns } of devices.flatMap((d) => d.precisions ?? [])) {
    const name = precision ?? 'unknown';
    sums.set(name, (sums.get(name) ?? 0) + ns);
  }
  return [...sums]
    .map(([name, value]) => ({ name, title: name, value }))
    .sort((a, b) => b.value - a.value);
}
