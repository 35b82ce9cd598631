// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import * as f from './format';

const plain = (text: string) => text.replaceAll('\u00a0', ' ');

describe('at most three significant digits, with a unit', () => {
  it.each([
    [0, '0 s'],
    [1, '1 ns'],
    [999, '999 ns'],
    [1000, '1 µs'],
    [95_612_345, '95.6 ms'],
    [999_700_000, '1 s'], // rounds over the border: the next unit
    [999_400_000, '999 ms'],
    [33_800_000_000, '33.8 s'],
    [96_520_000_000, '96.5 s'],
    [99_940_000_000, '99.9 s'],
    [99_960_000_000, '1.67 min'],
    [125_000_000_000, '2.08 min'],
    [7_200_000_000_000, '2 h'],
    [-2_500_000, '-2.5 ms'],
  ])('%d ns is %s', (value, text) => {
    expect(plain(f.formatNs(value).text)).toBe(text);
  });

  it.each([
    [0, '0 B'],
    [1023, '1020 B'],
    [1024, '1 KiB'],
    [2.1 * 1024 ** 3, '2.1 GiB'],
  ])('%d bytes are %s', (value, text) => {
    expect(plain(f.formatBytes(value).text)).toBe(text);
  });

  it.each([
    [0.65432, '65.4 %'],
    [1, '100 %'],
    [0.00012, '0.012 %'],
    [0, '0 %'],
    [1e-4, '0.01 %'],
    [9e-5, '<0.01 %'],
    [1e-9, '<0.01 %'],
  ])('share %d is %s', (value, text) => {
    expect(plain(f.formatShare(value).text)).toBe(text);
  });

  it('counts below ten thousand are whole', () => {
    expect(f.formatCount(9_999).text).toBe('9,999');
    expect(plain(f.formatCount(1_234_567).text)).toBe('1.23 M');
  });
});

it('tiny values have two digits', () => {
  expect(plain(f.formatMetric(0.004516, 'cores').text)).toBe('0.0045 cores');
  expect(plain(f.formatMetric(0.04516, 'cores').text)).toBe('0.0452 cores');
  expect(plain(f.formatRate(45_855_711_322.7).text)).toBe('45.9 GB/s');
  expect(f.formatRate(999.96e6)).toEqual({ text: '1\u00a0GB/s', exact: '999960000 bytes/s' });
});

describe('the exact figure stands beside it', () => {
  it.each([
    [f.formatNs(95_612_345), '95,612,345 ns'],
    [f.formatBytes(1_500_000), '1,500,000 bytes'],
    [f.formatCount(1_234_567, 'steps'), '1,234,567 steps'],
    [f.formatMetric(0.5, 'cores'), '0.5 cores'],
  ])('%o', (figure, exact) => {
    expect(figure.exact).toBe(exact);
  });

  it('unknown values have their own text', () => {
    for (const none of [f.formatNs(null), f.formatShare(undefined), f.formatBytes(Number.NaN)])
      expect(none).toEqual({ text: '–', exact: 'not known' });
  });
});

it('money without a currency, as a price is given, and with one', () => {
  expect(f.formatMoney(32.5, '')).toEqual({ text: '32.5', exact: '32.5' });
  expect(f.formatMoney(0.247893, '')).toEqual({ text: '0.248', exact: '0.247893' });
  expect(plain(f.formatMoney(3240.12, 'EUR').text)).toBe('3240 EUR');
});

describe('moments on an axis', () => {
  it.each([
    [1_500_000_000, 500_000_000, '1.5 s'],
    [2_000_000_000, 500_000_000, '2.0 s'],
    [2_000_000_000, 1_000_000_000, '2 s'],
    [1_234_567_000, 1_000, '1.234567 s'],
    [0, 10_000_000, '0 ms'],
    [1_817_140e9, 20e9, '504:45:40 h'],
    [3_600e9, 1e6, '1:00:00.000 h'],
    [1_817_140_000_000_123, 1, '504:45:40.000000123 h'],
  ])('%d, every %d', (value, every, text) => {
    expect(plain(f.formatMoment(value, every))).toBe(text);
  });
});

it('moments in a table are told apart, minutes after the begin too', () => {
  const steps = [100_512_345_678, 100_580_000_000].map((at) => f.formatAt(at, 6_400_000));
  expect(steps.map((s) => plain(s.text))).toEqual(['100.512 s', '100.580 s']);
  expect(plain(steps[0]?.exact ?? '')).toBe('100,512,345,678 ns');
  expect(plain(f.formatAt(0, 0).text)).toBe('0 ns');
});

it('a share has all its digits and no others', () => {
  expect(f.formatShare(0.6325).exact).toBe('63.25 %');
  expect(f.formatShare(3e-7).exact).toBe('0.00003 %');
  expect(f.formatShare(1).exact).toBe('100 %');
});

it('a run without a date has none', () => {
  expect(f.formatDate('')).toEqual({ text: '–', exact: 'not known' });
  expect(f.formatDate('2026-01-02T10:00:00Z').text).toContain('2026-01-0');
});

it('stored names become words', () => {
  expect(f.title('data_pipeline')).toBe('Data pipeline');
  expect(f.plural(1, 'step')).toBe('1 step');
  expect(f.plural(2, 'step')).toBe('2 steps');
  expect(f.counted(12345, 'step').exact).toBe('12,345 steps');
});

it('a moment of a run as time of day', () => {
  expect(f.formatClock('2026-01-01T10:00:00Z', 90e9)).toMatch(/^\d\d:\d\d:\d\d$/);
  expect(f.formatClock('2026-01-01T10:00:30Z', 90e9).slice(2)).toBe(':02:00');
  expect(plain(f.formatClock('no date', 90e9))).toBe('90.0 s');
});
