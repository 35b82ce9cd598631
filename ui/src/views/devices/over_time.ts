// SPDX-License-Identifier: Apache-2.0
// Utilisation over time, a line a device, a node or one for all.
import type { Columns } from '../../api/arrow';
import type { Device } from './section';

export const LINES = [
  { id: 'device', title: 'Each device' },
  { id: 'node', title: 'Each node' },
  { id: 'all', title: 'All together' },
] as const;
export type LinesBy = (typeof LINES)[number]['id'];

export interface UtilLine {
  name: string;
  at: number[];
  values: number[];
}

/** What the address asks for, of what tells devices apart; without a word each, while they can be told apart. */
export function linesBy(asked: string | null, devices: number): LinesBy {
  return LINES.find((l) => l.id === asked)?.id ?? (devices <= MOST_LINES ? 'device' : 'node');
}

/** So many colours there are. */
export const MOST_LINES = 8;

/** The lines with the least utilisation, for those are looked for, and how many are left out. */
export function leastUsed(lines: readonly UtilLine[]): { drawn: UtilLine[]; leftOut: number } {
  const mean = ({ values }: UtilLine) => {
    const known = values.filter((v) => !Number.isNaN(v));
    return known.reduce((sum, v) => sum + v, 0) / (known.length || 1);
  };
  const kept = new Set([...lines].sort((a, b) => mean(a) - mean(b)).slice(0, MOST_LINES));
  return { drawn: lines.filter((l) => kept.has(l)), leftOut: lines.length - kept.size };
}

/**
 * Mean of all tracks that a line holds in equal parts of what was measured: as many as the longest track has
 * values, `most` at most. A part in which nothing was read holds the value before it.
 */
export function sampled(columns: Columns, metric: string, by: LinesBy, most: number): UtilLine[] {
  const name = columns.strings('metric');
  const node = columns.numbers('node');
  const at = columns.numbers('bucket_ns');
  const mean = columns.numbers('mean');
  const track = columns.numbers('track');
  const device = columns.numbers('device');
  const counts = new Map<number, number>();
  let from = Infinity;
  let to = -Infinity;
  for (let i = 0; i < columns.length; ++i) {
    if (name[i] !== metric) continue;
    from = Math.min(from, at[i] ?? 0);
    to = Math.max(to, at[i] ?? 0);
    counts.set(track[i] ?? 0, (counts.get(track[i] ?? 0) ?? 0) + 1);
  }
  const parts = Math.max(Math.min(most, Math.max(0, ...counts.values())), 1);
  const sums = new Map<string, Summed>();
  const width = (to - from) / parts || 1;
  for (let i = 0; i < columns.length; ++i) {
    const value = mean[i] ?? NaN;
    if (name[i] !== metric || Number.isNaN(value)) continue;
    const [n, d] = [node[i] ?? 0, device[i] ?? -1];
    const key = by === 'all' ? '' : by === 'node' ? `${n}` : `${n} ${d}`;
    let of = sums.get(key);
    if (of === undefined) {
      const zeros = () => new Float64Array(parts);
      of = { node: n, device: d, sum: zeros(), count: zeros() };
      sums.set(key, of);
    }
    const part = Math.min(Math.floor(((at[i] ?? 0) - from) / width), parts - 1);
    of.sum[part] = (of.sum[part] ?? 0) + value;
    of.count[part] = (of.count[part] ?? 0) + 1;
  }
  const nodes = new Set([...sums.values()].map((s) => s.node)).size;
  return [...sums.values()]
    .sort((a, b) => a.node - b.node || a.device - b.device)
    .map(({ node: n, device: d, sum, count }) => ({
      name: nameOfLine(by, nodes, n, d),
      at: Array.from(sum, (_, i) => from + (i + 0.5) * width),
      values: held(Array.from(sum, (s, i) => ((count[i] ?? 0) > 0 ? s / (count[i] ?? 1) : NaN))),
    }));
}

function held(values: number[]): number[] {
  for (let i = 1; i < values.length; ++i) {
    if (Number.isNaN(values[i])) values[i] = values[i - 1] ?? NaN;
  }
  return values;
}

interface Summed {
  node: number;
  device: number;
  sum: Float64Array;
  count: Float64Array;
}

function nameOfLine(by: LinesBy, nodes: number, node: number, device: number): string {
  if (by === 'all') return 'all';
  if (by === 'node') return `node ${node}`;
  return `${nodes > 1 ? `node ${node} · ` : ''}GPU ${device}`;
}

/**
 * Of a profile: the share of each step in which a device ran anything; of a node's or of all devices the mean.
 * All lines stand on one axis, on which a step is where the first device begins it.
 */
export function byStep(devices: readonly Device[], by: LinesBy): UtilLine[] {
  const at = new Map<number, number>();
  for (const { step, ts_ns } of devices.flatMap((d) => d.steps))
    at.set(step, Math.min(at.get(step) ?? Infinity, ts_ns));
  const steps = [...at].sort((a, b) => a[1] - b[1]);
  const lines = new Map<string, Map<number, { share: number; count: number }>>();
  const nodes = new Set(devices.map((d) => d.node)).size;
  for (const device of devices) {
    const { node, rank } = device;
    const where = `${nodes > 1 ? `node ${node} · ` : ''}rank ${rank} · GPU ${device.device}`;
    const name = by === 'device' ? where : nameOfLine(by, nodes, node, device.device);
    const line = lines.get(name) ?? new Map<number, { share: number; count: number }>();
    lines.set(name, line);
    for (const step of device.steps) {
      const share = step.span_ns > 0 ? step.busy_ns / step.span_ns : 0;
      const sum = line.get(step.step) ?? { share: 0, count: 0 };
      line.set(step.step, { share: sum.share + share, count: sum.count + 1 });
    }
  }
  return [...lines].map(([name, line]) => ({
    name,
    at: steps.map(([, ts]) => ts),
    values: steps.map(([step]) => {
      const sum = line.get(step);
      return sum ? sum.share / sum.count : NaN;
    }),
  }));
}
