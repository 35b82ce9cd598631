// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { pieces } from './prose';

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
