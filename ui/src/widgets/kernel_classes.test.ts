// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { rateOf } from './kernel_classes';

it('tells operations before bytes, and nothing where neither is known', () => {
  expect(rateOf({ flops_per_s: 2e14, bytes_per_s: 3e9 })?.exact).toBe('200000000000000 FLOP/s');
  expect(rateOf({ flops_per_s: null, bytes_per_s: 3e9 })?.exact).toBe('3000000000 B/s');
  expect(rateOf({ flops_per_s: null, bytes_per_s: null })).toBeNull();
});
