// SPDX-License-Identifier: Apache-2.0
// Numbers with units as a reader sees them, read back: apart from what wrote them.

export type Unit = 'ns' | 'bytes' | 'share';

/** What a text says: `value` in ns, bytes, percent, or as it stands; so far from it at most is what was rounded. */
export interface Quantity {
  readonly value: number;
  readonly tolerance: number;
  /** Half of its last digit, in the same unit. */
  readonly digit: number;
  readonly unit: Unit | null;
  /** As it stands there. */
  readonly text: string;
}

const SCALES: Readonly<Record<string, readonly [number, Unit | null]>> = {
  h: [3.6e12, 'ns'],
  min: [6e10, 'ns'],
  s: [1e9, 'ns'],
  ms: [1e6, 'ns'],
  µs: [1e3, 'ns'],
  us: [1e3, 'ns'],
  ns: [1, 'ns'],
  PiB: [1024 ** 5, 'bytes'],
  TiB: [1024 ** 4, 'bytes'],
  GiB: [1024 ** 3, 'bytes'],
  MiB: [1024 ** 2, 'bytes'],
  KiB: [1024, 'bytes'],
  bytes: [1, 'bytes'],
  byte: [1, 'bytes'],
  B: [1, 'bytes'],
  kB: [1e3, 'bytes'],
  MB: [1e6, 'bytes'],
  GB: [1e9, 'bytes'],
  TB: [1e12, 'bytes'],
  '%': [1, 'share'],
  '×': [1, null],
  x: [1, null],
  T: [1e12, null],
  G: [1e9, null],
  M: [1e6, null],
  k: [1e3, null],
};
const NAMES = Object.keys(SCALES).join('|');
// Not a part of a name or of a longer number: "fp32", "v1.2.3", "0x1f", "gemm_64x64".
const NUMBER = new RegExp(
  String.raw`(?<![\p{L}\p{N}_.,#/:[]|[\p{L}_#/]-)([-+−]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[-+]?\d+)?)` +
    String.raw`(?:[\s\u00a0]?(${NAMES})(?![\p{L}\p{N}_]))?(?!:\d|[.,]\d)(?![\p{L}\p{N}_])`,
  'gu',
);

/** Half of what its last digit stands for; of a whole number of more than three digits the others are zeros. */
function halfDigit(digits: string): number {
  const [mantissa = '', exponent = '0'] = digits.replace(/[-+−,]/, '').split('e');
  const decimals = mantissa.split('.')[1]?.length ?? 0;
  const whole = mantissa.split('.')[0]?.length ?? 1;
  const last = decimals === 0 ? Math.max(0, whole - 3) : -decimals;
  return 0.5001 * 10 ** (last + Number(exponent));
}

/** The numbers of a text in their order. `exact`: all digits are told. */
export function quantitiesIn(text: string, exact = false): Quantity[] {
  return [...text.matchAll(NUMBER)].map((match) => {
    const [whole, digits = ''] = match;
    const after = text.slice(match.index + whole.length);
    const name = match[2] ?? unitAfter(after);
    const [factor, unit] = SCALES[name] ?? [1, null];
    const value = Number(digits.replaceAll(',', '').replace('−', '-')) * factor;
    // Counts are reported in full: "9,999".
    const rounded = name !== '' || digits.includes('.') || /^\s?\w*\/s\b/.test(after);
    const digit = halfDigit(digits) * factor;
    return { value, tolerance: exact || !rounded ? 0 : digit, digit, unit, text: whole };
  });
}

/** "1.6 of 24 GiB" */
const unitAfter = (text: string): string => /^ of [\d.]+ ([KMGTP]iB)\b/.exec(text)?.[1] ?? '';

/** A sentence with its numbers left out: what they are of. */
export const withoutNumbers = (text: string): string => text.replace(NUMBER, '#');
