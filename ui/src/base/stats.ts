// SPDX-License-Identifier: Apache-2.0

/** The value at or below which `share` of the sorted values lie, by nearest rank, as the report's. */
export function percentile(sorted: ArrayLike<number>, share: number): number | null {
  if (sorted.length === 0) return null;
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  return sorted[Math.min(rank, sorted.length) - 1] ?? null;
}

/** Whether every value is the first one. */
export function allAlike(values: ArrayLike<number>): boolean {
  for (let i = 1; i < values.length; i++) if (values[i] !== values[0]) return false;
  return true;
}

export interface Bin {
  readonly from: number;
  /** Excluded, but for the last bin. */
  readonly to: number;
  readonly count: number;
}

/** Beyond so many times what 95 of 100 values span, the rest share one bin. */
const FAR = 4;

/**
 * Where equal bins end, so that a few values far above the others do not press these into one bar; null: at the
 * largest value.
 */
export function farFrom(values: ArrayLike<number>): number | null {
  const sorted = Float64Array.from(values).filter(Number.isFinite).sort();
  const low = sorted[0] ?? 0;
  const high = sorted.at(-1) ?? 0;
  const end = percentile(sorted, 0.95) ?? low;
  const limit = low + (end - low) * 1.5;
  return end > low && high - low > FAR * (end - low) ? limit : null;
}

/**
 * Counts in equal bins from the least value on, to the largest or to `end`, beyond which all are in a last bin; every
 * finite value is in exactly one.
 */
export function histogram(
  values: ArrayLike<number>,
  bins: number,
  end: number | null = null,
): Bin[] {
  if (end !== null) {
    const all = Array.from(values).filter(Number.isFinite);
    const far = all.filter((v) => v >= end);
    const low = all.reduce((least, v) => Math.min(least, v), Infinity);
    const high = far.reduce((most, v) => Math.max(most, v), end);
    const width = (end - low) / bins;
    const counts = new Array<number>(bins).fill(0);
    for (const v of all) {
      const at = Math.min(bins - 1, Math.floor((v - low) / width));
      if (v < end) counts[at] = (counts[at] ?? 0) + 1;
    }
    const near = counts.map((count, i) => ({
      from: low + i * width,
      to: i === bins - 1 ? end : low + (i + 1) * width,
      count,
    }));
    return [...near, { from: end, to: high, count: far.length }];
  }
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < values.length; i++) {
    const v = values[i] ?? NaN;
    if (!Number.isFinite(v)) continue;
    low = Math.min(low, v);
    high = Math.max(high, v);
  }
  if (low > high) return [];
  const width = (high - low) / bins || 1;
  const counts = new Array<number>(bins).fill(0);
  for (let i = 0; i < values.length; i++) {
    const v = values[i] ?? NaN;
    if (!Number.isFinite(v)) continue;
    const at = Math.min(bins - 1, Math.floor((v - low) / width));
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts.map((count, i) => ({ from: low + i * width, to: low + (i + 1) * width, count }));
}

/** Round marks of an axis: about `wanted` of them, 1, 2 or 5 times a power of ten apart. */
export function marks(low: number, high: number, wanted: number): number[] {
  return marksEvery(low, high, niceStep((high - low) / Math.max(1, wanted)));
}

/** The multiples of a distance from low to high. */
export function marksEvery(low: number, high: number, every: number): number[] {
  if (!(every > 0)) return [];
  const first = Math.ceil(low / every);
  const last = Math.floor(high / every + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => (first + i) * every);
}

export function niceStep(rough: number): number {
  if (!(rough > 0) || !Number.isFinite(rough)) return 0;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((f) => f * power >= rough * (1 - 1e-9)) ?? 10;
  return factor * power;
}
