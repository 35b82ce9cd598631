// SPDX-License-Identifier: Apache-2.0
// The quick part of what `make soak` looks at (views, large, capture): some views of a run in both themes for
// axe, a table with more rows than are drawn, and what empty views say.
import { expect } from '@playwright/test';
import AxeBuilder from '@axe-core/playwright';
import { BROAD, wideName } from './made';
import { accessible, cellsOf, grouped, open, test, VIEWS } from './pages';

const ns = (value: number) => `${grouped(value)} ns`;

// Between them they hold what the views are made of: text, bars, tables, charts, forms and the canvas.
const QUICK = ['overview', 'timeline', 'kernels', 'distributed', 'rules'];

test('views are accessible, their contrasts in both themes', async ({ page }) => {
  for (const view of VIEWS.filter((one) => QUICK.includes(one))) {
    await page.emulateMedia({ colorScheme: 'light' });
    await open(page, `/run/eight-ranks/${view}`);
    await accessible(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
    // Of all rules this one alone asks for colours.
    const { violations } = await new AxeBuilder({ page }).withRules('color-contrast').analyze();
    const found = violations.flatMap((v) => v.nodes.map((n) => n.target.join(' ')));
    expect(found, `${view}, dark`).toEqual([]);
  }
});

test('of thousands of rows those in sight are drawn', async ({ page }) => {
  await open(page, '/run/broad/kernels');
  const grid = page.getByRole('grid', { name: 'Kernels', exact: true });
  await expect(grid).toHaveAttribute('aria-rowcount', String(BROAD + 1));
  const rows = await cellsOf(grid);
  expect(rows.length).toBeLessThan(60);
  // The longest first; each takes a µs more than the one before.
  expect(rows[0]?.slice(0, 3)).toEqual([wideName(BROAD - 1), '1', ns(BROAD * 1000)]);
  await grid.getByRole('button', { name: 'Total' }).click();
  await expect.poll(async () => (await cellsOf(grid))[0]?.[0]).toBe(wideName(0));
  await grid.focus();
  await page.keyboard.press('End');
  const last = grid.locator(`[aria-rowindex="${BROAD + 1}"]`);
  await expect(last).toBeInViewport();
  await expect(last).toContainText(wideName(BROAD - 1));
  await page.getByRole('searchbox', { name: 'Filter Kernels' }).fill('_00299');
  await expect(page.getByText(`10 of ${grouped(BROAD)} rows`)).toBeVisible();
  expect((await cellsOf(grid)).map((cells) => cells[0])).toEqual(
    Array.from({ length: 10 }, (_, i) => wideName(BROAD - 10 + i)),
  );
});

test('of a profile: what to record anew, and not the import once more', async ({ page }) => {
  await page.route('**/idle/report*', async (route) => {
    const response = await route.fetch();
    const report = (await response.json()) as {
      run_card?: { imported_as: string | null; writers: string[] };
    };
    if (report.run_card)
      Object.assign(report.run_card, { imported_as: 'kineto', writers: ['pytorch'] });
    await route.fulfill({ response, json: report });
  });
  await open(page, '/run/idle/memory');
  const note = page.getByRole('note').filter({ hasText: 'No allocations were recorded' });
  await expect(note).toContainText('This run is of a profile');
  await expect(note).toContainText('profile_memory=True');
  await expect(note.locator('code')).toHaveText(
    'steptrace run --window :20 --capture memory -- python train.py',
  );
});

test('numbered ranges are told apart: each is to be had', async ({ page }) => {
  await open(page, '/run/two-devices/devices');
  const panel = page.getByRole('region', { name: 'Histogram of a range' });
  const [range, name] = [0, 1].map((i) => panel.getByRole('combobox').nth(i));
  if (!range || !name) throw new Error('two are asked for');
  const figures = () =>
    panel
      .locator('dl [data-exact]')
      .evaluateAll((nodes) => nodes.map((n) => (n as HTMLElement).dataset.exact));
  // Twenty names a rank, of two ranks; the last and longest takes 29 µs.
  await range.selectOption({ label: 'chunk_# (20 names, 40 times)' });
  expect(await figures()).toEqual(['40', ns(19_000), ns(28_000), ns(29_000)]);
  await name.selectOption({ label: 'chunk_7 (2 times)' });
  await expect(page).toHaveURL(/named=/);
  expect(await figures()).toEqual(['2', ns(17_000), ns(17_000), ns(17_000)]);
  await page.reload();
  await expect(panel.getByText('chunk_7, all 2 values:')).toBeVisible();
  const options = await range.locator('option').allInnerTexts();
  expect(options).toEqual(
    expect.arrayContaining(['ProfilerStep# (5 names, 10 times)', 'phase a (6 times)']),
  );
  await range.selectOption({ label: 'phase a (6 times)' });
  await expect(name).toHaveCount(0);
});
