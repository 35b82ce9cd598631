// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { pieces, readable, sentenceOf, whyNone, type Said } from './prose';

const told = (text: string) => pieces(text).map(({ text, code }) => (code ? `<${text}>` : text));

it('what stands between backticks is code', () => {
  expect(told('run `steptrace recover RUN` or `ls`')).toEqual([
    'run ',
    '<steptrace recover RUN>',
    ' or ',
    '<ls>',
  ]);
  expect(told('no code')).toEqual(['no code']);
  expect(told('')).toEqual([]);
});

it('a backtick alone, and two with nothing between, stay', () => {
  expect(told('a ` b')).toEqual(['a ` b']);
  expect(told('a `` b')).toEqual(['a `` b']);
  expect(told('`a` b ` c')).toEqual(['<a>', ' b ` c']);
});

it('microseconds have their sign, but in code and in words', () => {
  expect(readable('12.5 us more, -963 us to +1.16 ms')).toBe('12.5 µs more, -963 µs to +1.16 ms');
  expect(readable('ask us, 3 users, rank 2 uses 5 ns')).toBe('ask us, 3 users, rank 2 uses 5 ns');
  expect(told('70 us in `sleep 5 us`')).toEqual(['70 µs in ', '<sleep 5 us>']);
});

it('so many times faster has its sign', () => {
  expect(readable('fast is 4.8x faster a step')).toBe('fast is 4.8× faster a step');
  expect(readable('a tile of 16x16, 0x5')).toBe('a tile of 16x16, 0x5');
});

describe('a sentence with figures', () => {
  const both = (said: Said) => {
    const as = (key: 'text' | 'exact') =>
      sentenceOf(said)
        .map((part) => (typeof part === 'string' ? part : part[key]))
        .join('');
    return [as('text'), as('exact')];
  };

  it('is exact where it has their values', () => {
    const text = '🙂 rank 3: 3 in 70 us, 1.2x faster: 63-65 % of - on 1 core';
    const figure = (said: string, value: number | null, unit: string) => ({
      at: [...text.slice(0, text.lastIndexOf(said))].length,
      text: said,
      value,
      unit,
    });
    const figures = [
      { ...figure('3 in', 3, 'count'), text: '3' },
      figure('70 us', 70123, 'ns'),
      figure('1.2x', 1.234, 'times'),
      figure('63', 0.6325, 'share'),
      figure('65 %', 0.6512, 'share'),
      figure('- ', null, 'bytes'),
      figure('1 core', 0.998, 'cores'),
    ];
    expect(both({ text, figures })).toEqual([
      '🙂 rank 3: 3 in 70 µs, 1.2× faster: 63-65 % of - on 1 core',
      '🙂 rank 3: 3 in 70,123 ns, 1.234 times faster: 63.25-65.12 % of - on 0.998 cores',
    ]);
  });

  it('leaves out a figure that was cut with its text', () => {
    const figures = [{ at: 3, text: '70 us', value: 70123, unit: 'ns' }];
    expect(both({ text: 'in 70…', figures })).toEqual(['in 70…', 'in 70…']);
  });

  it('is plain without them', () => {
    expect(both({ text: '70 us' })).toEqual(['70 µs', '70 µs']);
  });
});

it('says once that there is no step', () => {
  const why = (id: string, headline: string) => whyNone({ reason: { id }, headline });
  expect(why('no_steps', 'no step seen: torch was not imported')).toBe(
    'No step seen: torch was not imported',
  );
  expect(why('no_steps', 'no whole step lies in this stretch')).toBe(
    'No whole step lies in this stretch',
  );
  expect(why('too_few_steps', 'it ended early')).toBe('No step was seen: it ended early');
});
