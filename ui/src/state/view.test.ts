// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import type { Report } from '../api/report';
import { ranksLeftOut } from './view';

const report = (truncated: boolean, ranks: number) =>
  ({
    breakdown: { truncated, rows: [{ rank: 0 }, { rank: 0 }, { rank: 9 }] },
    run: { ranks },
  }) as unknown as Report;

it('says how many of the ranks stand in tables by rank, where not all do', () => {
  expect(ranksLeftOut(report(false, 2))).toBe('');
  expect(ranksLeftOut(report(true, 70))).toContain('2 of 70 ranks');
});
