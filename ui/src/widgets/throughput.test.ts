// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { ratesOf } from './throughput';

const NOTHING = {
  batch_size: null,
  samples_per_s: null,
  samples_by: null,
  tokens_per_s: null,
  tokens_by: null,
  flops_per_step: null,
  flops_per_s: null,
  flops_at_least: false,
  mfu: null,
  peaks: null,
  peaks_compared: null,
  precisions: [],
};

it('unknown rates are left out, not shown as 0', () => {
  expect(ratesOf(NOTHING)).toEqual([]);
});

it('rate shows its uncertainty', () => {
  const rates = ratesOf({
    ...NOTHING,
    samples_per_s: 1203,
    samples_by: 'loader',
    tokens_per_s: 154_321,
    tokens_by: 'estimated',
    flops_per_s: 312e12,
    flops_at_least: true,
    mfu: 0.316,
  });
  expect(rates.map((r) => [r.label, r.note, r.figure.exact])).toEqual([
    ['Samples', '', '1203 /s'],
    ['Tokens', 'about', '154321 /s'],
    ['Computed', 'at least', '312000000000000 FLOP/s'],
    ['MFU', 'at least', expect.stringContaining('31.6')],
  ]);
});
