// SPDX-License-Identifier: Apache-2.0
// What is large stays in hand: a table of 10^5 rows, a million ranges.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, type Page } from '@playwright/test';
import { cellsOf, grouped, open, test } from './pages';
import { largeFolder, makeLargeRuns, MANY_RANGES, steptrace } from './runs';
import { WIDE, wideName } from './made';

let server: ChildProcess;
let at = '';

test.beforeAll(async () => {
  makeLargeRuns();
  const started = spawn(steptrace, ['ui', largeFolder, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  server = started;
  const [line] = (await once(createInterface(started.stdout), 'line')) as [string];
  at = (line.split(' ')[0] ?? '').replace(/\/$/, '');
});

test.afterAll(() => server.kill('SIGINT'));

const ns = (value: number) => `${grouped(value)} ns`;

/** Elements of the page, and what its scripts hold after a collection, in MB. */
async function weight(page: Page): Promise<{ elements: number; heapMb: number }> {
  const client = await page.context().newCDPSession(page);
  await client.send('HeapProfiler.collectGarbage');
  const { usedSize } = await client.send('Runtime.getHeapUsage');
  await client.detach();
  return { elements: await page.locator('*').count(), heapMb: usedSize / 1e6 };
}

/** Of 30 rows in sight with 11 cells each, the rest of the page, and room. */
const MOST_ELEMENTS = 2000;
/** A row of the section takes some 400 bytes. */
const MOST_HEAP_MB = 150;

async function light(page: Page) {
  const { elements, heapMb } = await weight(page);
  expect(elements).toBeLessThan(MOST_ELEMENTS);
  expect(heapMb).toBeLessThan(MOST_HEAP_MB);
}

test('a table of 10^5 rows opens, sorts, filters and scrolls to its end', async ({ page }) => {
  await open(page, '/run/wide/kernels', at);
  const grid = page.getByRole('grid', { name: 'Kernels', exact: true });
  await expect(grid).toHaveAttribute('aria-rowcount', String(WIDE + 1));
  const first = async () => (await cellsOf(grid))[0];
  // The longest first; each takes a µs more than the one before.
  expect((await first())?.slice(0, 3)).toEqual([wideName(WIDE - 1), '1', ns(WIDE * 1000)]);
  await light(page);

  await grid.getByRole('button', { name: 'Total' }).click();
  await expect(page).toHaveURL(/kernel\.sort=total/);
  await expect.poll(async () => (await first())?.[0]).toBe(wideName(0));
  await grid.getByRole('button', { name: 'Kernel', exact: true }).click();
  await grid.getByRole('button', { name: 'Kernel', exact: true }).click();
  await expect(page).toHaveURL(/kernel\.sort=-name/);
  await expect.poll(async () => (await first())?.[0]).toBe(wideName(WIDE - 1));

  // To the end by the keys, then by the wheel's way.
  await grid.focus();
  await page.keyboard.press('End');
  const last = grid.locator(`[aria-rowindex="${WIDE + 1}"]`);
  await expect(last).toBeInViewport();
  await expect(last).toContainText(wideName(0));
  await light(page);
  for (const share of [0, 0.25, 0.5, 0.75]) {
    await grid.evaluate((node, to) => (node.scrollTop = to * node.scrollHeight), share);
    const row = Math.round(share * WIDE) + 3;
    await expect(grid.locator(`[aria-rowindex="${row}"]`)).toContainText(wideName(WIDE - row + 1));
  }
  await light(page);

  await page.getByRole('searchbox', { name: 'Filter Kernels' }).fill('_09999');
  await expect(grid).toHaveAttribute('aria-rowcount', '11');
  const found = (await cellsOf(grid)).map((cells) => cells[0]);
  expect(found).toEqual(Array.from({ length: 10 }, (_, i) => wideName(WIDE - 1 - i)));
  await expect(page.getByText(`10 of ${grouped(WIDE)} rows`)).toBeVisible();
  await page.getByRole('searchbox', { name: 'Filter Kernels' }).fill('');
  await expect(grid).toHaveAttribute('aria-rowcount', String(WIDE + 1));
  await light(page);
});

test('more ranges than can be read: what is left out is told', async ({ page }) => {
  await open(page, '/run/many-ranges/devices', at);
  const panel = page.getByRole('region', { name: 'Histogram of a range' });
  await expect(panel.locator('.cut')).toHaveText(
    `Of category phase the first 1,000,000 of ${grouped(MANY_RANGES)} ranges are counted.`,
  );
  await expect(panel.locator('dl [data-exact]').first()).toHaveAttribute('data-exact', '1,000,000');
  await light(page);
  await open(page, '/run/many-ranges/devices?from_ns=0&to_ns=50000000', at);
  await expect(panel.locator('dl [data-exact]').first()).toHaveAttribute('data-exact', '50,000');
  await expect(panel.locator('.cut')).toHaveCount(0);
});
