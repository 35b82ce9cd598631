// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { placed } from './placed';

const screen = { width: 400, height: 600 };
const box = { width: 200, height: 80 };

it('stands below', () => {
  expect(placed({ left: 20, top: 100, bottom: 120 }, box, screen)).toEqual({ left: 20, top: 126 });
});

it('stands above where there is no room below', () => {
  expect(placed({ left: 20, top: 560, bottom: 580 }, box, screen)).toEqual({ left: 20, top: 474 });
});

it('never leaves the screen', () => {
  expect(placed({ left: 350, top: 100, bottom: 120 }, box, screen).left).toBe(192);
  expect(placed({ left: 2, top: 5, bottom: 595 }, box, screen)).toEqual({ left: 8, top: 8 });
});
