// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import {
  blameColumns,
  causedBy,
  lastIn,
  lastRanks,
  matrixOf,
  notesOf,
  partsOf,
  saidOf,
  totalOf,
  waitByStep,
  type Collective,
  type Rank,
} from './section';

const rank = (more: Partial<Rank>): Rank => ({
  rank: 0,
  computation_ns: 50,
  overlap_ns: 10,
  exposed_ns: 30,
  other_ns: 10,
  transfer_ns: 20,
  wait_ns: 20,
  unmatched_ns: 0,
  ...more,
});

describe('distributed', () => {
  it('says all that is doubtful, and else why there is nothing to tell', () => {
    const said = (text: string) => ({
      text,
      figures: [],
      id: '',
      kind: '',
      subject: {},
      values: {},
    });
    const reason = { ...said('nothing matched'), next_step: '' } as never;
    const notes = [said('nothing matched'), said('calls of rank 1 fit no other')] as never;
    expect(saidOf({ notes, reason })).toBe('nothing matched; calls of rank 1 fit no other');
    expect(saidOf({ notes: [], reason })).toBe('nothing matched');
    expect(saidOf({ reason: null })).toBe('');
  });

  it('parts of a rank sum to its total', () => {
    const sum = (r: Rank) => partsOf(r).reduce((s, p) => s + p.ns, 0);
    expect(sum(rank({}))).toBe(100);
    expect(partsOf(rank({})).find((p) => p.name === 'wait')?.ns).toBe(15);
    expect(
      partsOf(rank({ transfer_ns: 0, wait_ns: 0 })).find((p) => p.name === 'unmatched')?.ns,
    ).toBe(30);
    expect(sum(rank({ transfer_ns: null, wait_ns: null, exposed_ns: 0 }))).toBe(70);
  });

  it('total is as reported, to the ns, and the sum of its parts', () => {
    const sum = (r: Rank) => partsOf(r).reduce((s, p) => s + p.ns, 0);
    // Each a third of 100: rounded one by one they were 99.
    const thirds = rank({ exposed_ns: 100, transfer_ns: 7, wait_ns: 7, unmatched_ns: 7 });
    expect(partsOf(thirds).map((p) => p.ns)).toEqual([50, 10, 33, 34, 33, 10]);
    expect([totalOf(thirds), sum(thirds)]).toEqual([170, 170]);
    // Two halves of an odd number: one by one they were 1 too many.
    const halves = rank({ exposed_ns: 31, transfer_ns: 8, wait_ns: 8, unmatched_ns: 0 });
    expect([totalOf(halves), sum(halves)]).toEqual([101, 101]);
    const day = 86_400_000_000_001;
    for (const exposed_ns of [1, 2, 1_234_567_891, day]) {
      const r = rank({ exposed_ns, transfer_ns: 3, wait_ns: 123_457, unmatched_ns: 7_000_001 });
      expect(sum(r)).toBe(exposed_ns + 70);
    }
    expect(totalOf(rank({ total_ns: 103 }))).toBe(103);
    expect(partsOf(rank({ exposed_ns: 1, transfer_ns: 0, wait_ns: 3 })).map((p) => p.name)).toEqual(
      ['computation', 'overlap', 'wait', 'other'],
    );
  });

  it('a rank of a recorded run: what kept it beside computing and communicating stands in its bar', () => {
    const late: Rank = {
      rank: 2,
      computation_ns: 50,
      overlap_ns: 0,
      exposed_ns: 30,
      transfer_ns: 20,
      wait_ns: 10,
      suspects: [
        { name: 'data_pipeline', ns: 4 },
        { name: 'model', ns: 50 },
        { name: 'communication', ns: 30 },
        { name: 'framework_overhead', ns: 0 },
        { name: 'other_work', ns: 12 },
        { name: 'unattributed', ns: 4 },
      ],
    };
    expect(totalOf(late)).toBe(100);
    expect(partsOf(late).map((p) => [p.title, p.ns])).toEqual([
      ['Computing alone', 50],
      ['Exposed: transfer', 20],
      ['Exposed: waiting', 10],
      ['Data pipeline', 4],
      ['Other work', 12],
      ['Unattributed', 4],
    ]);
    // Of a profile the rest is told: causes are not added to it.
    expect(totalOf({ ...late, other_ns: 16 })).toBe(96);
  });

  it('who caused waiting, where only ranks and blame tell of it', () => {
    const blame = [{ rank: 2, caused_wait_ns: 7, cause: 'unknown' }];
    const bare = rank({ rank: 2, wait_ns: 20 });
    expect(causedBy(bare, blame)).toBe(7);
    expect(causedBy({ ...bare, rank: 1 }, blame)).toBe(0);
    expect(causedBy(bare, [])).toBeUndefined();
    expect(causedBy({ ...bare, caused_wait_ns: 3 }, blame)).toBe(3);
  });

  it('says what the figures rest on', () => {
    const calls = notesOf({ status: 'found', source: 'calls', ranks: [rank({})] });
    expect(calls.ranks).toContain('as in the calls');
    expect(calls.ranks).not.toContain('at once');
    const twice = notesOf({ status: 'found', source: 'calls', ranks: [rank({ wait_ns: 21 })] });
    expect(twice.ranks).toContain('several at once');
    expect(calls.why).toContain('since all were together last');
    expect(calls.calls).toBe('');
    const steps = notesOf({ status: 'found', source: 'steps', ranks: [rank({})] });
    expect(steps.ranks).toContain('Of the steady steps');
    expect(steps.why).toContain('stages of the steady steps');
    expect(steps.why).not.toContain('together last');
    expect(steps.calls).toContain('in the calls alone');
    const means = [rank({ mean_step_ns: 5 })];
    expect(notesOf({ status: 'found', ranks: means }).ranks).toContain('Of the measured steps');
    for (const ranks of [
      calls.ranks,
      steps.ranks,
      notesOf({ status: 'found', ranks: means }).ranks,
    ])
      expect(ranks).toContain('; the sum: computing, overlap, exposed communication and the rest');
    const blame = { rank: 1, caused_wait_ns: 5, cause: '', collectives: 0, steps: 7 };
    expect(lastIn(blame, 'steps')).toEqual([7, 'steady steps']);
    expect(lastIn({ ...blame, collectives: 1 }, 'calls')).toEqual([1, 'collective']);
    expect(lastIn({ rank: 1, caused_wait_ns: 5, cause: '' }, undefined)).toBeNull();
  });

  it('matrix: who made whom wait', () => {
    const m = matrixOf(
      [
        { rank: 3, caused_wait_ns: 5, cause: '', waiters: [{ rank: 0, wait_ns: 5 }] },
        {
          rank: 1,
          caused_wait_ns: 9,
          cause: '',
          waiters: [
            { rank: 2, wait_ns: 8 },
            { rank: 0, wait_ns: 1 },
          ],
        },
        { rank: 7, caused_wait_ns: 0, cause: '' },
      ],
      8,
    );
    expect(m).toEqual({
      late: [1, 3],
      waiting: [0, 2],
      lateCount: 2,
      waitingCount: 2,
      cells: [
        [1, 8],
        [5, 0],
      ],
      most: 8,
    });
  });

  it('matrix: what is left out is counted', () => {
    const waiters = [1, 2, 3].map((rank) => ({ rank, wait_ns: rank }));
    const blame = [5, 6].map((rank) => ({ rank, caused_wait_ns: rank, cause: '', waiters }));
    expect(matrixOf(blame, 1)).toEqual({
      late: [6],
      waiting: [3],
      lateCount: 2,
      waitingCount: 3,
      cells: [[3]],
      most: 3,
    });
    const saved = blameColumns(blame).map(({ values }) => values);
    expect(saved[0]).toHaveLength(blame.flatMap((b) => b.waiters ?? []).length); // all, not one pair
    expect(saved).toEqual([
      blame.flatMap((b) => (b.waiters ?? []).map(() => b.rank)),
      blame.flatMap((b) => (b.waiters ?? []).map((w) => w.rank)),
      blame.flatMap((b) => (b.waiters ?? []).map((w) => w.wait_ns)),
    ]);
  });

  it('last ranks over time', () => {
    const c = (ts_ns: number, last_rank: number, late_by_ns: number) =>
      ({ ts_ns, last_rank, late_by_ns, wait_ns: late_by_ns }) as Collective;
    expect(lastRanks([c(9, 1, 3), c(1, 0, 2), c(5, 1, 4)], 1)).toEqual({
      at: [1, 5, 9],
      lines: [{ rank: 1, values: [null, 4, 3] }],
    });
  });

  it('where no call was matched nobody knows who waited: no zero stands there', () => {
    const alone = rank({
      transfer_ns: null,
      wait_ns: null,
      caused_wait_ns: null,
      unmatched_ns: 30,
    });
    expect(causedBy(alone, [])).toBeUndefined();
    expect(partsOf(alone).find((p) => p.name === 'unmatched')?.ns).toBe(30);
    const step = { rank: 0, step: 4, total_ns: 100, transfer_ns: null, wait_ns: null };
    expect(waitByStep([step], 8)).toEqual({ at: [], lines: [] });
  });

  it('waiting by step', () => {
    const s = (r: number, step: number, wait_ns: number) => ({
      rank: r,
      step,
      wait_ns,
      total_ns: 1,
      transfer_ns: 0,
    });
    expect(waitByStep([s(0, 1, 2), s(1, 1, 9), s(0, 0, 1)], 4)).toEqual({
      at: [0, 1],
      lines: [
        { rank: 1, values: [null, 9] },
        { rank: 0, values: [1, 2] },
      ],
    });
  });
});
