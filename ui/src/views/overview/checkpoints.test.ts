// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { Columns } from '../../api/arrow';
import { STEP_COLUMNS, stepsOf } from '../../api/steps';
import { ns } from '../../base/time';
import { checkpointsOf } from './checkpoints';
import { report, rows } from './report_fixture';
import { lanes, runPhases } from './story';

describe('evaluations and checkpoints', () => {
  // An evaluation of 8 in step 1, which takes 20, and one of 9 after the last step; a save in each of them.
  const steps = stepsOf(
    Columns.of({
      ...Object.fromEntries(STEP_COLUMNS.map((name) => [name, [0, 0, 0]])),
      step: [1, 1, 2],
      kind: ['train', 'eval', 'eval'],
      ts_ns: [70, 78, 91],
      dur_ns: [20, 8, 9],
      evaluation_ns: [8, 6, 7],
      data_ns: [2, 2, 2],
      checkpoint_ns: [1, 0, 0],
    }),
  );
  const row = (step_kind: string, phase: string, length: number) => ({
    rank: 0,
    step_kind,
    phase,
    ns: ns(length),
    share: 0,
  });
  const checkpoints = checkpointsOf(
    Columns.of({
      rank: [0, 0, 0, 0],
      ts_ns: [88, 99, 5, 71],
      dur_ns: [1, 1, 2, 1],
      step: [1, null, null, 1],
      depth: [0, 0, 0, 1],
      args: ['{"kind":"save"}', '{"kind":"save"}', 'no JSON', '{"kind":"load"}'],
    }),
  );

  it('are marked where they were, each once', () => {
    const found = lanes(report(), { steps, checkpoints, findings: [] });
    expect(found.map(({ name, marks }) => [name, ...marks.map((m) => m.text)])).toEqual([
      ['Evaluation', 'Evaluation in step 1 of rank 0, 8 ns', 'Evaluation of rank 0, 9 ns'],
      [
        'Checkpoints',
        'Checkpoint (save) in step 1 of rank 0, 1 ns',
        'Checkpoint (save) of rank 0, 1 ns',
        'Checkpoint of rank 0, 2 ns',
      ],
    ]);
    expect(found.map(({ marks }) => marks.map((m) => [m.from, m.to]))).toEqual([
      [
        [78, 86],
        [91, 100],
      ],
      [
        [88, 89],
        [99, 100],
        [5, 7],
      ],
    ]);
  });

  it('count once, and as part of the training only what lies in its steps', () => {
    const sums = (...breakdown: ReturnType<typeof row>[]) => {
      const { inside, besides } = runPhases({ ...report(), breakdown: rows(breakdown) });
      return [inside, besides].map((list) => list.map((p) => [p.name, p.figure.exact]));
    };
    const train = [row('train', 'evaluation', 8), row('warm-up', 'checkpoint', 1)];
    const both = [row('eval', 'evaluation', 13), row('eval', 'data', 4)];
    const inside = [
      ['evaluation', '8 ns'],
      ['checkpoint', '1 ns'],
    ];
    expect(sums(...train, ...both)).toEqual([inside, [['all evaluation', '17 ns']]]);
    expect(sums(...train, row('eval', 'evaluation', 8))).toEqual([inside, []]);
    expect(sums(row('eval', 'evaluation', 9))).toEqual([[], [['evaluation', '9 ns']]]);
  });
});
