// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { stretchOfWhere, targetOfRows } from './evidence';

describe('the stretch of a filter', () => {
  it.each<[string, { from: number; to: number } | null]>([
    ["name = 'x' and ts_ns >= 5 and ts_ns < 9", { from: 5, to: 9 }],
    ['ts_ns<=9', { from: 0, to: 9 }],
    ['ts_ns >= 9 and ts_ns < 5', null],
    ['ts_ns >= 5', null],
    ["category = 'kernel'", null],
  ])('%s', (where, of) => expect(stretchOfWhere(where)).toEqual(of));
});

describe('evidence of a rule leads to', () => {
  const target = (table: string, where: string, metric?: string) =>
    targetOfRows({ rows: { table, where, count: 1 }, subject: metric ? { metric } : {} });

  it('the steps that it names', () => {
    const where = "rank = 0 and kind = 'train' and ts_ns >= 5 and ts_ns < 9";
    expect(target('steps', where)).toEqual({ view: 'steps', stretch: { from: 5, to: 9 } });
    expect(target('steps', 'rank = 0 and dur_ns > 7')).toEqual({ view: 'steps' });
  });

  it('what went on before the first step', () => {
    const stretch = { from: 0, to: 9 };
    expect(target('steps', 'ts_ns <= 9')).toEqual({ view: 'timeline', stretch });
  });

  it('the view of its table', () => {
    const views = ['counters', 'run_metadata', 'memory', 'slices'].map((t) => target(t, '')?.view);
    expect(views).toEqual(['system', 'data', 'memory', 'timeline']);
    expect(target('counters', 'track = 3', 'gpu.util')?.params).toEqual({ metric: 'gpu.util' });
    expect(target('', '')).toBeNull();
    expect(targetOfRows({ rows: null, subject: {} })).toBeNull();
  });
});
