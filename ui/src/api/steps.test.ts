// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { stretch } from '../base/time';
import { Columns } from './arrow';
import { bucketed, STEP_COLUMNS, stepsOf, stretchOfStep, total, where, within } from './steps';

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
  expect(where(s, (i) => within(s, i, stretch(10, 50)))).toEqual([1, 2]);
  expect(where(s, (i) => within(s, i, stretch(11, 50)))).toEqual([2]); // in part is not lying in
  expect(where(s, (i) => within(s, i, stretch(10, 49)))).toEqual([1]);
  expect(where(s, (i) => within(s, i, null)).length).toBe(4);
  expect(stretchOfStep(s, 3)).toEqual({ from: 90, to: 100 });
});

it('sums and averages over stretches of the run', () => {
  const s = steps();
  expect(total(s, 'data', [1, 2])).toBe(20);
  const { at, means } = bucketed(s, [1, 2, 3], ['data'], 2); // 10..55 and 55..100
  expect(at).toEqual([33, 78]);
  expect(means.get('data')).toEqual([10, 4]);
});

it('an unknown queue depth is no number', () => {
  expect(Array.from(steps().queue)).toEqual([2, NaN, 2, 2]);
});
