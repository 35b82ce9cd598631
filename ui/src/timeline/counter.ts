// SPDX-License-Identifier: Apache-2.0
// A counter's row: the mean as a filled line, the reach from smallest to largest as a band.
import { metricInfo } from '../api/metrics';
import type { CounterSeries } from './series';
import type { TrackRow } from './rows';
import type { Scene } from './scene';
import { rowTop } from './scene';
import { toPixel } from './viewport';

const PADDING = 3;
const DOT = 4;

export interface CounterRange {
  low: number;
  high: number;
}

/** The first value at or before `ns`, by bucket; -1 where all come later. */
export function valueAt(series: CounterSeries, ns: number): number {
  let low = 0;
  let high = series.ts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((series.ts[middle] as number) <= ns) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Counters of imported traces say no unit. */
export const unitOf = (metric: string): string => metricInfo(metric)?.unit ?? '';

/** What the row's height stands for: from 0, or the smallest value if that is negative. */
export function rangeOf(series: CounterSeries): CounterRange {
  let low = 0;
  let high = 0;
  for (const value of series.max) if (value > high) high = value;
  for (const value of series.min) if (value < low) low = value;
  return high > low ? { low, high } : { low, high: low + 1 };
}

export function drawCounter(
  context: CanvasRenderingContext2D,
  scene: Scene,
  row: TrackRow,
  series: CounterSeries,
): void {
  const top = rowTop(row, scene.scroll) + PADDING;
  const height = row.height - 2 * PADDING - 1;
  const range = rangeOf(series);
  const y = (value: number) => top + height * (1 - (value - range.low) / (range.high - range.low));
  const x = (i: number) => toPixel(series.ts[i] as number, scene.view, scene.width);
  // From the last value before the view, which holds into it, to the first one after.
  const first = Math.max(valueAt(series, scene.view.fromNs), 0);
  let end = first;
  while (end < series.ts.length && (series.ts[end] as number) <= scene.view.toNs) ++end;
  end = Math.min(end + 1, series.ts.length);
  if (end - first < 1) return;
  const line = new Path2D();
  for (let i = first; i < end; ++i) line.lineTo(x(i), y(series.mean[i] as number));
  const area = new Path2D(line);
  area.lineTo(x(end - 1), y(range.low));
  area.lineTo(x(first), y(range.low));
  const band = new Path2D();
  for (let i = first; i < end; ++i) band.lineTo(x(i), y(series.max[i] as number));
  for (let i = end - 1; i >= first; --i) band.lineTo(x(i), y(series.min[i] as number));
  context.save();
  context.fillStyle = scene.look.counter;
  context.globalAlpha = 0.14;
  context.fill(area);
  context.globalAlpha = 0.22;
  context.fill(band);
  context.globalAlpha = 1;
  context.strokeStyle = scene.look.counter;
  context.lineWidth = 1.25;
  context.stroke(line);
  // A reading alone draws no line.
  if (end - first === 1) {
    context.fillStyle = scene.look.counter;
    const [left, above] = [x(first), y(series.mean[first] as number)];
    context.fillRect(left - DOT / 2, above - DOT / 2, DOT, DOT);
  }
  context.restore();
}
