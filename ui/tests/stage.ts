// SPDX-License-Identifier: Apache-2.0
// What the tests of the timeline share.
import { expect, type Page } from '@playwright/test';
import { open } from './pages';

export const stage = (page: Page) => page.getByRole('application');
export const range = (page: Page) => page.locator('.bar .range');
export const details = (page: Page) => page.getByRole('region', { name: 'Details' });

/** The view that the address tells, in ns; null: the whole run. */
export const viewIn = (page: Page): [number, number] | null => {
  const match = /[?&]view=(-?\d+)-(-?\d+)/.exec(page.url());
  return match ? [Number(match[1]), Number(match[2])] : null;
};

/** A parameter of the address; null: it has none of that name. */
export const param = (page: Page, name: string): string | null =>
  new URLSearchParams(new URL(page.url()).hash.split('?')[1] ?? '').get(name);

/** Opens a run's timeline and waits until it is drawn. */
export async function timeline(page: Page, query = '', run = 'eight-ranks') {
  await open(page, `/run/${run}/timeline${query}`);
  await expect(stage(page)).toHaveAttribute('data-busy', 'false');
}
