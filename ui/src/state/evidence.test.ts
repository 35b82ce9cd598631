// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import type { Compares, Condition } from '../api/report';
import { panelParams, timeRangeOf, targetOfRows } from './evidence';

const when = (is: Compares, value: number): Condition => ({ column: 'ts_ns', is, value });
const of = (column: string, value: string): Condition => ({ column, is: '=', value });

describe('time range of conditions', () => {
  it.each<[string, Condition[], { from: number; to: number } | null]>([
    ['both ends', [of('name', 'x'), when('>=', 5), when('<', 9)], { from: 5, to: 9 }],
    ['an end', [when('<=', 9)], { from: 0, to: 9 }],
    ['ends that are none', [when('>=', 9), when('<', 5)], null],
    ['a begin', [when('>=', 5)], null],
    ['no time', [of('category', 'kernel')], null],
    ['a text for a time', [of('ts_ns', '5')], null],
  ])('%s', (_, conditions, of) => expect(timeRangeOf(conditions)).toEqual(of));
});

describe('evidence of a rule leads to', () => {
  const target = (table: string, conditions: Condition[] = [], metric?: string) =>
    targetOfRows({
      rows: { table, where: '', conditions, count: 1 },
      subject: metric ? { metric } : {},
    });

  it('the steps that it names', () => {
    const conditions = [of('kind', 'train'), when('>=', 5), when('<', 9)];
    const params = { part: 'durations' };
    const timeRange = { from: 5, to: 9 };
    expect(target('steps', conditions)).toEqual({ view: 'steps', params, timeRange });
    const longer: Condition = { column: 'dur_ns', is: '>', value: 7 };
    expect(target('steps', [longer])).toEqual({ view: 'steps', params });
  });

  it('what went on before the first step', () => {
    const timeRange = { from: 0, to: 9 };
    expect(target('steps', [when('<=', 9)])).toEqual({ view: 'timeline', timeRange });
  });

  it('the view of its table', () => {
    const views = ['counters', 'run_metadata', 'memory', 'slices'].map((t) => target(t)?.view);
    expect(views).toEqual(['system', 'data', 'memory', 'timeline']);
    expect(target('counters', [of('kind', 'x')], 'gpu.util')?.params).toEqual({
      metric: 'gpu.util',
    });
    expect(target('run_metadata', [of('kind', 'loader')])?.params).toEqual({
      part: 'loader-settings',
    });
    expect(target('')).toBeNull();
    expect(targetOfRows({ rows: null, subject: {} })).toBeNull();
  });
});

describe('the panel of evidence', () => {
  const params = (kind: string, metric?: string) =>
    panelParams({ kind, rows: null, subject: metric ? { metric } : {} } as never);

  it('is a part of the view, or the chart of the metric that it names', () => {
    expect(params('data.batch_not_ready')).toEqual({ part: 'queue' });
    expect(params('storage.read')).toEqual({ metric: 'disk.read_bytes_per_s' });
    expect(params('storage.read', 'psi.io_some_share')).toEqual({ metric: 'psi.io_some_share' });
  });

  it('is none of a kind of another version, but for its metric', () => {
    expect(params('a.newer_kind')).toEqual({});
    expect(params('a.newer_kind', 'gpu.xid')).toEqual({ metric: 'gpu.xid' });
  });
});
