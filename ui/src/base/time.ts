// SPDX-License-Identifier: Apache-2.0
// Time as the server tells it: whole nanoseconds since the run's epoch. A double holds them exactly up to
// 2^53 ns, 104 days, so that a number is enough; the brand keeps seconds and pixels out.

declare const unit: unique symbol;

/** Nanoseconds: a moment since the run's epoch, or a duration. */
export type Ns = number & { readonly [unit]: 'ns' };

export const ns = (value: number): Ns => value as Ns;

/** A time range of a run, from included, to excluded; `to` is never before `from`. */
export interface TimeRange {
  readonly from: Ns;
  readonly to: Ns;
}

export const duration = (s: TimeRange): Ns => ns(s.to - s.from);

/** A time range of whole nanoseconds at least 1 ns long, whichever end is named first. */
export function timeRange(a: number, b: number): TimeRange {
  const from = Math.round(Math.min(a, b));
  return { from: ns(from), to: ns(Math.max(Math.round(Math.max(a, b)), from + 1)) };
}

export const overlaps = (a: TimeRange, b: TimeRange): boolean => a.from < b.to && b.from < a.to;
