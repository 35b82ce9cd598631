// SPDX-License-Identifier: Apache-2.0
// The pages do nothing that the server's Content-Security-Policy forbids, and write no error.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test as bare } from '@playwright/test';
import { address, open, settled, test, VIEWS } from './pages';
import { folder } from './runs';

test('the policy forbids inline styles and scripts', async ({ request }) => {
  const response = await request.get(address());
  const policy = response.headers()['content-security-policy'] ?? '';
  expect(policy).toContain("style-src 'self'");
  expect(policy).not.toContain('unsafe');
});

bare('what the policy forbids is seen by these tests', async ({ page }) => {
  const told: string[] = [];
  page.on('console', (message) => told.push(message.text()));
  await page.goto(address());
  const before = told.length;
  await page.evaluate(() => document.body.setAttribute('style', 'color: red'));
  await expect.poll(() => told.slice(before).join()).toContain('Content Security Policy');
});

for (const run of ['slow', 'v100', 'eight-ranks']) {
  test(`every view of ${run} writes no error`, async ({ page }) => {
    test.skip(!existsSync(join(folder, run)), 'no real profiles here');
    const errors: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(`${page.url()}: ${message.text()}`);
    });
    for (const view of VIEWS) {
      await open(page, `/run/${run}/${view}`);
      // What is drawn under the pointer and with the focus comes only then.
      const chart = page.locator('main').locator('svg, canvas, .flame').first();
      if ((await chart.count()) > 0) await chart.hover({ force: true });
      await page.keyboard.press('Tab');
      const tabs = page.locator('main').locator('[role=tab], [role=radio]');
      for (let i = 0; i < (await tabs.count()); i++) await tabs.nth(i).click();
      await settled(page);
    }
    expect(errors).toEqual([]);
  });
}

test('the list of runs and a comparison write no error', async ({ page }) => {
  const errors: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  await open(page, '/runs');
  await open(page, '/compare/slow/fast');
  expect(errors).toEqual([]);
});
