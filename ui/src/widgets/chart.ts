// SPDX-License-Identifier: Apache-2.0
// What a chart shows, apart from how uPlot draws it.
import { formatMoment, type Figure } from '../base/format';
import { marks } from '../base/stats';

export interface Line {
  readonly name: string;
  /** As many as x has; NaN and null are gaps. */
  readonly values: ArrayLike<number | null>;
  /** A token: '--data'. */
  readonly color: string;
  /** 'layer': filled down to the axis, drawn over the layers before it (give the topmost first). */
  readonly kind?: 'line' | 'area' | 'dots' | 'layer';
  /** What is told under the cursor, where it is not what is drawn (a stacked layer's own value). */
  readonly told?: ArrayLike<number | null>;
}

/** uPlot's gaps are nulls. */
export function clean(values: ArrayLike<number | null>): (number | null)[] {
  return Array.from(values, (v) => (v == null || Number.isNaN(v) ? null : v));
}

export interface Readout {
  readonly x: Figure;
  readonly values: { name: string; color: string; figure: Figure }[];
}

export function readout(
  at: number,
  x: ArrayLike<number>,
  lines: readonly Line[],
  format: (value: number) => Figure,
  xFormat: (value: number) => Figure,
): Readout | null {
  const when = x[at];
  if (when === undefined) return null;
  const values = lines.flatMap((line) => {
    const value = (line.told ?? line.values)[at];
    return value == null || Number.isNaN(value)
      ? []
      : [{ name: line.name, color: line.color, figure: format(value) }];
  });
  return { x: xFormat(when), values };
}

/** Round moments for the axis; time counts in 1, 2, 5 steps of ns up to seconds, then in minutes. */
export function timeSplits(low: number, high: number, wanted: number): number[] {
  const span = high - low;
  const minute = 6e10;
  const unit = span > 7200e9 ? 3.6e12 : span > 240e9 ? minute : 1;
  return marks(low / unit, high / unit, wanted).map((m) => m * unit);
}

export function axisValues(
  splits: readonly number[],
  time: boolean,
  format: (value: number) => Figure,
): string[] {
  const [first = 0, second = first + 1] = splits;
  return splits.map((v) =>
    time ? formatMoment(v, second - first, splits.at(-1)) : format(v).text,
  );
}
