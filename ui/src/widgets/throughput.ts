// SPDX-License-Identifier: Apache-2.0
// What a training gets done a second, as figures; what is not known is left out.
import type { Throughput } from '../api/report_types';
import { formatShare, type Figure } from '../base/format';
import { formatScaled } from '../base/scaled';

export interface Rate {
  readonly label: string;
  readonly figure: Figure;
  /** How it is known. */
  readonly note: string;
}

const BY: Record<NonNullable<Throughput['samples_by']>, string> = {
  loader: '',
  batches: '',
  estimated: 'about',
  model: '',
};

type Known = Omit<Throughput, 'status' | 'reason' | 'count' | 'truncated'>;

export function ratesOf(of: Known): Rate[] {
  const rates: Rate[] = [];
  const atLeast = of.flops_at_least ? 'at least' : '';
  if (of.samples_per_s !== null)
    rates.push({
      label: 'Samples',
      figure: formatScaled(of.samples_per_s, '/s'),
      note: of.samples_by === null ? '' : BY[of.samples_by],
    });
  if (of.tokens_per_s !== null)
    rates.push({
      label: 'Tokens',
      figure: formatScaled(of.tokens_per_s, '/s'),
      note: of.tokens_by === null ? '' : BY[of.tokens_by],
    });
  if (of.flops_per_s !== null)
    rates.push({
      label: 'Computed',
      figure: formatScaled(of.flops_per_s, 'FLOP/s'),
      note: atLeast,
    });
  if (of.mfu !== null) rates.push({ label: 'MFU', figure: formatShare(of.mfu), note: atLeast });
  return rates;
}
