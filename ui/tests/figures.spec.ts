// SPDX-License-Identifier: Apache-2.0
// The figures on the pages are those of `steptrace report --json`, exactly.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from '@playwright/test';
import { percentOf } from '../src/base/format';
import { exact, grouped, open, settled, test } from './pages';
import {
  folder,
  makePricedRun,
  PRICE,
  pricedFolder,
  reportOf,
  run as output,
  steptrace,
} from './runs';

const ns = (value: number) => `${grouped(value)} ns`;
const share = (value: number) => `${percentOf(value)} %`;

for (const run of ['slow', 'eight-ranks']) {
  test.describe(run, () => {
    test('overview', async ({ page }) => {
      const report = reportOf(run);
      await open(page, `/run/${run}/overview`);
      const verdict = page.getByRole('region', { name: 'Verdict' });
      await expect(verdict).toHaveAttribute('data-status', report.verdict.status);
      for (const suspect of report.suspects.rows.filter((s) => s.share > 0)) {
        const row = `[data-suspect="${suspect.name}"]`;
        expect((await exact(page, row))[0]).toBe(share(suspect.share));
      }
      const { initialization_ns, training_ns, finalization_ns } = report.phases;
      for (const [phase, value] of Object.entries({
        initialization_ns,
        training_ns,
        finalization_ns,
      })) {
        if (!value) continue;
        const shown = await exact(page, `[data-phase="${phase.replace('_ns', '')}"]`);
        expect(shown[0]).toBe(ns(value));
      }
      for (const { text } of report.verdict.evidence)
        await expect(page.getByText(text, { exact: true })).toBeVisible();
      // What stands between backticks is code there.
      for (const { text } of report.verdict.advice)
        await expect(
          page.getByText(text.replace(/`([^`]+)`/g, '$1'), { exact: true }),
        ).toBeVisible();
    });

    test('steps', async ({ page }) => {
      const { steps } = reportOf(run);
      await open(page, `/run/${run}/steps`);
      const shown = await exact(page, 'main dl');
      expect(shown.slice(0, 3)).toEqual([steps.count, steps.steady, steps.warm_up].map(String));
      const d = steps.duration_ns;
      if (!d) throw new Error('the run has steps');
      const all = [d.mean, d.min, d.p50, d.p90, d.p95, d.p99, d.max].map(ns);
      expect(shown.slice(-7)).toEqual(all);
      const slow = page.getByRole('grid', { name: 'Slow steps' });
      if (steps.outliers.length > 0)
        await expect(slow).toHaveAttribute('aria-rowcount', String(steps.outliers.length + 1));
      else await expect(slow).toHaveCount(0);
    });
  });
}

/** What the terminal says: the paragraph after `Verdict:`, on one line. */
function terminalVerdict(id: string): string {
  const lines = output(['report', join(folder, id)])
    .toString()
    .split('\n');
  const at = lines.findIndex((line) => line.startsWith('Verdict: '));
  const after = lines.slice(at + 1);
  const more = after.slice(
    0,
    after.findIndex((line) => !/^ {9}\S/.test(line)),
  );
  return [lines[at]?.slice('Verdict: '.length) ?? '', ...more.map((line) => line.trim())].join(' ');
}

for (const id of ['slow', 'fast', 'hashing', 'idle', 'eight-ranks', 'two-devices', 'v100']) {
  test(`the verdict of ${id} in the words of the terminal`, async ({ page }) => {
    test.skip(!existsSync(join(folder, id)), 'no real profiles here');
    await open(page, `/run/${id}/overview`);
    const verdict = page.getByRole('region', { name: 'Verdict' });
    const heading = await verdict.getByRole('heading').innerText();
    const [first = '', ...rest] = terminalVerdict(id).split('; up to ');
    expect(heading.toLowerCase()).toBe(first.toLowerCase());
    for (const gain of rest)
      await expect(verdict).toContainText(`p to ${gain.replace(/x (?=faster)/, '× ')}`);
    if (id === 'hashing') expect(heading).toContain('hashlib.sha256');
  });
}

test('the saving in money, where a price is given', async ({ page }) => {
  test.skip(process.env.UI_DEV === '1', 'the development server knows no price');
  makePricedRun();
  const saving = reportOf('loader', PRICE, pricedFolder).verdict.at_most_saving;
  if (!saving?.money) throw new Error('the run has something to save');
  const server = spawn(steptrace, ['ui', pricedFolder, '--port', '0', ...PRICE], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = (await once(createInterface(server.stdout), 'line')) as [string];
    await page.goto(`${line.split(' ')[0] ?? ''}#/run/loader/overview`);
    await settled(page);
    const told = page.getByRole('region', { name: 'Verdict' }).locator('.saving');
    await expect(told).toContainText('at the price that was set');
    expect(await exact(page, '.saving')).toEqual([ns(saving.ns), String(saving.money)]);
  } finally {
    server.kill('SIGINT');
  }
});

test('data pipeline', async ({ page }) => {
  const { data_pipeline: data } = reportOf('slow');
  await open(page, '/run/slow/data');
  expect(data.status).toBe('found');
  for (const stage of data.stages.filter((s) => s.share > 0))
    expect((await exact(page, `[data-stage="${stage.name}"]`))[0]).toBe(share(stage.share));
  expect(await exact(page, 'main dl')).toContain(String(data.starved_waits));
});

test('system', async ({ page }) => {
  const { system } = reportOf('slow');
  await open(page, '/run/slow/system?stats.q=job.rss_bytes');
  const row = system.rows.find((r) => r.metric === 'job.rss_bytes');
  if (!row) throw new Error('the run has the metric');
  // The node's own lines, not those of single cores.
  await expect(page.getByRole('application', { name: /^CPU: busy, system/ })).toBeVisible();
  await expect(page.getByRole('application', { name: /^Memory: used, job rss/ })).toBeVisible();
  const grid = page.getByRole('grid', { name: 'Statistics of metrics' });
  const shown = await grid
    .locator('.body [data-exact]')
    .evaluateAll((nodes) => nodes.map((n) => (n as HTMLElement).dataset.exact));
  const bytes = (v: number) => `${grouped(v)} bytes`;
  expect(shown.slice(0, 6)).toEqual(
    [row.mean, row.min, row.p50, row.p95, row.p99, row.max].map(bytes),
  );
});

test('throughput and memory limits of a recorded run', async ({ page }) => {
  const { throughput, memory_limits: limits } = reportOf('slow');
  await open(page, '/run/slow/overview');
  const samples = page.locator('.stat').filter({ hasText: 'Samples' }).locator('[data-exact]');
  const told = (await samples.getAttribute('data-exact')) ?? '';
  expect(Number(told.replace(/[^\d.]/g, ''))).toBeCloseTo(throughput.samples_per_s ?? NaN, 6);
  await open(page, '/run/slow/system');
  expect(limits.rows.length).toBeGreaterThan(0);
  for (const [i, { of, peak_bytes, limit_bytes, left_bytes }] of limits.rows.entries()) {
    const table = page.getByRole('region', { name: 'How full memory was' });
    const row = table.locator('tbody tr').nth(i);
    await expect(row).toHaveAttribute('data-row', of);
    const figures = await row
      .locator('[data-exact]')
      .evaluateAll((nodes) => nodes.map((n) => (n as HTMLElement).dataset.exact));
    for (const bytes of [peak_bytes, limit_bytes, left_bytes])
      expect(figures).toContain(`${grouped(bytes)} bytes`);
  }
});

test('classes of kernels and the critical path of a profile', async ({ page }) => {
  const { kernel_classes: classes, critical_path: path } = reportOf('eight-ranks');
  await open(page, '/run/eight-ranks/overview');
  const card = page.getByRole('region', { name: 'Critical path' });
  const causes = (path.window?.causes ?? []).filter(({ ns: value }) => value > 0);
  expect(causes.length).toBeGreaterThan(0);
  const parts = await card
    .locator('li [data-exact]')
    .evaluateAll((nodes) => nodes.map((n) => (n as HTMLElement).dataset.exact));
  expect(parts.filter((_, i) => i % 2 === 1)).toEqual(causes.map((one) => ns(one.ns)));
  // What a replay of the window gives is named so: the verdict's bound is another figure.
  for (const heading of await card.locator('th.figure').allTextContents())
    expect(heading).toContain('of the window');
  await open(page, '/run/eight-ranks/kernels');
  const table = page.getByRole('region', { name: 'By class' });
  for (const one of classes.rows) {
    const figures = await exact(page, `[data-row="${one.class}"]`);
    expect(figures.slice(0, 2)).toEqual([share(one.share), ns(one.total_ns)]);
  }
  await expect(table.locator('tbody tr')).toHaveCount(classes.rows.length);
});

test('copying takes the exact figure', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await open(page, '/run/slow/overview');
  const figure = page.locator('main dl .num').first();
  const wanted = await figure.getAttribute('data-exact');
  await figure.evaluate((node) => {
    const range = document.createRange();
    range.selectNode(node);
    const selection = getSelection();
    selection?.removeAllRanges();
    selection?.addRange(range);
    document.execCommand('copy');
  });
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(wanted);
});
