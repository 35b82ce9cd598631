// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import type { Steps } from '../../api/steps';
import { timeRange } from '../../base/time';
import { byStep } from './by_step';

/** [rank, step, ts, dur, communication], and a kind that is no training. */
function steps(rows: [number, number, number, number, number, string?][]): Steps {
  const column = (k: 0 | 1 | 2 | 3 | 4) => rows.map((row) => row[k]);
  return {
    length: rows.length,
    rank: column(0),
    step: column(1),
    ts: column(2),
    dur: column(3),
    kind: rows.map((row) => row[5] ?? 'train'),
    waits: [],
    starved: [],
    queue: [],
    parts: new Map([['communication', column(4)]]),
  };
}

const RUN = steps([
  [0, 0, 0, 100, 90, 'warm-up'],
  [1, 0, 0, 100, 10, 'warm-up'],
  [0, 2, 201, 100, 30],
  [1, 2, 203, 100, 30],
  [0, 1, 101, 100, 60],
  [1, 1, 105, 100, 8],
  [2, 1, 103, 100, 28],
  [0, 3, 301, 100, 70],
]);

it('of steady steps of several ranks, what is beyond the least is waiting', () => {
  expect(byStep(RUN, null)).toEqual({
    shared: 2,
    waits: [
      { rank: 0, step: 1, wait_ns: 52 },
      { rank: 1, step: 1, wait_ns: 0 },
      { rank: 2, step: 1, wait_ns: 20 },
      { rank: 0, step: 2, wait_ns: 0 },
      { rank: 1, step: 2, wait_ns: 0 },
    ],
    late: [{ ts_ns: 105, last_rank: 1, late_by_ns: 52, wait_ns: 72 }],
  });
});

it('keeps to the selected time range', () => {
  expect(byStep(RUN, timeRange(201, 303)).shared).toBe(1);
  expect(byStep(RUN, timeRange(201, 302)).shared).toBe(0); // one rank's step ends behind it
  expect(byStep(RUN, timeRange(350, 380))).toEqual({ shared: 0, waits: [], late: [] });
});
