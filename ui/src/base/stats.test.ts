// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { allAlike, histogram, marks, percentile, farFrom } from './stats';

it('percentiles by nearest rank', () => {
  const sorted = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100];
  expect(percentile(sorted, 0.5)).toBe(50);
  expect(percentile(sorted, 0.95)).toBe(100);
  expect(percentile(sorted, 0)).toBe(10);
  expect(percentile([7], 0.99)).toBe(7);
  expect(percentile([], 0.5)).toBeNull();
});

describe('histogram', () => {
  it('has every value in one bin, the largest in the last', () => {
    expect(histogram([0, 1, 2, 3, 4], 2)).toEqual([
      { from: 0, to: 2, count: 2 },
      { from: 2, to: 4, count: 3 },
    ]);
  });
  it('equal values have one bin and non-numbers are left out', () => {
    expect(histogram([5, 5, NaN], 3).map((b) => b.count)).toEqual([2, 0, 0]);
    expect(histogram([NaN, Infinity], 3)).toEqual([]);
  });
});

it('marks are round', () => {
  expect(marks(0, 10, 5)).toEqual([0, 2, 4, 6, 8, 10]);
  expect(marks(13, 87, 4)).toEqual([20, 40, 60, 80]);
  expect(marks(5, 5, 4)).toEqual([]);
});

it('values that are all alike are seen to be', () => {
  expect([allAlike([7]), allAlike([7, 7]), allAlike([7, 7, 8])]).toEqual([true, true, false]);
});

it('values far beyond the others share a last bin', () => {
  const usual = Array.from({ length: 99 }, (_, i) => 100 + i);
  const all = [...usual, 5000];
  expect(farFrom(usual)).toBeNull();
  const end = farFrom(all) ?? 0;
  expect(end).toBeGreaterThan(198);
  const bins = histogram(all, 10, end);
  expect(bins).toHaveLength(11);
  expect(bins.at(-1)).toEqual({ from: end, to: 5000, count: 1 });
  expect(bins.reduce((sum, b) => sum + b.count, 0)).toBe(100);
  expect(bins[0]?.from).toBe(100);
});
