// SPDX-License-Identifier: Apache-2.0
// What a chart shows, apart from how uPlot draws it.
import { formatMoment, type Figure } from '../base/format';
import { marks, marksEvery } from '../base/stats';

export interface ChartLine {
  readonly name: string;
  /** As many as x has; NaN and null are gaps. */
  readonly values: ArrayLike<number | null>;
  /** A token: '--data'. */
  readonly color: string;
  /**
   * 'layer': filled down to the axis, drawn over the layers before it (give the topmost first); 'bar': likewise, each
   * value as wide as its span; 'cap': a short line at each value, as wide as its span.
   */
  readonly kind?: 'line' | 'area' | 'dots' | 'layer' | 'bar' | 'cap';
  /** Each value holds until the next: between two of them nothing rises or falls. */
  readonly held?: boolean;
  /** What is told under the cursor, where it is not what is drawn (a stacked layer's own value). */
  readonly told?: ArrayLike<number | null>;
  /** Measured by an axis of its own, at the right, with this unit. */
  readonly right?: { readonly format: (value: number) => Figure; readonly unit: string };
}

/** Where each value of a chart begins and ends, from left to right. */
export interface Spans {
  readonly from: ArrayLike<number>;
  readonly to: ArrayLike<number>;
}

/** Distances of marks that are whole numbers. */
export const WHOLE: number[] = Array.from({ length: 15 }, (_, i) => 10 ** i).flatMap((p) => [
  p,
  2 * p,
  5 * p,
]);

/** uPlot's gaps are nulls. */
export function clean(values: ArrayLike<number | null>): (number | null)[] {
  return Array.from(values, (v) => (v == null || Number.isNaN(v) ? null : v));
}

/** Places of the values that have none beside them. */
export function alone(values: ArrayLike<number | null | undefined>): number[] {
  return Array.from(values, (_, i) => i).filter(
    (i) => values[i] != null && values[i - 1] == null && values[i + 1] == null,
  );
}

/** Where a key leads along `count` places from `at` (null: nowhere yet); null: no key of a chart. */
export function placeAfterKey(key: string, at: number | null, count: number): number | null {
  const by: Readonly<Record<string, number>> = {
    ArrowRight: 1,
    ArrowLeft: -1,
    PageDown: Math.max(1, Math.round(count / 10)),
    PageUp: -Math.max(1, Math.round(count / 10)),
    Home: -count,
    End: count,
  };
  const step = by[key];
  if (step === undefined || count === 0) return null;
  const from = at ?? (step > 0 ? -1 : count);
  return Math.max(0, Math.min(count - 1, from + step));
}

export interface Readout {
  readonly x: Figure;
  readonly values: { name: string; color: string; figure: Figure }[];
}

export function readout(
  at: number,
  x: ArrayLike<number>,
  lines: readonly ChartLine[],
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

/**
 * Which of the values at these places lies nearest to a point, in pixels; null: none within `reach`. `x` ascends.
 */
export function nearest(
  point: { readonly x: number; readonly y: number },
  x: ArrayLike<number>,
  values: readonly ArrayLike<number | null>[],
  place: { readonly x: (v: number) => number; readonly y: (v: number) => number },
  reach: number,
): number | null {
  let found: number | null = null;
  let least = reach * reach;
  for (let i = firstFrom(x, (v) => place.x(v) >= point.x - reach); i < x.length; ++i) {
    const dx = place.x(x[i] ?? 0) - point.x;
    if (dx > reach) break;
    for (const line of values) {
      const value = line[i];
      if (value == null) continue;
      const dy = place.y(value) - point.y;
      const distance = dx * dx + dy * dy;
      if (distance < least) [found, least] = [i, distance];
    }
  }
  return found;
}

/** The first place from which on `holds` does; x.length where it never does. */
function firstFrom(x: ArrayLike<number>, holds: (v: number) => boolean): number {
  let low = 0;
  let high = x.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(x[middle] ?? 0)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Steps of a time axis beyond a second; past these whole hours. */
const CLOCK = [1e9, 2e9, 5e9, 10e9, 20e9, 30e9, 60e9, 120e9, 300e9, 600e9, 1200e9, 1800e9, 3.6e12];

/** Round moments for the axis, about `wanted` and at least two where there is room for any. */
export function timeSplits(low: number, high: number, wanted: number): number[] {
  const apart = (high - low) / Math.max(1, wanted);
  const hours = (m: number) => m * 3.6e12;
  const every = CLOCK.find((step) => step >= apart * (1 - 1e-9));
  const found =
    apart < 1e9
      ? marks(low, high, wanted)
      : every === undefined
        ? marks(low / 3.6e12, high / 3.6e12, wanted).map(hours)
        : marksEvery(low, high, every);
  return found.length < 2 && wanted > 1 && wanted < 16 ? timeSplits(low, high, wanted * 2) : found;
}

export function axisValues(
  splits: readonly number[],
  time: boolean,
  format: (value: number) => Figure,
): string[] {
  // Of a single mark nothing tells how exact it is to be: as exact as it is round.
  const [first = 0, second = 2 * first || 1] = splits;
  return splits.map((v) =>
    time ? formatMoment(v, second - first, splits.at(-1)) : format(v).text,
  );
}
