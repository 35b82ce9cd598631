// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import type { Said } from '../../api/report';
import type { ComparedRow, Comparison } from '../../api/source';
import { ns } from '../../base/time';
import { blocks, tokenOfStage } from './compare';

const said = (text: string): Said => ({
  text,
  figures: [],
  id: '0',
  kind: 'legacy.text',
  subject: {},
  values: {},
});

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

const ALIKE = {
  hardware: { hosts: 1, cpus: null, devices: [] },
  world_size: 1,
  batch_size: 1,
  precision: null,
  versions: [],
  throttling: { cpu: null, gpu: null },
  settings: [],
};
const of = (...rows: ComparedRow[]): Comparison => ({
  runs: ['a', 'b'],
  headline: said(''),
  notes: [],
  back: { headline: said(''), notes: [] },
  rows,
  operators: null,
  comparability: { a: ALIKE, b: ALIKE, unlike: [] },
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

it('stages of one run only are listed with the others', () => {
  const told = {
    ...of(
      row('step', 'step', 100e6, 40e6, [-60e6, -62e6, -58e6]),
      row('sub_stage', 'getitem', 43e6, 1e6, [-42e6, -43e6, -41e6]),
    ),
    notes: [said('Only slow tells its dataset’s stages.')],
  };
  expect(blocks(told).map((b) => [b.title, b.notes])).toEqual([
    ['Step', []],
    ['Stages', told.notes],
  ]);
});

it('a run without steps is compared with nothing', () => {
  expect(blocks(of(row('step', 'step', 100e6, 0, [-100e6, -101e6, -99e6])))).toEqual([]);
  expect(blocks(of(row('step', 'step', 100e6, null, null)))).toEqual([]);
});

it('a change whose interval contains 0 is not significant', () => {
  const direction = (change: [number, number, number]) =>
    blocks(of(row('phase', 'data', 50e6, 40e6, change)))[0]?.lines[0]?.change?.direction;
  expect(direction([-10e6, -12e6, -8e6])).toBe('faster');
  expect(direction([10e6, 8e6, 12e6])).toBe('slower');
  expect(direction([-1e6, -3e6, 1e6])).toBe('same');
});

it('an interval that is not known tells nothing of chance; one without width is known', () => {
  const change = (interval: [number, number] | null) => {
    const made = row('suspect', 'model', 50e6, 40e6, [-10e6, ...(interval ?? [0, 0])]);
    const shown = interval ? made : { ...made, change_low_ns: null, change_high_ns: null };
    return blocks(of(shown))[0]?.lines[0]?.change;
  };
  expect(change(null)?.direction).toBe('open');
  expect(change(null)?.interval).toBeNull();
  expect(change([-10e6, -10e6])?.direction).toBe('faster');
  expect(change([-10e6, -10e6])?.interval?.exact).toBe('-10,000,000 ns to -10,000,000 ns');
});

it('a stage has the colour of its suspect, but where stages of one suspect stand beside each other', () => {
  expect(tokenOfStage('dispatch')).toBe('--overhead');
  expect(tokenOfStage('decode')).toBe('--cat-4');
  expect(tokenOfStage('forward')).toBe('--forward');
  expect(tokenOfStage('data_pipeline')).toBe('--data');
});
