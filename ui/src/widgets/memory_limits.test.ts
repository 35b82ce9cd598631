// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { levelsOf, placeOf, shareOf } from './memory_limits';

it('a limit is drawn where half of it was reached', () => {
  const limits = [
    { of: 'machine', limit_bytes: 1000 },
    { of: 'cgroup', limit_bytes: 100 },
  ] as const;
  expect(levelsOf(limits, 60)).toEqual({ levels: [{ at: 100, title: 'cgroup limit' }], max: 100 });
  expect(levelsOf(limits, 40)).toEqual({ levels: [], max: null });
  expect(levelsOf(limits, 120).max).toBe(120);
  expect(levelsOf([], 40)).toEqual({ levels: [], max: null });
});

it('GPUs that are alike have one line', () => {
  const gpu = { of: 'gpu', limit_bytes: 80 } as const;
  expect(levelsOf([gpu, gpu, gpu], 70).levels).toHaveLength(1);
});

it('says what is limited', () => {
  const one = { node: 1, rank: 3, device: 0 };
  expect(placeOf({ of: 'cgroup', ...one }, true)).toBe('Cgroup of node 1');
  expect(placeOf({ of: 'allocator', ...one }, true)).toBe('Tensors of rank 3 on GPU 0');
  expect(shareOf({ peak_bytes: 3, limit_bytes: 4 })).toBe(0.75);
});
