// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import * as f from '../src/base/format';
import { quantitiesIn, withoutNumbers } from './quantity';

const read = (text: string) =>
  quantitiesIn(text).map(({ value, unit }) => `${String(value)} ${unit ?? ''}`.trim());

test('numbers are read with their units', () => {
  expect(read('45.8 ms, p95 81.5 µs')).toEqual(['45800000 ns', '81500 ns']);
  expect(read('at most 43.1x faster; 1.6 of 24 GiB')).toEqual([
    '43.1',
    '1717986918.4 bytes',
    '25769803776 bytes',
  ]);
  expect(read('1,234,567 rows of 3 ranks (97-98), -2.5 %')).toEqual([
    '1234567',
    '3',
    '97',
    '98',
    '-2.5 share',
  ]);
  expect(read('<0.1 %, ≥ 45.9 GB/s')).toEqual(['0.1 share', '45900000000 bytes']);
});

test('what is a part of a name is no number', () => {
  for (const name of [
    'fp32',
    'p95',
    'gemm_64x64',
    'v1.2.3',
    'train.py:21',
    '[[32,3],[64]]',
    'run-7',
    '0x1f',
  ])
    expect(read(name), name).toEqual([]);
  expect(withoutNumbers('12 of 60 steps took 3.4 ms')).toBe('# of # steps took #');
});

/** Deterministic, over many orders of magnitude. */
function* values(): Generator<number> {
  for (let i = 1; i <= 400; ++i) yield ((i * 2654435761) % 2 ** 32) * 10 ** ((i % 19) - 12);
}

test('what a figure reads and what it is agree, for every kind of figure', () => {
  for (const value of values())
    for (const figure of [
      f.formatNs(Math.round(value)),
      f.formatBytes(Math.round(value)),
      f.formatCount(Math.round(value)),
      f.formatShare(value % 1),
      f.formatTimes(value),
      f.formatRate(value),
      f.formatMetric(value, 'bytes/s'),
      f.formatMetric(value, 'cores'),
    ]) {
      const [shown] = quantitiesIn(figure.text);
      const [is] = quantitiesIn(figure.exact, true);
      const what = `${figure.text} is ${figure.exact}`;
      expect(is?.unit, what).toBe(shown?.unit);
      const off = Math.abs((shown?.value ?? NaN) - (is?.value ?? NaN));
      if (figure.text.startsWith('<')) expect(is?.value, what).toBeLessThan(shown?.value ?? 0);
      else expect(off, what).toBeLessThanOrEqual((shown?.digit ?? 0) * (1 + 1e-6));
    }
});
