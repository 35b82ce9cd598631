// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { BETWEEN } from './derived';
import { phasesOf } from './phases';
import type { Step } from './steps';
import { Names, tilesOf } from './tile';

type Drawn = [name: string, from: number, to: number, more?: { lane?: number; category?: string }];

function phases(steps: Partial<Step>[], ...slices: Drawn[]): string[] {
  const names = new Names();
  const columns = {
    length: slices.length,
    track: slices.map(() => 1),
    lane: slices.map(([, , , more]) => more?.lane ?? 0),
    ts_ns: slices.map(([, from]) => from),
    dur_ns: slices.map(([, from, to]) => to - from),
    name: slices.map(([name]) => name),
    category: slices.map(([, , , more]) => more?.category ?? 'phase'),
    count: slices.map(() => 1),
    busy_ns: slices.map(([, from, to]) => to - from),
    slice: slices.map((_, i) => i),
  };
  const tile = tilesOf(columns, [1], { fromNs: 0, toNs: 1000, width: 100 }, names).get(1);
  if (tile === undefined) throw new Error('no tile');
  const whole = steps.map((step, i) => ({
    rank: 0,
    step: i,
    fromNs: 0,
    toNs: 100,
    kind: 'train',
    forwardNs: null,
    ...step,
  }));
  const lane = phasesOf(tile, whole, names).lanes[0];
  return Array.from({ length: lane?.length ?? 0 }, (_, i) => {
    const number = lane?.name[i] ?? 0;
    const mark = names.category(number) === BETWEEN ? '*' : '';
    return `${names.name(number)}${mark} ${lane?.from[i]}-${lane?.to[i]}`;
  });
}

describe('phases of a step', () => {
  it('leave no gap: forward before a backward, other elsewhere', () => {
    const loop: Drawn[] = [
      ['data', 0, 20],
      ['backward', 50, 70],
      ['optimizer', 80, 100],
    ];
    expect(phases([{ forwardNs: 30 }], ...loop)).toEqual([
      'data 0-20',
      'forward* 20-50',
      'backward 50-70',
      'other* 70-80',
      'optimizer 80-100',
    ]);
    // The step says that not all of it is forward.
    expect(phases([{ forwardNs: 10 }], ...loop)).toContain('forward or other* 20-50');
    expect(phases([{ forwardNs: 30 }], ...loop.slice(0, 1))).toContain('forward or other* 20-100');
  });

  it('are the innermost of those within each other, but for an evaluation', () => {
    expect(
      phases(
        [{}],
        ['backward', 0, 60],
        ['all_reduce', 20, 30, { lane: 1, category: 'communication' }],
      ),
    ).toEqual(['backward 0-20', 'all_reduce 20-30', 'backward 30-60', 'other* 60-100']);
    expect(phases([{}], ['evaluation', 0, 100], ['data', 20, 30, { lane: 1 }])).toEqual([
      'evaluation 0-100',
    ]);
  });

  it('are aside of others where they end none: what surrounds a collection is one forward', () => {
    expect(phases([{ forwardNs: 40 }], ['gc', 20, 30], ['backward', 50, 100])).toEqual([
      'forward* 0-20',
      'gc 20-30',
      'forward* 30-50',
      'backward 50-100',
    ]);
  });

  it('take a framework’s word for where forward begins', () => {
    expect(phases([{}], ['forward', 30, 40], ['backward', 50, 100])).toEqual([
      'other* 0-30',
      'forward 30-40',
      'forward* 40-50',
      'backward 50-100',
    ]);
  });

  it('are cut where a step ends, and absent outside steps', () => {
    const steps = [
      { fromNs: 10, toNs: 50 },
      { fromNs: 60, toNs: 100 },
    ];
    expect(
      phases(
        steps,
        ['data', 0, 20],
        ['evaluation', 40, 80],
        ['user', 85, 90, { category: 'user' }],
      ),
    ).toEqual([
      'data 10-20',
      'other* 20-40',
      'evaluation 40-50',
      'evaluation 60-80',
      'other* 80-100',
    ]);
  });
});
