// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { cards } from './cards';

const line = (id: 'command' | 'host' | 'batch_size' | 'started', text: string) => ({
  id,
  title: id,
  text,
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
