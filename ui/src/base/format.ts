// SPDX-License-Identifier: Apache-2.0
// Numbers for people: a unit, at most three significant digits, and the exact figure beside them for
// hovering and copying.
import { WORDS } from './stages';
import { infoOf } from './suspects';

/** A figure as shown and as it is. */
export interface Figure {
  readonly text: string;
  readonly exact: string;
}

/** Words and figures in the order in which they are read. */
export type Pieces = readonly (string | Figure)[];
export type Sentence = string | Pieces;

const NONE: Figure = { text: '–', exact: 'not known' };
/** Smaller shares are told to be smaller. */
const LEAST_SHARE = 1e-4;
const SPACE = '\u00a0'; // a figure and its unit stay on one line

/** Three significant digits without an exponent: 1234 → "1230", 0.04567 → "0.0457", 12 → "12". */
export function digits(value: number): string {
  if (value === 0) return '0';
  const size = Math.floor(Math.log10(Math.abs(value)));
  const rounded = Number(value.toPrecision(3));
  const decimals = Math.min(20, Math.max(0, 2 - Math.floor(Math.log10(Math.abs(rounded) || 1))));
  if (size < -6) return value.toExponential(1);
  const text = rounded.toFixed(decimals);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

/** An integer with its thousands apart, all digits. */
export function grouped(value: number): string {
  if (!Number.isInteger(value)) return String(value);
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

interface Scale {
  readonly factor: number;
  readonly unit: string;
  /** From which size on it is taken, where that is not the factor. */
  readonly from?: number;
}

const TIME: readonly Scale[] = [
  { factor: 3.6e12, unit: 'h' },
  { factor: 6e10, unit: 'min', from: 99.95e9 }, // as in the reports' text
  { factor: 1e9, unit: 's' },
  { factor: 1e6, unit: 'ms' },
  { factor: 1e3, unit: 'µs' },
  { factor: 1, unit: 'ns' },
];
const BINARY: readonly Scale[] = ['PiB', 'TiB', 'GiB', 'MiB', 'KiB', 'B'].map((unit, i) => ({
  factor: 1024 ** (5 - i),
  unit,
}));
const DECIMAL: readonly Scale[] = [
  { factor: 1e12, unit: 'T' },
  { factor: 1e9, unit: 'G' },
  { factor: 1e6, unit: 'M' },
  { factor: 1e3, unit: 'k' },
  { factor: 1, unit: '' },
];
const RATE: readonly Scale[] = DECIMAL.map(({ factor, unit }) => ({ factor, unit: `${unit}B/s` }));

/** The largest scale in which the rounded figure is at least 1; the smallest where none is. */
function scaled(value: number, scales: readonly Scale[]): string {
  const size = Math.abs(value);
  const last = scales.length - 1;
  let at = scales.findIndex((s) => size >= (s.from ?? s.factor));
  if (at < 0) at = last;
  const next = scales[at - 1];
  const here = scales[at] ?? { factor: 1, unit: '' };
  // 999.7 ms rounds to 1000 ms: that is 1 s.
  const rounded = Number((size / here.factor).toPrecision(3)) * here.factor;
  const up = next && rounded >= (next.from ?? next.factor);
  const scale = up ? next : here;
  return `${digits(value / scale.factor)}${scale.unit ? SPACE + scale.unit : ''}`;
}

export function formatNs(value: number | null | undefined): Figure {
  if (value == null || !Number.isFinite(value)) return NONE;
  const text = value === 0 ? `0${SPACE}s` : scaled(value, TIME); // as in the reports' text
  return { text, exact: `${grouped(value)} ns` };
}

export function formatBytes(value: number | null | undefined): Figure {
  if (value == null || !Number.isFinite(value)) return NONE;
  return { text: scaled(value, BINARY), exact: `${grouped(value)} bytes` };
}

/** A rate of a network in powers of ten, as in the reports' text and everywhere else. */
export const formatRate = (value: number): Figure => ({
  text: scaled(value, RATE),
  exact: `${String(value)} bytes/s`,
});

export function formatCount(value: number | null | undefined, unit = ''): Figure {
  if (value == null || !Number.isFinite(value)) return NONE;
  const suffix = unit ? ` ${unit}` : '';
  const small = Number.isInteger(value) && Math.abs(value) < 1e4;
  const text = small ? grouped(value) : scaled(value, DECIMAL);
  return { text: text + suffix, exact: grouped(value) + suffix };
}

/** A share in percent, all its digits and no others: 0.6325 × 100 is 63.24999999999999. */
export function percentOf(share: number): string {
  const [digits = '0', exponent = '0'] = String(share).split('e');
  return String(Number(`${digits}e${Number(exponent) + 2}`));
}

const shareNumber = (share: number): string =>
  share > 0 && share < LEAST_SHARE ? '<0.01' : digits(share * 100);

/** "60–63 %"; null: both ends are the same as they are shown. */
export function formatShares(low: number, high: number): Figure | null {
  const [from, to] = [shareNumber(low), shareNumber(high)];
  if (from === to) return null;
  return {
    text: `${from}–${to}${SPACE}%`,
    exact: `${percentOf(low)} % to ${percentOf(high)} %`,
  };
}

/** A part of a whole, 0 to 1, in percent; of next to nothing only that it is. */
export function formatShare(value: number | null | undefined): Figure {
  if (value == null || !Number.isFinite(value)) return NONE;
  return { text: `${shareNumber(value)}${SPACE}%`, exact: `${percentOf(value)} %` };
}

/** "2.9×". */
export function formatTimes(value: number | null | undefined): Figure {
  if (value == null || !Number.isFinite(value)) return NONE;
  return { text: `${digits(value)}×`, exact: `${String(value)} times` };
}

/** A price has no currency, unless whoever gave it names one. */
export function formatMoney(amount: number, currency = ''): Figure {
  if (!currency) return { text: digits(amount), exact: String(amount) };
  return { text: `${digits(amount)}${SPACE}${currency}`, exact: `${String(amount)} ${currency}` };
}

/** A metric's value in the unit that the store names it by: share, bytes, bytes/s, cores, count, 1/s, W, … */
export function formatMetric(value: number | null | undefined, unit: string): Figure {
  if (value == null || !Number.isFinite(value)) return NONE;
  switch (unit) {
    case 'share':
      return formatShare(value);
    case 'bytes':
      return formatBytes(value);
    case 'bytes/s':
      return { text: `${formatBytes(value).text}/s`, exact: `${String(value)} bytes/s` };
    case 'ns':
      return formatNs(value);
    case 'count':
    case 'code':
    case '':
      return formatCount(value);
    case '1/s':
      return { text: `${formatCount(value).text}/s`, exact: `${String(value)}/s` };
    default: {
      // Of what is next to nothing two digits are enough: columns stay narrow.
      const short = Math.abs(value) < 0.01 ? Number(value.toPrecision(2)) : value;
      return { text: `${digits(short)}${SPACE}${unit}`, exact: `${String(value)} ${unit}` };
    }
  }
}

/** "504:45:40 h": of what happens hours after the begin nobody counts the seconds. */
function hours(value: number, every: number): string {
  const decimals = Math.min(9, Math.max(0, Math.ceil(-Math.log10(every / 1e9) - 1e-9)));
  const seconds = Math.round((Math.abs(value) / 1e9) * 10 ** decimals) / 10 ** decimals;
  const two = (n: number) => String(n).padStart(2, '0');
  const rest = (seconds % 60).toFixed(decimals).padStart(decimals > 0 ? 3 + decimals : 2, '0');
  const minutes = Math.floor(seconds / 60);
  const sign = value < 0 ? '-' : '';
  return `${sign}${Math.floor(minutes / 60)}:${two(minutes % 60)}:${rest}${SPACE}h`;
}

/**
 * A moment on a run's axis: as precise as the distance between two marks asks for, in the unit of the
 * axis's largest. Minutes and hours only in whole or half ones: nobody counts 0.33 of them.
 */
export function formatMoment(value: number, every: number, largest = value): string {
  const scale = TIME.find((s) => {
    const halves = (2 * every) / s.factor;
    const whole = Math.max(1, Math.round(halves));
    const readable = s.factor <= 1e9 || Math.abs(halves - whole) < 1e-9;
    return Math.max(Math.abs(largest), every) >= s.factor && readable;
  }) ?? { factor: 1, unit: 'ns' };
  const decimals = Math.max(0, Math.ceil(-Math.log10(every / scale.factor) - 1e-9));
  if (scale.factor < 3.6e12 && Math.abs(largest) >= 3.6e12) return hours(value, every);
  return `${(value / scale.factor).toFixed(Math.min(decimals, 9))}${SPACE}${scale.unit}`;
}

/** ns: processes that begin together do so within some tenths of a second. */
export const PROCESSES_APART = 1e8;

/**
 * A moment of a run in a table, told apart from others at that distance (ns): three digits of it do not, minutes
 * after the begin.
 */
export function formatAt(value: number, distance: number): Figure {
  const every = 10 ** Math.floor(Math.log10(Math.max(distance, 1)));
  return { text: formatMoment(value, every), exact: formatNs(value).exact };
}

/** A UTC time in the reader's own zone, to the minute; empty where it is not known. */
export function formatDate(utc: string): Figure {
  if (utc === '') return { text: '–', exact: 'not known' };
  const at = new Date(utc);
  if (Number.isNaN(at.getTime())) return { text: utc, exact: utc };
  const text = at.toLocaleString('sv-SE', { dateStyle: 'short', timeStyle: 'short' });
  return { text, exact: utc };
}

/** The time of day of a moment of a run, in the reader's zone, to the second. */
export function formatClock(started_utc: string, since: number): string {
  const at = new Date(Date.parse(started_utc) + since / 1e6);
  return Number.isNaN(at.getTime())
    ? formatMoment(since, 1e8)
    : at.toLocaleTimeString('sv-SE', { timeStyle: 'medium' });
}

/** A stored name as words: data_pipeline → "data pipeline". */
export const words = (name: string): string =>
  infoOf(name)?.title ?? WORDS[name] ?? name.replaceAll('_', ' ');

/** First letter large, for headings and labels made of stored names. */
export const title = (name: string): string => {
  const text = words(name);
  return text.charAt(0).toUpperCase() + text.slice(1);
};

/** A word for a number: "1 step", "12.3 k steps"; in a sentence. */
export const counted = (count: number, one: string, many = `${one}s`): Figure =>
  formatCount(count, count === 1 ? one : many);

/** The same as text, where nothing can be hovered over. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  counted(count, one, many).text;
