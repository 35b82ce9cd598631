// SPDX-License-Identifier: Apache-2.0
// What a reader sees before reading: titles, nothing over each other on a narrow page, what is on its way.
import { expect, type Locator, type Page } from '@playwright/test';
import { accessible, address, open, test, VIEWS } from './pages';
import { reportOf } from './runs';

async function box(of: Locator) {
  const found = await of.boundingBox();
  if (!found) throw new Error('it is drawn');
  return found;
}

const wider = (page: Page) =>
  page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('main, main section.panel')]
      .filter((node) => node.scrollWidth > node.clientWidth + 1)
      .map((node) => `${node.tagName} ${node.textContent.slice(0, 40)}`),
  );

for (const run of ['slow', 'eight-ranks']) {
  test(`800 px are enough for ${run}`, async ({ page }) => {
    await page.setViewportSize({ width: 800, height: 800 });
    for (const view of VIEWS) {
      await open(page, `/run/${run}/${view}`);
      expect(await wider(page), view).toEqual([]);
    }
  });
}

test('1280 px show every column of a table', async ({ page }) => {
  const cut = () =>
    page.evaluate(() =>
      [...document.querySelectorAll('main .scroller')]
        .filter((node) => node.scrollWidth > node.clientWidth + 1)
        .map((node) => node.ariaLabel),
    );
  const parts = ['alike', 'each', 'alone'].map((part) => `distributed?collectives=${part}`);
  for (const view of [...parts, ...VIEWS.filter((v) => v !== 'distributed')]) {
    await open(page, `/run/eight-ranks/${view}`);
    if (parts.includes(view)) await expect(page.locator('main .scroller').first()).toBeVisible();
    expect(await cut(), view).toEqual([]);
  }
});

test('two runs on 800 px: no figure stands on another', async ({ page }) => {
  await page.setViewportSize({ width: 800, height: 800 });
  await open(page, '/compare/slow/fast');
  const rows = page.locator('tr[data-row]');
  expect(await rows.count()).toBeGreaterThan(4);
  for (const row of await rows.all()) {
    const figures = await row.locator('.value, .share, td.figure').all();
    const boxes = await Promise.all(figures.map((f) => box(f.locator('[data-exact]').first())));
    for (const [i, a] of boxes.entries())
      for (const b of boxes.slice(i + 1))
        expect(a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y).toBe(true);
  }
  expect(await wider(page)).toEqual([]);
  await accessible(page);
});

test('the comparison says what the report says', async ({ page }) => {
  const answer = (await (await fetch(`${address()}/api/runs/slow/compare/fast`)).json()) as {
    headline: { text: string };
  };
  await open(page, '/compare/slow/fast');
  await expect(page.locator('.sentence')).toHaveText(answer.headline.text);
});

test('a run that cannot be read is told once', async ({ page }) => {
  await open(page, '/compare/broken/slow');
  await expect(page.getByRole('alert')).toHaveCount(1);
  await expect(page.getByRole('alert')).toContainText('not a manifest');
});

test('titles name what is read, and follow back and forward', async ({ page }) => {
  const [slow, fast] = [reportOf('slow').run.name, reportOf('fast').run.name];
  expect(slow).not.toBe('slow'); // the id
  await open(page, '/runs');
  await expect(page).toHaveTitle('Runs · Steptrace');
  await page.goto(`${address()}/#/run/slow/data`);
  await expect(page).toHaveTitle(`Data pipeline · ${slow} · Steptrace`);
  await page.goto(`${address()}/#/compare/slow/fast`);
  await expect(page).toHaveTitle(`${slow} and ${fast} · Steptrace`);
  await page.goto(`${address()}/#/no/such`);
  await expect(page).toHaveTitle('No such page · Steptrace');
  await expect(page.getByRole('link', { name: 'All runs', exact: true })).toBeVisible();
  await page.goBack();
  await expect(page).toHaveTitle(`${slow} and ${fast} · Steptrace`);
  await page.goBack();
  await expect(page).toHaveTitle(`Data pipeline · ${slow} · Steptrace`);
});

test('runs whose reports are being made are listed at once, and say so', async ({ page }) => {
  let pending = true;
  await page.route('**/api/runs', async (route) => {
    const response = await route.fetch();
    const list = (await response.json()) as { runs: { id: string; verdict: unknown }[] };
    const runs = list.runs.map((run) =>
      run.id === 'slow' && pending ? { ...run, verdict: null, pending } : run,
    );
    await route.fulfill({ response, json: { ...list, runs } });
  });
  await page.route('**/api/events', async (route) => {
    await expect(page.getByText('being analysed …')).toBeVisible();
    pending = false;
    await route.fulfill({
      contentType: 'text/event-stream',
      body: 'retry: 60000\nevent: runs\ndata: {}\n\n',
    });
  });
  await open(page, '/runs?runs.q=slow');
  const row = page.getByRole('grid', { name: 'Runs' }).getByRole('row').nth(1);
  await expect(row).toContainText('data pipeline');
  await expect(page.getByText('being analysed')).toHaveCount(0);
});

test('a run that failed says with what', async ({ page }) => {
  await page.route('**/api/runs/slow/report', async (route) => {
    const response = await route.fetch();
    const report = (await response.json()) as { run: object };
    const run = { ...report.run, status: 'failed', exit_code: 3 };
    await route.fulfill({ response, json: { ...report, run } });
  });
  await open(page, '/run/slow/overview');
  await expect(page.getByText('failed: exit code 3')).toBeVisible();
});

test('a run without steps has no empty axis', async ({ page }) => {
  await open(page, '/run/idle/overview');
  const panel = page.getByRole('region', { name: 'The run in time' });
  await expect(panel).toContainText('No phase is known');
  await expect(panel.locator('svg')).toHaveCount(0);
});

test('charts that take keys are no pictures, and say what runs along them', async ({ page }) => {
  for (const [view, roles] of [
    ['steps', ['chart', 'histogram']],
    ['system', ['chart', 'heat map']],
  ] as const) {
    await open(page, `/run/slow/${view}`);
    await expect(page.locator('[role=img][tabindex]')).toHaveCount(0);
    for (const role of roles)
      await expect(page.locator(`[aria-roledescription="${role}"]`).first()).toBeVisible();
    await expect(page.getByText('time since the run began →').first()).toBeVisible();
  }
});
