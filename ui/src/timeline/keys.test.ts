// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { actionOf, isTaken } from './keys';

/** Something focused within an element that this selector finds; '': within none. */
const within = (selector: string) => ({
  closest: (asked: string) =>
    selector !== '' && asked.includes(selector) ? ({} as Element) : null,
});

it.each([
  ['ArrowRight', '', false],
  ['ArrowRight', '[role=tablist]', true],
  ['ArrowLeft', '[role=tablist]', true],
  ['ArrowDown', '[role=tablist]', false],
  ['w', '[role=tablist]', false],
  ['w', 'input', true],
  ['ArrowDown', '[role=grid]', true],
  ['ArrowUp', '[role=separator]', true],
  ['Enter', 'button', true],
  ['Enter', '', false],
  ['r', 'button', false],
  ['ArrowUp', '[role=tree]', true],
  ['w', '[role=tree]', false],
  ['Shift ArrowRight', '[role=tree]', false],
])('%s within %j is taken: %j', (key, selector, taken) => {
  const shiftKey = key.startsWith('Shift ');
  expect(isTaken({ key: key.replace('Shift ', ''), shiftKey }, within(selector))).toBe(taken);
});

it('keys together with Ctrl are not ours', () => {
  const pressed = { key: 'w', shiftKey: false, ctrlKey: false, metaKey: false, altKey: false };
  expect(actionOf(pressed)?.kind).toBe('zoom');
  expect(actionOf({ ...pressed, ctrlKey: true })).toBeNull();
});

it('Shift makes another key of an arrow, and no other one of a letter', () => {
  const none = { shiftKey: true, ctrlKey: false, metaKey: false, altKey: false };
  expect(actionOf({ ...none, key: 'ArrowRight' })).toMatchObject({ kind: 'draw' });
  expect(actionOf({ ...none, key: 'ArrowRight', shiftKey: false })).toMatchObject({ kind: 'pan' });
  expect(actionOf({ ...none, key: 'W' })).toMatchObject({ kind: 'zoom' });
  expect(actionOf({ ...none, key: 'N' })).toEqual({ kind: 'match', by: -1 });
});
