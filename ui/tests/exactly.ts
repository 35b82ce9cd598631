// SPDX-License-Identifier: Apache-2.0
// What the tests of figures share: what the executable prints of a run, and what a page shows, both exactly.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { percentOf } from '../src/base/format';
import { grouped } from './pages';
import { folder, run } from './runs';

export const ns = (value: number) => `${grouped(value)} ns`;
export const share = (value: number) => `${percentOf(value)} %`;
export const bytes = (value: number) => `${grouped(value)} bytes`;
export const cores = (value: number) => `${String(value)} cores`;
export const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
export const some = <T>(value: T | null | undefined): T => {
  if (value == null) throw new Error('the run has one');
  return value;
};

export const json = <T>(...args: string[]) => JSON.parse(run([...args, '--json']).toString()) as T;
export const section = <T>(id: string, name: string) =>
  json<Record<string, T>>('report', join(folder, id), '--section', name);
export const rowsOf = <T>(id: string, table: string, where = '') =>
  json<T[]>('show', join(folder, id), table, ...(where ? ['--where', where] : []));

export const part = (page: Page, name: string): Locator =>
  page.getByRole('region', { name, exact: true });
export const grid = (page: Page, name: string): Locator =>
  page.getByRole('grid', { name, exact: true });
export const exactIn = (of: Locator): Promise<string[]> =>
  of
    .locator('[data-exact]')
    .evaluateAll((nodes) => nodes.map((n) => (n as HTMLElement).dataset.exact ?? ''));
/** Headed figures, by what they are headed. */
export const stats = async (of: Locator): Promise<Record<string, string>> =>
  Object.fromEntries(
    await of.locator('.stat').evaluateAll((all) =>
      all.map((one): [string, string] => {
        const figure = one.querySelector<HTMLElement>('[data-exact]');
        return [one.querySelector('dt')?.textContent ?? '', figure?.dataset.exact ?? ''];
      }),
    ),
  );
/** What a chart draws: its lines by their heads, as its CSV tells them. */
export async function drawn(page: Page, label: string): Promise<Record<string, number[]>> {
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: `Save ${label} as CSV`, exact: true }).click();
  const [head = '', ...rows] = readFileSync(await (await downloading).path(), 'utf8')
    .trimEnd()
    .split('\n');
  const cells = rows.map((row) => row.split(',').map(Number));
  return Object.fromEntries(head.split(',').map((name, i) => [name, cells.map((c) => c[i] ?? 0)]));
}
