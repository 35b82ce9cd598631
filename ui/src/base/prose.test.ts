// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { pieces, readable, whyNone } from './prose';

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

it('says once that there is no step', () => {
  expect(whyNone('no step seen: torch was not imported')).toBe(
    'No step seen: torch was not imported',
  );
  expect(whyNone('no whole step lies in this stretch')).toBe('No whole step lies in this stretch');
  expect(whyNone('it ended early')).toBe('No step was seen: it ended early');
});
