// SPDX-License-Identifier: Apache-2.0
// The one-file report: opened from disk, with nothing but itself.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { percentOf } from '../src/base/format';
import { accessible, exact, grouped, test, VIEWS } from './pages';
import {
  folder,
  makePricedRun,
  PRICE,
  pricedFolder,
  reportOf,
  root,
  run,
  steptrace,
  work,
} from './runs';

const PLACE = '<script type="application/json" id="steptrace-report">null</script>';

/** Puts data into the page as the executable does: `<` escaped, so that no name can end the element. */
function write(name: string, data: unknown): string {
  const page = readFileSync(join(root, 'python/steptrace/ui/report.html'), 'utf8');
  const json = JSON.stringify(data).replaceAll('<', '\\u003c');
  expect(page.split(PLACE).length, 'one place for the report').toBe(2);
  const path = join(work, `${name}.html`);
  writeFileSync(path, page.split(PLACE).join(PLACE.replace('null', () => json)));
  return `file://${path}`;
}

async function show(page: Page, url: string, fragment = '') {
  await page.goto('about:blank');
  await page.goto(`${url}${fragment}`);
  await expect(page.locator('main')).not.toBeEmpty();
}

test.skip(!existsSync(join(root, 'python/steptrace/ui/report.html')), 'tools/build_ui was not run');

test('shows the verdict and its figures', async ({ page }) => {
  const report = reportOf('slow');
  const url = write('slow', report);
  await show(page, url);
  await expect(page.getByRole('region', { name: 'Verdict' })).toBeVisible();
  const shown = await exact(page, '[data-suspect="data_pipeline"]');
  const share = report.suspects.rows.find((s) => s.name === 'data_pipeline')?.share ?? 0;
  expect(shown[0]).toBe(`${percentOf(share)} %`);
  await accessible(page);
  await page.screenshot({ path: join(work, 'report.png'), fullPage: true });
});

test('the saving in money, where a price is given', async ({ page }) => {
  makePricedRun();
  const report = reportOf('loader', PRICE, pricedFolder);
  await show(page, write('priced', report));
  await expect(page.getByRole('region', { name: 'Verdict' })).toContainText(
    'at the price that was set',
  );
  expect(await exact(page, '.saving')).toContain(String(report.verdict.at_most_saving?.money));
});

test('every view that it offers opens', async ({ page }) => {
  const url = write('ranks', reportOf('eight-ranks'));
  await show(page, url);
  const links = page.getByRole('navigation', { name: 'Views' }).getByRole('link');
  const count = await links.count();
  expect(count).toBeGreaterThan(3);
  for (let i = 0; i < count; i++) {
    await links.nth(i).click();
    await expect(page.locator('main .loading')).toHaveCount(0);
    await expect(page.getByRole('alert')).toHaveCount(0);
    await accessible(page);
  }
});

test('steps in the page are drawn', async ({ page }) => {
  const report = reportOf('slow');
  const { STEP_COLUMNS } = await import('../src/api/steps');
  const column = (name: string) => [0, 1, 2].map((i) => (name === 'kind' ? 'train' : i * 1000));
  const steps = Object.fromEntries(STEP_COLUMNS.map((name) => [name, column(name)]));
  const id = encodeURIComponent(report.run.id);
  await show(page, write('steps', { report, steps }), `#/run/${id}/steps`);
  const grid = page.getByRole('grid', { name: 'Steps', exact: true });
  await expect(grid).toHaveAttribute('aria-rowcount', '4');
  expect(await exact(page, 'main dl')).toContain(
    `${grouped(report.steps.duration_ns?.p50 ?? 0)} ns`,
  );
});

/** As `report RUN --html` writes it: with the steps. */
function written(name: string): string {
  const path = join(work, `${name}-alone.html`);
  execFileSync(steptrace, ['report', join(folder, name), '--html', path], { stdio: 'pipe' });
  return `file://${path}`;
}

