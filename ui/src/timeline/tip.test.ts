// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import type { Hovered } from './hit';
import { bothNs, counterTipOf, tipOf } from './tip';

const slice: Hovered = {
  place: { track: 1, lane: 0, fromNs: 5_000_000_123, toNs: 5_001_234_690 },
  slice: 7,
  name: 'aten::mm',
  category: 'operator',
  count: 1,
  busyNs: 1_234_567,
};
const plain = (lines: string[]) => lines.map((line) => line.replaceAll('\u00a0', ' '));

it('one slice: its length and its begin to the ns', () => {
  expect(plain(tipOf(slice))).toEqual([
    '1.23 ms · 1,234,567 ns · operator',
    'begins at 5.00000 s · 5,000,000,123 ns',
  ]);
});

it('several in a pixel: how many, and how long they were busy together', () => {
  const many = { ...slice, count: 12_345, busyNs: 617_283 };
  expect(plain(tipOf(many))).toEqual([
    'longest of 12,345 slices too short to draw one by one',
    'together busy 617 µs · 617,283 ns of 1,234,567 ns, 50 %',
  ]);
});

it('says a figure once where three digits are all of it', () => {
  expect(plain([bothNs(512)])).toEqual(['512 ns']);
  expect(plain([bothNs(1_000)])).toEqual(['1 µs · 1,000 ns']);
});

it('a counter: its value whole, how far the values of a pixel reach, and since when', () => {
  const list = (...values: number[]) => Float64Array.from(values);
  const series = {
    ts: list(1_000, 2_500_000_000),
    min: list(0.5, 0.125),
    mean: list(0.5, 0.123456),
    max: list(0.5, 0.25),
  };
  const at = (ns: number) => plain(counterTipOf('cpu.busy_share', series, ns));
  expect(at(999)).toEqual([]);
  expect(at(1_000)).toEqual(['50 %', 'since 1,000 ns']);
  expect(at(3e9)).toEqual([
    '12.3 % · 12.3456 %',
    'mean of 12.5 % to 25 %',
    'since 2,500,000,000 ns',
  ]);
});
