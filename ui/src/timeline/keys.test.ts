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
])('%s within %j is taken: %j', (key, selector, taken) => {
  expect(isTaken(key, within(selector))).toBe(taken);
});

it('keys together with Ctrl are not ours', () => {
  const pressed = { key: 'w', ctrlKey: false, metaKey: false, altKey: false };
  expect(actionOf(pressed)?.kind).toBe('zoom');
  expect(actionOf({ ...pressed, ctrlKey: true })).toBeNull();
});
