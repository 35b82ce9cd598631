// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { cutTexts, restored } from './cut_text';

const NUMBER = '0123456789abcdef';
const whole = `ab${'x'.repeat(1000)}end`;
const cut = `${whole.slice(0, 512)}… [1005 bytes, text ${NUMBER}]`;

it('finds what was cut, each once', () => {
  expect(cutTexts(`1 ms ${cut}\t${cut}`)).toEqual([NUMBER]);
  expect(cutTexts('nothing… [5 bytes, text 12]')).toEqual([]);
});

it('puts the whole in, wherever it stands', () => {
  const known = new Map([[NUMBER, whole]]);
  expect(restored(cut, known)).toBe(whole);
  expect(restored(`1 ms\t${cut}\t2 ms ${cut}.`, known)).toBe(`1 ms\t${whole}\t2 ms ${whole}.`);
  expect(restored(`1 ms\t${cut}`, new Map())).toBe(`1 ms\t${cut}`);
});

it('a mark that a name made up takes nothing away', () => {
  const made = `evil… [9 bytes, text ${NUMBER}]`;
  expect(restored(made, new Map([[NUMBER, 'whole']]))).toBe('evilwhole');
});
