// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { overlay } from './overlay';

const of = (rows: readonly [number, number, string?][]) => ({
  length: rows.length,
  step: rows.map(([step]) => step),
  dur: rows.map(([, dur]) => dur),
  kind: rows.map(([, , kind]) => kind ?? 'train'),
});

it('lays steps of one number over each other', () => {
  const both = overlay(
    of([
      [1, 10],
      [2, 20],
    ]),
    of([
      [2, 5],
      [3, 6],
    ]),
  );
  expect(both).toEqual({ x: [1, 2, 3], a: [10, 20, null], b: [null, 5, 6] });
});

it('takes the longest rank, and no evaluation', () => {
  const both = overlay(
    of([
      [1, 10],
      [1, 12],
      [2, 90, 'eval'],
    ]),
    of([]),
  );
  expect(both).toEqual({ x: [1], a: [12], b: [null] });
});
