// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { cards } from './cards';

type Id = 'command' | 'host' | 'batch_size' | 'ranks' | 'tags' | 'started';
const line = (id: Id, text: string, compared_only = false) => ({
  id,
  title: id,
  text,
  compared_only,
});

it('tells what differs, and names what does not', () => {
  const a = [line('command', 'python a.py'), line('host', 'h'), line('started', '1')];
  const b = [line('command', 'python b.py'), line('host', 'h'), line('started', '2')];
  expect(cards(a, b)).toEqual({
    unlike: [{ id: 'command', title: 'command', a: 'python a.py', b: 'python b.py' }],
    same: ['host'],
  });
});

it('says of what one run alone tells that the other is not known', () => {
  const a = [line('host', 'h')];
  const b = [line('batch_size', '32')];
  expect(cards(a, b).unlike.map(({ id, a, b }) => [id, a, b])).toEqual([
    ['host', 'h', null],
    ['batch_size', null, '32'],
  ]);
});

it('says that there is none, beside a run that has some', () => {
  const none = [line('ranks', '1', true), line('tags', 'none', true)];
  expect(cards(none, [line('ranks', '2 (gloo)'), line('tags', 'none', true)])).toEqual({
    unlike: [{ id: 'ranks', title: 'ranks', a: '1', b: '2 (gloo)' }],
    same: [],
  });
  expect(cards(none, []).unlike).toEqual([]);
});
