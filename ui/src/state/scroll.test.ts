// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { remember, remembered } from './scroll';

it('each name has its own place in an entry, and an entry stays small', () => {
  const state = remember(remember(null, 'main', 600.4), 'steps', 30);
  expect(remembered(state, 'main')).toBe(600);
  expect(remembered(remember(state, 'main', 0), 'main')).toBe(0);
  expect(remembered(state, 'other')).toBeNull();
  let many: unknown = null;
  for (let i = 0; i < 100; i++) many = remember(many, `table ${i}`, i);
  expect(Object.keys((many as { scroll: object }).scroll)).toHaveLength(40);
  expect([remembered(many, 'table 99'), remembered(many, 'table 0')]).toEqual([99, null]);
});

it('an entry that somebody else wrote has none', () => {
  for (const state of [null, 7, 'x', {}, { scroll: 5 }, { scroll: { main: 'x' } }])
    expect(remembered(state, 'main')).toBeNull();
});
