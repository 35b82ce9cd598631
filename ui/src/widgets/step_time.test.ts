// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { perStep, stepColumns, stepTimeOf } from './step_time';

const totals = [
  { rank: 0, steps: 2, steps_ns: 201 },
  { rank: 1, steps: 2, steps_ns: 199 },
];

it('is of one rank, or of the steps of all', () => {
  expect(stepTimeOf(totals, 0)).toEqual({ steps: 2, ns: 201 });
  expect(stepTimeOf(totals, null)).toEqual({ steps: 4, ns: 400 });
});

it('rounds as the report does', () => {
  expect(perStep(61, { steps: 2, ns: 201 })).toBe(31);
  expect(perStep(60, { steps: 2, ns: 201 })).toBe(30);
});

it('has no columns without steps', () => {
  expect(stepColumns({ steps: 0, ns: 0 }, (n: number) => n, 'Own time')).toEqual([]);
});

it('tells share and time of a step', () => {
  const [share, time] = stepColumns({ steps: 4, ns: 400 }, (n: number) => n, 'Own time');
  expect(share?.value(100)).toBe(0.25);
  expect(time?.format?.(100).exact).toBe('25 ns');
});