test('it tells when checkpoints were saved, outside of steps too', async ({ page }) => {
  const where = ['--where', "name = 'checkpoint' and category = 'phase'", '--json'];
  const slices = run(['show', join(folder, 'hashing'), 'slices', ...where]).toString();
  const [saved] = JSON.parse(slices) as { dur_ns: number }[];
  await show(page, written('hashing'));
  const lane = page.locator('[data-lane="Checkpoints"]');
  await expect(lane).toHaveCount(1);
  await expect(lane).toHaveAccessibleName(
    `Checkpoint (save) of rank 0, ${grouped(saved?.dur_ns ?? 0)} ns`,
  );
  await expect(page.getByRole('note')).not.toContainText('when checkpoints were made');
});

test('nothing in it leads to what it does not hold, and it says what that is', async ({ page }) => {
  test.slow();
  const missing: Record<string, RegExp> = {
    'slow overview': /timeline/,
    'slow system': /processes/,
    'slow data': /sampled stacks/,
    'v100 devices': /spread of each range/,
  };
  for (const name of existsSync(join(folder, 'v100')) ? ['slow', 'v100'] : ['slow']) {
    const url = written(name);
    const at = (view: string) => `#/run/${encodeURIComponent(reportOf(name).run.id)}/${view}`;
    for (const view of VIEWS.filter((view) => view !== 'timeline')) {
      // As a link from a server's page would have it.
      await show(page, url, `${at(view)}?from_ns=1&to_ns=2`);
      await expect(page.locator('main .loading')).toHaveCount(0);
      await expect(page.getByRole('alert')).toHaveCount(0);
      await expect(page.locator('a[href*="timeline"], a[href*="from_ns"]')).toHaveCount(0);
      await expect(page.locator('main .row.opens')).toHaveCount(0);
      await expect(page.locator('main')).not.toContainText(
        /to select a time range|row leads to|Enter takes/,
      );
      await expect(page.locator('[aria-label*="select a time range"]')).toHaveCount(0);
      const says = missing[`${name} ${view}`];
      const note = page.getByRole('note').filter({ hasText: 'Not in a one-file report' });
      if (says) await expect(note).toContainText(says);
    }
  }
  await show(page, written('slow'), `#/run/${encodeURIComponent(reportOf('slow').run.id)}/steps`);
  const chart = page.getByRole('application', { name: /^Duration of each step/ });
  const box = (await chart.boundingBox()) ?? { x: 0, y: 0, width: 0 };
  await page.mouse.move(box.x + box.width * 0.4, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.7, box.y + 40, { steps: 4 });
  await page.mouse.up();
  await page.getByRole('grid', { name: 'Steps', exact: true }).locator('.row.body').first().click();
  await expect(page).toHaveURL(/\/steps$/);
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('the evidence leads to the views that the page holds', async ({ page }) => {
  const report = reportOf('slow');
  await show(page, write('linked', report));
  const evidence = page.getByRole('region', { name: 'Evidence' });
  const links = evidence.getByRole('link');
  expect(await links.count()).toBeGreaterThan(2);
  for (const link of await links.all())
    await expect(link).not.toHaveAttribute('href', /timeline|from_ns/);
  await links.first().click();
  await expect(page).not.toHaveURL(/overview/);
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('findings stand on the axis of the run', async ({ page }) => {
  const report = reportOf('slow');
  const findings = [
    {
      ts_ns: 0,
      severity: 'warning',
      kind: 'rule',
      topic: 'rule',
      about: 'Dataloader',
      text: 'rank 0 waits',
      standing: true,
    },
    {
      ts_ns: report.run.duration_ns,
      severity: 'info',
      kind: 'alert',
      topic: null,
      about: '',
      text: '<b>2</b>',
      standing: false,
    },
  ];
  const outliers = report.steps.outliers.length;
  await show(
    page,
    write('findings', { ...report, findings: { ...report.findings, rows: findings } }),
  );
  const marks = page.locator('[data-lane="Findings"]');
  await expect(marks).toHaveCount(2);
  await expect(marks.nth(1)).toHaveAttribute('aria-label', '<b>2</b>');
  const [first, last] = [await marks.nth(0).boundingBox(), await marks.nth(1).boundingBox()];
  expect((last?.x ?? 0) - (first?.x ?? 0)).toBeGreaterThan(500);
  await expect(page.locator('[data-lane="Slow steps"]')).toHaveCount(outliers);
  await accessible(page);
  await marks.nth(0).click();
  await expect(page).toHaveURL(/\/rules/);
  await expect(page.getByRole('alert')).toHaveCount(0);
});

/** As `report A --compare B --html` writes it. */
function compared(name: string, a: string, b: string): string {
  const path = join(work, `${name}.html`);
  const args = ['report', join(folder, a), '--compare', join(folder, b), '--html', path];
  execFileSync(steptrace, args, { stdio: 'pipe' });
  return `file://${path}`;
}

test('two runs stand side by side, and each has its views', async ({ page }) => {
  const [slow, fast] = [reportOf('slow'), reportOf('fast')];
  await show(page, compared('two', 'slow', 'fast'));
  await expect(page).toHaveURL(/#\/compare\//);
  await expect(page.getByRole('region', { name: 'Run A' })).toContainText(slow.verdict.headline);
  await expect(page.getByRole('region', { name: 'Run B' })).toContainText(fast.verdict.headline);
  await expect(page.locator('.sentence')).toContainText('faster per step');
  const figures = await exact(page, 'tr[data-row="step"]');
  expect(figures[0]).toBe(`${grouped(slow.steps.duration_ns?.mean ?? 0)} ns`);
  const change = figures.find((f) => f.startsWith('-'));
  expect(change).toBeDefined();
  await accessible(page);
  await page.getByRole('link', { name: 'Swap' }).click();
  await expect(page.getByRole('region', { name: 'Run A' })).toContainText(fast.verdict.headline);
  expect(await exact(page, 'tr[data-row="step"]')).toContain(change?.replace('-', '+'));
  await page.getByRole('link', { name: fast.run.name, exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(fast.run.name);
  await expect(page.getByRole('region', { name: 'Verdict' })).toBeVisible();
  await page.getByRole('link', { name: 'Steps', exact: true }).click();
  const grid = page.getByRole('grid', { name: 'Steps', exact: true });
  await expect(grid).toHaveAttribute('aria-rowcount', String(fast.steps.count + 1));
  await page.getByRole('link', { name: 'Compare', exact: true }).click();
  await expect(page.getByRole('region', { name: 'Run B' })).toContainText(fast.verdict.headline);
});

test('a run beside one without steps, and beside a copy of itself', async ({ page }) => {
  await show(page, compared('idle', 'slow', 'idle'));
  const none = reportOf('idle').verdict.headline;
  await expect(page.getByRole('region', { name: 'Run B' })).toContainText(none);
  await expect(page.locator('.sentence')).toContainText('has no steady steps to compare');
  await expect(page.getByText('Both runs need steady training steps.')).toBeVisible();
  const run = page.getByRole('region', { name: 'Run', exact: true });
  await expect(run.locator('tr[data-row]')).not.toHaveCount(0);
  const rows = await run.locator('tr[data-row]').count();
  await expect(page.locator('tr[data-row]')).toHaveCount(rows);
  await accessible(page);
  await show(page, compared('same', 'slow', 'slow'));
  await expect(page.locator('.sentence')).toContainText('the same time');
  await page.getByRole('region', { name: 'Run B' }).getByRole('link').click();
  await expect(page.getByRole('region', { name: 'Verdict' })).toBeVisible();
});

test('hostile names stay text', async ({ page }) => {
  await show(page, write('hostile', reportOf('hostile')));
  await expect(page.locator('img[src="x"]')).toHaveCount(0);
  expect(await page.title()).not.toBe('owned');
});

test('a page without a report, and with a broken one', async ({ page }) => {
  await show(page, write('other', { schema: 'something/9', run: {} }));
  await expect(page.getByRole('alert')).toContainText('schema');
  const whole = readFileSync(new URL(write('whole', reportOf('slow'))), 'utf8');
  const cut = join(work, 'cut.html');
  writeFileSync(cut, whole.slice(0, whole.indexOf('"verdict"')));
  await show(page, `file://${cut}`);
  await expect(page.getByRole('alert')).toContainText('was cut off or changed on its way');
  const hollow = { report: { schema: reportOf('slow').schema, run: { id: 'x', name: 'x' } } };
  const comparison = { runs: ['x', 'x'], rows: [] };
  await show(page, write('hollow', { runs: [hollow, hollow], comparison }));
  await expect(page.getByRole('alert')).toContainText('the comparison');
  await show(page, write('half', { runs: [{ report: reportOf('slow') }] }));
  await expect(page.getByRole('alert')).toContainText('holds no two runs');
});
