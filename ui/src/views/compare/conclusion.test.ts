// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import type { Report } from '../../api/report';
import { originOf } from './conclusion';

const card = (lines: [string, string][]): Pick<Report, 'run_card'> =>
  ({
    run_card: { lines: lines.map(([id, text]) => ({ id, text, title: id, compared_only: false })) },
  }) as unknown as Pick<Report, 'run_card'>;

it('names what was run, where and when, in this order, without unknown parts', () => {
  const whole = card([
    ['started', '2026-11-30 09:25'],
    ['cores', '2'],
    ['host', 'node7'],
    ['command', 'python train.py'],
  ]);
  expect(originOf(whole).map((part) => part.text)).toEqual([
    'python train.py',
    'node7',
    '2026-11-30 09:25',
  ]);
  expect(originOf(card([['host', 'node7']])).map((part) => part.id)).toEqual(['host']);
  expect(originOf(card([]))).toEqual([]);
});
