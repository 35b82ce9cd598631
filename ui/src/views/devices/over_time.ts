// SPDX-License-Identifier: Apache-2.0
// Utilisation over time: mean of a node's devices or cores, one line a node.
import type { Columns } from '../../api/arrow';
import type { DevicesSection } from './section';

export interface NodeLine {
  node: number;
  at: number[];
  values: number[];
}

/**
 * Mean of all tracks of a node in equal parts of what was measured: as many as the longest track has
 * values, `most` at most. A part in which nothing was read holds the value before it.
 */
export function byNode(columns: Columns, metric: string, most: number): NodeLine[] {
  const name = columns.strings('metric');
  const node = columns.numbers('node');
  const at = columns.numbers('bucket_ns');
  const mean = columns.numbers('mean');
  const track = columns.numbers('track');
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
  const sums = new Map<number, { sum: Float64Array; count: Float64Array }>();
  const width = (to - from) / parts || 1;
  for (let i = 0; i < columns.length; ++i) {
    const value = mean[i] ?? NaN;
    if (name[i] !== metric || Number.isNaN(value)) continue;
    const number = node[i] ?? 0;
    let of = sums.get(number);
    if (of === undefined) {
      of = { sum: new Float64Array(parts), count: new Float64Array(parts) };
      sums.set(number, of);
    }
    const part = Math.min(Math.floor(((at[i] ?? 0) - from) / width), parts - 1);
    of.sum[part] = (of.sum[part] ?? 0) + value;
    of.count[part] = (of.count[part] ?? 0) + 1;
  }
  return [...sums]
    .sort((a, b) => a[0] - b[0])
    .map(([number, { sum, count }]) => ({
      node: number,
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

/** Of a profile: the share of each step in which its devices ran anything, mean over the devices. */
export function byStep(section: DevicesSection): { at: number[]; values: number[] } {
  const sums = new Map<number, { at: number; share: number; count: number }>();
  for (const device of section.devices) {
    for (const step of device.steps) {
      const share = step.span_ns > 0 ? step.busy_ns / step.span_ns : 0;
      const sum = sums.get(step.step);
      if (sum === undefined) sums.set(step.step, { at: step.ts_ns, share, count: 1 });
      else {
        sum.share += share;
        sum.count += 1;
      }
    }
  }
  const rows = [...sums.values()].sort((a, b) => a.at - b.at);
  return { at: rows.map((r) => r.at), values: rows.map((r) => r.share / r.count) };
}
