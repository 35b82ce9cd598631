// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { Members } from './members';
import { quantitiesIn } from './quantity';
import { misreadSentences, seenInText, Walk, type Seen } from './walk';

const report = (p95: number, kernels: readonly number[]) => ({
  steps: { duration_ns: { mean: 2000, p95 }, count: 60 },
  suspects: { rows: [{ name: 'model', share: 0.75 }] },
  kernels: {
    rows: kernels.map((total_ns, i) => ({ rank: i % 2, name: `gemm_${String(i >> 1)}`, total_ns })),
  },
  system: { rows: [{ metric: 'memory', unit: 'bytes', mean: 2048 }] },
});
const found = (of: unknown, text: string, exact = true) => {
  const [quantity] = quantitiesIn(text, exact);
  if (!quantity) throw new Error('a number');
  return new Members(of, 2000).find(quantity);
};

test('a number is found as a member in its unit, and as what can be made of members', () => {
  const of = report(3456, [100, 30, 7, 5]);
  expect(found(of, '3,456 ns')).toContain('/steps/duration_ns/p95');
  expect(found(of, '3,457 ns')).toEqual(new Set());
  expect(found(of, '3.46 µs', false)).toContain('/steps/duration_ns/p95');
  expect(found(of, '3.47 µs', false)).not.toContain('/steps/duration_ns/p95');
  expect(found(of, '3,456 bytes')).toEqual(new Set());
  expect(found(of, '2,048 bytes')).toContain('/system/rows/[]/mean (bytes)');
  expect(found(of, '75 %')).toContain('/suspects/rows/[]/share');
  expect(found(of, '1,500 ns')).toContain("a step's /suspects/rows/[]/share");
  expect(found(of, '142 ns')).toContain('sum of /kernels/rows/[]/total_ns');
  expect(found(of, '130 ns')).toContain(
    'sum of /kernels/rows/[]/total_ns by /kernels/rows/[]/name',
  );
  expect(found(of, '107 ns')).toContain(
    'sum of /kernels/rows/[]/total_ns by /kernels/rows/[]/rank',
  );
});

const seen = (text: string, exact: string): Seen => ({
  part: 'Step',
  label: 'p95',
  row: '',
  at: 0,
  text,
  exact,
});

test('a name stands for the same member in every run', () => {
  const walk = new Walk();
  walk.add('a', 'steps', new Members(report(3456, [])), [seen('3.46 µs', '3,456 ns')]);
  expect([...walk.named()].map(({ by }) => by)).toEqual([['/steps/duration_ns/p95']]);
  // Here the mean, and it has been the other one there.
  walk.add('b', 'steps', new Members(report(9999, [])), [seen('2 µs', '2,000 ns')]);
  expect([...walk.named()].map(({ by }) => by)).toEqual([[]]);
  expect(walk.wrong).toEqual([]);
  walk.add('b', 'steps', new Members(report(9999, [])), [seen('9 µs', '9,999 ns')]);
  expect(walk.wrong).toEqual(['b: steps › Step › p95: reads 9 µs, is 9,999 ns']);
});

test('names and sentences of the report are no numbers, wherever lines break', () => {
  const said = { text: 'ranks wait 12 % of 7 steps', figures: [] };
  const members = new Members({ verdict: said, count: 7 });
  const lines = seenInText('Verdict: ranks wait 12 %\n         of 7 steps\nof 8 steps', members);
  expect(lines.map(({ text }) => text)).toEqual(['of 8 steps']);
});

test('the figures of a sentence are what it says', () => {
  const said = (text: string, value: number, unit: string) =>
    misreadSentences({ rows: [{ text, figures: [{ at: 0, text, value, unit }] }] });
  expect(said('12 %', 0.1243, 'share')).toEqual([]);
  expect(said('12 %', 0.13, 'share')).toHaveLength(1);
  expect(said('3.4 ms', 3_412_000, 'ns')).toEqual([]);
  expect(said('<0.1 %', 0.0005, 'share')).toEqual([]);
  expect(said('<0.1 %', 0.002, 'share')).toHaveLength(1);
});
