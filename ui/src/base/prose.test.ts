// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { pieces, proseOf, sentenceOf, whyNone, type Said } from './prose';

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

it('lines of files that the report says the sentence names stand apart', () => {
  const place = { at: 17, text: 'train.py:21', file: '/job/train.py', line: 21 };
  const said = {
    text: '🙂 waits in open (train.py:21) for 5 ms of `b.py:3`',
    figures: [{ at: 34, text: '5 ms', value: 5e6, unit: 'ns' }],
    places: [place],
  };
  expect(proseOf(said)).toEqual([
    { text: '🙂 waits in open (', code: false },
    place,
    { text: ') for ', code: false },
    { text: '5 ms', exact: '5,000,000 ns' },
    { text: ' of ', code: false },
    { text: 'b.py:3', code: true },
  ]);
  expect(proseOf({ text: 'in train.py:21' })).toEqual([{ text: 'in train.py:21', code: false }]);
});

it('a backtick alone, and two with nothing between, stay', () => {
  expect(told('a ` b')).toEqual(['a ` b']);
  expect(told('a `` b')).toEqual(['a `` b']);
  expect(told('`a` b ` c')).toEqual(['<a>', ' b ` c']);
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
    const text = '🙂 rank 3: 3 in 70 µs, 1.2× faster: 63-65 % of - on 1 core';
    const figure = (said: string, value: number | null, unit: string) => ({
      at: [...text.slice(0, text.lastIndexOf(said))].length,
      text: said,
      value,
      unit,
    });
    const figures = [
      { ...figure('3 in', 3, 'count'), text: '3' },
      figure('70 µs', 70123, 'ns'),
      figure('1.2×', 1.234, 'times'),
      figure('63', 0.6325, 'share_number'),
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
    const figures = [{ at: 3, text: '70 µs', value: 70123, unit: 'ns' }];
    expect(both({ text: 'in 70…', figures })).toEqual(['in 70…', 'in 70…']);
  });

  it('is plain without them', () => {
    expect(both({ text: '70 µs' })).toEqual(['70 µs', '70 µs']);
  });
});

it('missing step is named once', () => {
  const why = (id: string, headline: string) => whyNone({ reason: { id }, headline });
  expect(why('no_steps', 'no step seen: torch was not imported')).toBe(
    'No step seen: torch was not imported',
  );
  expect(why('no_training', 'not a training: a profile of VizTracer')).toBe(
    'Not a training: a profile of VizTracer',
  );
  expect(why('no_steps', 'no complete step in this time range')).toBe(
    'No complete step in this time range',
  );
  expect(why('too_few_steps', 'it ended early')).toBe('No step was seen: it ended early');
});
