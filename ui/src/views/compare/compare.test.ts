// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import type { ComparedRow, Comparison } from '../../api/source';
import { ns } from '../../base/time';
import { blocks, sentence } from './compare';

const plain = (text: string) => text.replaceAll('\u00a0', ' ');
const side = (value: number, share: number) => ({
  ns: ns(value),
  share,
  share_low: share - 0.01,
  share_high: share + 0.01,
});

function row(
  kind: ComparedRow['kind'],
  name: string,
  a: number | null,
  b: number | null,
  change: [number, number, number] | null,
): ComparedRow {
  const [mid, low, high] = change ?? [null, null, null];
  return {
    kind,
    name,
    a: a === null ? null : side(a, a / 100e6),
    b: b === null ? null : side(b, b / 100e6),
    change_ns: mid === null ? null : ns(mid),
    change_low_ns: low === null ? null : ns(low),
    change_high_ns: high === null ? null : ns(high),
  };
}

const of = (...rows: ComparedRow[]): Comparison => ({ runs: ['a', 'b'], rows });

describe('the sentence', () => {
  it.each([
    [
      row('step', 'step', 100e6, 25e6, [-75e6, -80e6, -70e6]),
      'mended is 4× faster a step: 25 ms instead of 100 ms.',
    ],
    [
      row('step', 'step', 25e6, 100e6, [75e6, 70e6, 80e6]),
      'slow is 4× faster a step: 25 ms instead of 100 ms.',
    ],
    [
      row('step', 'step', 100e6, 99e6, [-1e6, -3e6, 1e6]),
      'Their steps take the same time, as far as can be told.',
    ],
    [row('step', 'step', 100e6, null, null), 'One of the two has no steps to compare.'],
  ])('%#', (step, text) => {
    expect(plain(sentence(of(step), 'slow', 'mended'))).toBe(text);
  });
});

it('blocks stand in order, without what neither run has', () => {
  const found = blocks(
    of(
      row('phase', 'data', 60e6, 1e6, [-59e6, -60e6, -58e6]),
      row('suspect', 'communication', 0, 0, [0, 0, 0]),
      row('suspect', 'data_pipeline', 60e6, 1e6, [-59e6, -60e6, -58e6]),
      row('step', 'step', 100e6, 40e6, [-60e6, -62e6, -58e6]),
    ),
  );
  expect(found.map((b) => [b.title, b.lines.map((l) => l.title)])).toEqual([
    ['Step', ['Mean step']],
    ['Suspects', ['Data pipeline']],
    ['Phases', ['Data']],
  ]);
  expect(found[1]?.most).toBe(60e6);
});

it('a run without steps is compared with nothing', () => {
  expect(blocks(of(row('step', 'step', 100e6, 0, [-100e6, -101e6, -99e6])))).toEqual([]);
  expect(blocks(of(row('step', 'step', 100e6, null, null)))).toEqual([]);
});

it('a change whose interval holds 0 is none', () => {
  const direction = (change: [number, number, number]) =>
    blocks(of(row('phase', 'data', 50e6, 40e6, change)))[0]?.lines[0]?.change?.direction;
  expect(direction([-10e6, -12e6, -8e6])).toBe('faster');
  expect(direction([10e6, 8e6, 12e6])).toBe('slower');
  expect(direction([-1e6, -3e6, 1e6])).toBe('same');
});
