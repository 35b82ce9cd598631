// SPDX-License-Identifier: Apache-2.0
// Every view on every kind of run: it opens, is accessible in both themes, and a reload shows the same.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { accessible, open, settled, test, VIEWS } from './pages';
import { folder, work } from './runs';

const shots = process.env.UI_SHOTS ?? join(work, 'shots');
mkdirSync(shots, { recursive: true });

const RUNS = ['slow', 'idle', 'eight-ranks', 'v100', 'hostile', 'broken'];

/** Accessible, and pictured, in both themes. */
async function look(page: Page, name: string) {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme);
    await accessible(page);
    await page.screenshot({ path: join(shots, `${name}-${colorScheme}.png`) });
  }
}

for (const run of RUNS) {
  for (const view of VIEWS) {
    test(`${run} ${view}`, async ({ page }) => {
      test.skip(run === 'v100' && !existsSync(join(folder, 'v100')), 'no real profiles here');
      await open(page, `/run/${run}/${view}`);
      if (run === 'broken') await expect(page.getByRole('alert').first()).toBeVisible();
      else await expect(page.getByRole('alert')).toHaveCount(0);
      await look(page, `${run}-${view}`);
    });
  }
}

for (const [name, fragment] of [
  ['runs', '/runs'],
  ['compare', '/compare/slow/fast'],
  ['unknown', '/no/such/page'],
] as const) {
  test(name, async ({ page }) => {
    await open(page, fragment);
    await look(page, name);
  });
}

for (const view of VIEWS.filter((v) => v !== 'timeline')) {
  test(`reload keeps ${view}`, async ({ page }) => {
    await open(page, `/run/slow/${view}`);
    const text = await page.locator('main').innerText();
    const at = page.url();
    await page.reload();
    await settled(page);
    expect(page.url()).toBe(at);
    expect(await page.locator('main').innerText()).toBe(text);
  });
}

test('a narrow page and a dense one', async ({ browser }) => {
  for (const [width, height, scale] of [
    [1280, 720, 1],
    [1920, 1080, 2],
  ] as const) {
    const page = await browser.newPage({ viewport: { width, height }, deviceScaleFactor: scale });
    await open(page, '/run/slow/overview');
    const wider = await page.evaluate(
      () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
    );
    expect(wider).toBe(false);
    await page.screenshot({ path: join(shots, `overview-${width}x${height}@${scale}.png`) });
    await page.close();
  }
});
