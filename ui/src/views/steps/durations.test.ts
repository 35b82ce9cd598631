// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { Columns } from '../../api/arrow';
import { parseRank, ranksOf, rowsOf } from '../../api/rank_choice';
import { STEP_COLUMNS, stepsOf } from '../../api/steps';
import { ns, timeRange } from '../../base/time';
import { stack } from '../../widgets/stack';
import {
  againstMedian,
  markedSteps,
  selectedStep,
  steadyDurations,
  stepRow,
  onlyOfAllSteps,
} from './durations';

// Two ranks, two steps each: [rank, step, ts, dur, kind, model].
function steps() {
  const rows: [number, number, number, number, string, number][] = [
    [0, 0, 0, 10, 'warm-up', 10],
    [1, 0, 0, 12, 'warm-up', 5],
    [0, 1, 10, 30, 'train', 20],
    [1, 1, 12, 20, 'train', 4],
  ];
  const column = (name: string) =>
    rows.map(([rank, step, ts_ns, dur_ns, kind, model]) => {
      const known: Record<string, number | string> = { rank, step, ts_ns, dur_ns, kind };
      if (name === 'model_ns') return model;
      if (name === 'data_pipeline_ns') return dur_ns - model;
      return known[name] ?? 0;
    });
  return stepsOf(Columns.of(Object.fromEntries(STEP_COLUMNS.map((n) => [n, column(n)]))));
}

it('shows one rank, or of each step the longest', () => {
  const s = steps();
  expect(ranksOf(s)).toEqual([0, 1]);
  expect(rowsOf(s, 'all')).toEqual([1, 2]);
  expect(rowsOf(s, 1)).toEqual([1, 3]);
  expect(rowsOf(s, 'all', (i) => i !== 1)).toEqual([0, 2]);
  expect(parseRank('1', [0, 1])).toBe(1);
  expect(parseRank('7', [0, 1])).toBe('all');
});

it('quantiles are over steady steps of the time range', () => {
  expect(steadyDurations(steps(), null)).toEqual([30, 20]);
  expect(steadyDurations(steps(), timeRange(10, 50))).toEqual([30, 20]);
  expect(steadyDurations(steps(), timeRange(11, 50))).toEqual([20]);
});

it('names the cause that took most', () => {
  expect(stepRow(steps(), 2)).toMatchObject({ cause: 'model', causeShare: 2 / 3 });
  expect(stepRow(steps(), 3)).toMatchObject({ cause: 'data_pipeline', causeShare: 0.8 });
});

it('stacks what is there', () => {
  const values = new Map([
    ['a', [1, 2]],
    ['b', [0, 0]],
    ['c', [3, 0]],
  ]);
  expect(stack(values, ['a', 'b', 'c'])).toEqual([
    { name: 'a', top: [1, 2], alone: [1, 2] },
    { name: 'c', top: [4, 2], alone: [3, 0] },
  ]);
});

it('a cause that no step tells by itself is said to be of all steps together', () => {
  const suspects = (share: number) => [
    { name: 'model' as const, ns: ns(9), share: 0.5 },
    { name: 'framework_overhead' as const, ns: ns(1), share },
  ];
  expect(onlyOfAllSteps(suspects(0.012), steps())).toEqual(['framework_overhead']);
  expect(onlyOfAllSteps(suspects(0.001), steps())).toEqual([]);
});

it('a selected step stands beside the median of each part over the steady steps of its rank', () => {
  const s = steps();
  expect(selectedStep(s, timeRange(10, 40))).toBe(2);
  expect(selectedStep(s, timeRange(10, 41))).toBeNull();
  const told = againstMedian(s, 0); // a step of warm-up: of its rank one step is steady
  expect(told).toMatchObject({ dur: 10, median: 30, steady: 1 });
  expect(told.rows).toEqual([
    { group: 'cause', name: 'data_pipeline', here: 0, median: 10 },
    { group: 'cause', name: 'model', here: 10, median: 20 },
  ]);
});

it('outliers are marked in the colour of what grew most', () => {
  const outlier = { rank: 1, step: 1, ts_ns: ns(12), dur_ns: ns(20), cause: 'decode' as const };
  const marked = markedSteps([{ ...outlier, excess_ns: ns(1) }], steps(), [0, 3]);
  expect(marked).toHaveLength(1);
  expect(marked[0]?.at).toBe(1);
});
