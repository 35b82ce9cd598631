// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { Columns } from '../../api/arrow';
import { brief, chosenOf, countsOf, cutText, MANY, ranges, stem } from './ranges';

const of = (names: readonly string[]) =>
  ranges(
    'user',
    names,
    names.map((_, i) => i * 10),
    names.map((_, i) => i + 1),
  );
const steps = Array.from({ length: MANY }, (_, i) => `step_${i}`);

describe('ranges', () => {
  it('names ending in a number share a stem', () => {
    expect(['step_12', 'ProfilerStep#3', 'layer1', '42', 'Forward', 'a1b'].map(stem)).toEqual([
      'step_',
      'ProfilerStep#',
      'layer',
      null,
      null,
      null,
    ]);
  });

  it('a few numbered names stay separate rows', () => {
    expect(of(['layer1', 'layer2', 'layer1', 'loss']).map((r) => [r.name, r.durations])).toEqual([
      ['layer1', [1, 3]],
      ['layer2', [2]],
      ['loss', [4]],
    ]);
  });

  it('ranges whose numbers form one sequence are grouped', () => {
    const found = of(['ProfilerStep#2', 'ProfilerStep#3', 'one#1']);
    expect(found.map((r) => [r.name, r.durations])).toEqual([
      ['ProfilerStep#', [1, 2]],
      ['one#1', [3]],
    ]);
  });

  it('of many numbered names are told together, each to be had', () => {
    const [all, other] = of([...steps, 'step_3', 'loss']);
    expect([all?.name, all?.durations.length, other?.name]).toEqual(['step_#', MANY + 1, 'loss']);
    expect(all?.members.map((r) => r.name).sort()).toEqual([...steps].sort());
    expect(all?.members[0]).toMatchObject({ name: 'step_3', durations: [4, MANY + 1] });
    expect(all?.longest).toEqual({ from: MANY * 10, to: MANY * 10 + MANY + 1 });
  });

  it('lose none, whatever they are called', () => {
    const long = 'x'.repeat(3000);
    const names = [...steps, `${long}a`, `${long}b`, '', 'step_#', '7', '8'];
    const found = of(names);
    expect(found.reduce((sum, r) => sum + r.durations.length, 0)).toBe(names.length);
    expect(new Set(found.map((r) => r.key)).size).toBe(found.length);
    expect(Math.max(...found.map((r) => r.key.length))).toBeLessThan(260);
    expect(brief(`${long}a`)).not.toBe(brief(`${long}b`));
  });

  it('ranges of the same name in two categories stay separate', () => {
    const key = (category: string) => ranges(category, ['a'], [0], [1])[0]?.key;
    expect(key('user')).not.toBe(key('phase'));
  });

  it('selected ranges are kept in the address', () => {
    const found = of([...steps, 'loss']);
    const key = found[0]?.key ?? '';
    expect(chosenOf(found, null, null).shown?.name).toBe('step_#');
    expect(chosenOf(found, 'user:loss', null).shown?.name).toBe('loss');
    expect(chosenOf(found, key, 'user:step_7').shown?.name).toBe('step_7');
    expect(chosenOf(found, key, 'gone').shown?.name).toBe('step_#');
    expect(chosenOf([], key, null)).toEqual({ range: undefined, shown: undefined });
  });

  it('ranges beyond the limit are counted', () => {
    const rows = Columns.of({ category: ['phase', 'user', 'phase'], count: [3, 1, 4] });
    expect([...countsOf(rows)]).toEqual([
      ['phase', 7],
      ['user', 1],
    ]);
    expect(cutText([], false)).toBe('');
    expect(cutText([{ category: 'phase', read: 1000, all: 2500 }], false)).toBe(
      'Of category phase the first 1,000 of 2,500 ranges are counted.',
    );
    expect(cutText([{ category: 'user', read: 1000, all: null }], true)).toBe(
      'Of category user the first 1,000 of more ranges that run in the time range are counted.',
    );
  });
});
