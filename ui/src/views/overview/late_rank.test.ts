// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import type { Report } from '../../api/report';
import { lateRank } from './late_rank';

const report = (waits: readonly number[], straggler: number | null = null) => {
  const all = waits.reduce((sum, w) => sum + w, 0);
  return {
    distributed: {
      blame: waits.map((w, rank) => ({ rank, caused_wait_ns: w, share: w / all, cause: '' })),
    },
    run: { ranks: waits.length },
    steps: { count: 10, duration_ns: { mean: 100 } },
    verdict: { straggler_rank: straggler },
  } as unknown as Report;
};

it('names the rank that the others wait for', () => {
  expect(lateRank(report([10, 0, 10, 380]))).toEqual({
    rank: 3,
    caused_wait_ns: 380,
    share: 0.95,
  });
});

it('names no straggler where causes are even, small, or named by the verdict', () => {
  expect(lateRank(report([100, 110, 90, 100]))).toBeNull();
  expect(lateRank(report([0, 0, 0, 20]))).toBeNull();
  expect(lateRank(report([10, 0, 10, 380], 3))).toBeNull();
  expect(lateRank(report([]))).toBeNull();
});
