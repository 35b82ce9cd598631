// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import hostile from '../../../tests/data/hostile_texts.json';
import { HIDDEN } from './hidden_characters';
import { inert, inertBut, inertly } from './inert';

const isHidden = (code: number) => HIDDEN.some(([from, to]) => code >= from && code <= to);
const showsHidden = (text: string) => [...text].some((c) => isHidden(c.codePointAt(0) ?? 0));

it('no hostile text shows anything hidden, and others stay as they are', () => {
  for (const text of hostile) {
    expect(showsHidden(inert(text)), text).toBe(false);
    if (!showsHidden(text)) expect(inert(text)).toBe(text);
  }
  expect(inert('a\x1b[2J\n\u202e\u{e0041}\ud800b')).toBe('a\\x1b[2J\\n\\u202e\\U000e0041\\ud800b');
  expect(inert('größe 模型 😀')).toBe('größe 模型 😀');
});

it('of an answer all texts are inert, keys too, and nothing else changes', () => {
  const answer = { 'k\u200b': ['\u202e', 1, null, { name: '\x9b', at: 1.5 }], plain: 'a' };
  expect(inertly(answer)).toEqual({
    'k\\u200b': ['\\u202e', 1, null, { name: '\\u009b', at: 1.5 }],
    plain: 'a',
  });
  expect(showsHidden(JSON.stringify(inertly(JSON.parse(JSON.stringify({ hostile })))))).toBe(false);
});

it('the figures and places of a sentence stay where they are said', () => {
  const said = {
    text: 'of \u202ea 5 ms in a.py:3',
    figures: [{ at: 6, text: '5 ms' }],
    places: [{ at: 14, text: 'a.py:3' }],
  };
  const shown = inertly(said) as typeof said;
  expect(shown.text.slice(shown.figures[0]?.at)).toBe('5 ms in a.py:3');
  expect(shown.text.slice(shown.places[0]?.at)).toBe('a.py:3');
});

it('what goes back to the server or into a shell stays exact', () => {
  const list = { runs: [{ id: 'a\u202e', command: ['b\u202e'], name: 'c\u202e' }] };
  expect(inertBut(list, list.runs, ['id', 'command'])).toEqual({
    runs: [{ id: 'a\u202e', command: ['b\u202e'], name: 'c\\u202e' }],
  });
});
