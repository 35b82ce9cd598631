// SPDX-License-Identifier: Apache-2.0
// What a class of kernels reached: operations a second where shapes tell them, else the bytes that copies moved.
import type { KernelClassTime } from '../api/report_types';
import type { Figure } from '../base/format';
import { formatScaled } from '../base/scaled';

/** null: neither is known. */
export function rateOf(one: Pick<KernelClassTime, 'flops_per_s' | 'bytes_per_s'>): Figure | null {
  if (one.flops_per_s !== null) return formatScaled(one.flops_per_s, 'FLOP/s');
  return one.bytes_per_s === null ? null : formatScaled(one.bytes_per_s, 'B/s');
}
