// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { timeRange } from '../base/time';
import { Columns } from './arrow';
import { bucketed, STEP_COLUMNS, stepsOf, timeRangeOfStep, where, within } from './steps';

// ts, dur, kind and data of four steps; everything else is 0.
function steps() {
  const rows: [number, number, string, number][] = [
    [0, 10, 'warm-up', 9],
    [10, 20, 'train', 5],
    [30, 20, 'train', 15],
    [90, 10, 'train', 4],
  ];
  const column = (name: string) =>
    rows.map(([ts, dur, kind, data], i) => {
      if (name === 'kind') return kind;
      if (name === 'min_queue_depth') return i === 1 ? null : 2;
      return { step: i, ts_ns: ts, dur_ns: dur, data_ns: data }[name] ?? 0;
    });
  return stepsOf(Columns.of(Object.fromEntries(STEP_COLUMNS.map((n) => [n, column(n)]))));
}

it('picks rows by kind and by stretch', () => {
  const s = steps();
  expect(where(s, (i) => s.kind[i] === 'train')).toEqual([1, 2, 3]);
  expect(where(s, (i) => within(s, i, timeRange(10, 50)))).toEqual([1, 2]);
  expect(where(s, (i) => within(s, i, timeRange(11, 50)))).toEqual([2]); // in part is not lying in
  expect(where(s, (i) => within(s, i, timeRange(10, 49)))).toEqual([1]);
  expect(where(s, (i) => within(s, i, null)).length).toBe(4);
  expect(timeRangeOfStep(s, 3)).toEqual({ from: 90, to: 100 });
});

it('shares out as many steps each time, and keeps the longest of them', () => {
  const s = steps();
  const two = bucketed(s, [3, 1, 2], ['data'], 2); // 10..50 and 90..100
  expect(two.size).toBe(2);
  expect([two.from, two.to, two.at]).toEqual([
    [10, 90],
    [50, 100],
    [30, 95],
  ]);
  expect(two.shares.get('data')).toEqual([0.5, 0.4]);
  expect(two.longest).toEqual([1, 3]);
  const each = bucketed(s, [1, 2, 3], ['data'], 160);
  expect(each.size).toBe(1);
  expect(each.shares.get('data')).toEqual([0.25, 0.75, 0.4]);
  expect(bucketed(s, [], ['data'], 160).at).toEqual([]);
});

it('an unknown queue depth is no number', () => {
  expect(Array.from(steps().queue)).toEqual([2, NaN, 2, 2]);
});
