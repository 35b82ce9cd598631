// SPDX-License-Identifier: Apache-2.0
import { digits, type Figure } from './format';

const PREFIXES = ['', 'k', 'M', 'G', 'T', 'P', 'E'];

/** By thousands, as the unit's field does: 312 TFLOP/s. */
export function formatScaled(value: number, unit: string): Figure {
  let scaled = value;
  let prefix = 0;
  while (Math.abs(scaled) >= 999.5 && prefix + 1 < PREFIXES.length) {
    scaled /= 1000;
    ++prefix;
  }
  return {
    text: `${digits(scaled)} ${PREFIXES[prefix] ?? ''}${unit}`,
    exact: `${String(value)} ${unit}`,
  };
}
