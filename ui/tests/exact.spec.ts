// SPDX-License-Identifier: Apache-2.0
// A drawn figure is told exactly: under the pointer, and to the keyboard, where it is read out as well.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Locator, type Page } from '@playwright/test';
import { percentOf } from '../src/base/format';
import { accessible, grouped, open, test } from './pages';
import { folder, reportOf, run } from './runs';

const part = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });
const told = (of: Locator) => of.locator('.told[aria-live=polite]').first();
const ns = (value: number) => `${grouped(value)} ns`;

/** With Ctrl, as with Alt and Meta, a key is the browser's: what is told stays. */
async function keysOfTheBrowser(page: Page, of: Locator) {
  const said = await of.textContent();
  for (const key of ['ArrowLeft', 'ArrowRight', 'ArrowRight']) {
    await page.keyboard.press(`Control+${key}`);
    expect(await of.textContent()).toBe(said);
  }
}

interface Waiting {
  distributed: { blame: { rank: number; waiters: { rank: number; wait_ns: number }[] }[] };
}

test('who made whom wait', async ({ page }) => {
  const args = ['report', join(folder, 'eight-ranks'), '--section', 'distributed', '--json'];
  const { distributed } = JSON.parse(run(args).toString()) as Waiting;
  const late = distributed.blame[0];
  const first = [...(late?.waiters ?? [])].sort((a, b) => a.rank - b.rank)[0];
  if (!late || !first) throw new Error('the run has some who waited');
  await open(page, '/run/eight-ranks/distributed');
  const matrix = part(page, 'Who made whom wait');
  const figures = matrix.getByRole('group', { name: /^Who made whom wait/ });
  await figures.focus();
  await page.keyboard.press('Home');
  const sentence = `rank ${first.rank} waited ${ns(first.wait_ns)} for rank ${late.rank}`;
  await expect(told(matrix)).toHaveText(sentence);
  await page.keyboard.press('ArrowDown');
  const second = distributed.blame[1];
  await expect(told(matrix)).toHaveText(new RegExp(`for rank ${second?.rank}$`));
  await page.keyboard.press('ArrowUp');
  await expect(told(matrix)).toHaveText(sentence);
  await page.keyboard.press('End');
  await expect(matrix.locator('[data-held]')).toBeInViewport();
  await accessible(page);
  await matrix.locator(`[title="${sentence}"]`).hover();
  await expect(told(matrix)).toHaveText(sentence);
});

test('copies and fills', async ({ page }) => {
  interface Device {
    copies: { kind: string; bytes: number }[];
  }
  const devices = reportOf('two-devices').devices.rows as unknown as Device[];
  const kind = devices[0]?.copies[0]?.kind ?? '';
  const all = devices.flatMap((d) => d.copies.filter((c) => c.kind === kind));
  const bytes = all.reduce((sum, c) => sum + c.bytes, 0);
  await open(page, '/run/two-devices/devices');
  const panel = part(page, 'GPU memory operations');
  await panel.getByRole('group', { name: /^Copies and fills/ }).focus();
  const row = page.locator(`[data-copy="${kind}"]`);
  for (let i = 0; i < 40 && (await row.locator('td:nth-child(3) [data-held]').count()) === 0; i++)
    await page.keyboard.press('ArrowRight');
  await expect(panel.getByText(`${kind}, Bytes: ${grouped(bytes)} bytes`)).toBeVisible();
  // A bar of parts of a whole is read in the same way.
  const shares = part(page, 'GPU active time');
  await shares.getByRole('group', { name: /^GPU active time/ }).focus();
  await page.keyboard.press('ArrowRight');
  await expect(told(shares)).toHaveText(/^Active: [\d.]+ %$/);
  await page.keyboard.press('ArrowRight');
  await expect(told(shares)).toHaveText(/^Active: [\d,]+ ns$/);
});

test('cores over time: values and a stretch by the keyboard', async ({ page }) => {
  await open(page, '/run/slow/system');
  const panel = part(page, 'Every core and GPU');
  const heat = panel.getByRole('application', { name: /^Cores and GPUs over time/ });
  await heat.focus();
  await page.keyboard.press('ArrowDown');
  await expect(told(panel)).toContainText('core 0');
  for (let i = 0; i < 30; i++) await page.keyboard.press('ArrowRight');
  await expect(told(panel)).toHaveText(/\d ns\s+.*\d+(\.\d+)? %|not measured/);
  await keysOfTheBrowser(page, told(panel));
  const before = page.url();
  for (let i = 0; i < 3; i++) await page.keyboard.press('Shift+PageDown');
  await expect(told(panel)).toContainText('73 of 240 columns chosen');
  expect(page.url()).toBe(before);
  await page.keyboard.press('Escape');
  await expect(told(panel)).not.toContainText('chosen');
  for (let i = 0; i < 2; i++) await page.keyboard.press('Shift+PageUp');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/from_ns=\d+&to_ns=\d+/);
  const [from, to] = ['from_ns', 'to_ns'].map((name) =>
    Number(new URLSearchParams(page.url().split('?')[1]).get(name)),
  );
  const cell = reportOf('slow').run.duration_ns / 240;
  expect(((to ?? 0) - (from ?? 0)) / cell).toBeCloseTo(49, 3);
});

test('a series over time', async ({ page }) => {
  await open(page, '/run/slow/steps');
  const panel = part(page, 'Duration of each step');
  const chart = panel.getByRole('application', { name: /^Duration of each step/ });
  await chart.focus();
  await page.keyboard.press('End');
  const steps = JSON.parse(run(['show', join(folder, 'slow'), 'steps', '--json']).toString()) as {
    ts_ns: number;
    dur_ns: number;
  }[];
  const last = steps.reduce((a, b) => (b.ts_ns > a.ts_ns ? b : a));
  await expect(told(panel)).toContainText(ns(last.dur_ns));
  await expect(told(panel)).toContainText(ns(last.ts_ns));
  await keysOfTheBrowser(page, told(panel));
  const before = page.url();
  const drawn = panel.locator('.u-select');
  await page.keyboard.press('Shift+PageUp');
  await expect(drawn).not.toHaveCSS('width', '0px');
  await page.keyboard.press('Escape');
  await expect(drawn).toHaveCSS('width', '0px');
  await page.keyboard.press('End');
  await page.keyboard.press('Shift+PageUp');
  await page.keyboard.press('Shift+ArrowLeft');
  expect(page.url()).toBe(before);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/from_ns=\d+&to_ns=\d+/);
});

test('charts are saved as CSV, by the keyboard too', async ({ page }) => {
  /** Of the part's chart: the name of the file, and its lines. */
  async function saved(name: string, by: (button: Locator) => Promise<void>) {
    const downloading = page.waitForEvent('download');
    await by(part(page, name).getByRole('button', { name: /^Save .* as CSV$/ }));
    const download = await downloading;
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\n');
    return { file: download.suggestedFilename(), head: lines[0], rows: lines.slice(1) };
  }
  await open(page, '/run/slow/steps');
  const steps = JSON.parse(run(['show', join(folder, 'slow'), 'steps', '--json']).toString()) as {
    ts_ns: number;
    dur_ns: number;
  }[];
  steps.sort((a, b) => a.ts_ns - b.ts_ns);
  const curve = await saved('Duration of each step', async () => {
    await part(page, 'Duration of each step').getByRole('application').focus();
    await page.keyboard.press('Tab'); // the button is what follows the chart
    await page.keyboard.press('Enter');
  });
  expect(curve.file).toBe('slow.duration-of-each-step.csv');
  expect(curve.head).toBe('time since the run began (ns),step (ns)');
  expect(curve.rows).toEqual(steps.map((s) => `${s.ts_ns},${s.dur_ns}`));
  const bins = await saved('Spread', (button) => button.click());
  expect(bins.head).toBe('from (ns),to (ns),count');
  const { steady, duration_ns: spread } = reportOf('slow').steps;
  expect(bins.rows.reduce((sum, row) => sum + Number(row.split(',')[2]), 0)).toBe(steady);
  expect(Number(bins.rows[0]?.split(',')[0])).toBe(spread?.min);
  await accessible(page);
  await open(page, '/run/slow/system');
  const heat = await saved('Every core and GPU', (button) => button.click());
  expect(heat.head).toMatch(/^from \(ns\),to \(ns\),core 0 \(share\),/);
  expect(heat.rows).toHaveLength(240);
  await open(page, '/run/eight-ranks/distributed');
  const pairs = await saved('Who made whom wait', (button) => button.click());
  expect(pairs.head).toBe('late rank,waiting rank,wait (ns)');
  const { blame } = reportOf('eight-ranks').distributed as unknown as {
    blame: { rank: number; waiters: { rank: number; wait_ns: number }[] }[];
  };
  expect(pairs.rows).toEqual(
    blame.flatMap((b) => b.waiters.map((w) => `${b.rank},${w.rank},${w.wait_ns}`)),
  );
  await open(page, '/run/sampled/data');
  const flame = await saved('What the threads were doing', (button) => button.click());
  expect(flame.head).toBe('row,row of caller,depth,name,total (ns),own (ns),samples');
  const [all] = flame.rows.map((row) => row.split(','));
  // Own times sum to the whole, however narrow the boxes are.
  const own = flame.rows.map((row) => Number(row.split(',').at(-2)));
  expect(own.reduce((sum, ns) => sum + ns, 0)).toBe(Number(all?.[4]));
});

test('how steps are spread', async ({ page }) => {
  await open(page, '/run/slow/steps');
  const { duration_ns: spread } = reportOf('slow').steps;
  const panel = part(page, 'Spread');
  const exact = panel.locator('.told [data-exact]');
  await expect(exact.first()).toHaveAttribute('data-exact', ns(spread?.p50 ?? 0));
  const bars = panel.getByRole('application', { name: /^Durations of steps/ });
  await bars.focus();
  await page.keyboard.press('Home');
  await expect(panel.locator('.told')).toContainText(`${ns(spread?.min ?? 0)} to below`);
  await keysOfTheBrowser(page, panel.locator('.told'));
  await page.keyboard.press('End');
  await expect(panel.locator('.told')).toContainText(` to ${ns(spread?.max ?? 0)}: `);
});

test('marks of the run in time', async ({ page }) => {
  const { outliers } = reportOf('slow').steps;
  await open(page, '/run/slow/overview');
  const marks = page.locator('[data-lane="Slow steps"]');
  await expect(marks).toHaveCount(outliers.length);
  for (const [i, outlier] of outliers.entries())
    await expect(marks.nth(i)).toHaveAttribute('aria-label', new RegExp(ns(outlier.dur_ns)));
});

test('the figures of the overview, to the keyboard and as CSV', async ({ page }) => {
  const { suspects, steps, run: about } = reportOf('slow');
  await open(page, '/run/slow/overview');
  await page.getByRole('group', { name: /^The run in figures/ }).focus();
  await page.keyboard.press('Home');
  await expect(page.locator('main')).toContainText(`Run time: ${ns(about.duration_ns)}`);
  const panel = part(page, 'Where a step goes');
  await panel.getByRole('group', { name: /^Where a step goes/ }).focus();
  await page.keyboard.press('Home');
  const largest = [...suspects.rows].sort((a, b) => b.share - a.share)[0];
  await expect(told(panel.locator('.content'))).toContainText(
    `Share: ${percentOf(largest?.share ?? 0)} %`,
  );
  for (const [of, head] of [
    [panel, 'cause,stage,share,time a step (ns)'],
    [part(page, 'The run in time'), 'lane,from (ns),to (ns),what'],
  ] as const) {
    const downloading = page.waitForEvent('download');
    await of.getByRole('button', { name: /^Save .* as CSV$/ }).click();
    const lines = readFileSync(await (await downloading).path(), 'utf8').split('\n');
    expect(lines[0]).toBe(head);
    if (of === panel) expect(lines[1]).toContain(`,${largest?.share ?? 0},`);
    else
      expect(lines.filter((line) => line.startsWith('Slow'))).toHaveLength(steps.outliers.length);
  }
  await panel.getByRole('group', { name: 'Note on Where a step goes' }).focus();
  await page.keyboard.press('End');
  await expect(told(panel)).toHaveText(ns(steps.duration_ns?.mean ?? 0));
  await accessible(page);
});

const isShare = ({ unit }: { unit: string }) => unit === 'share';

test('what is copied is exact: sentences, a part of a figure, and the cells of a table', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const copied = async (of: Locator) => {
    await of.evaluate((node) => getSelection()?.selectAllChildren(node));
    await page.keyboard.press('Control+c');
    return page.evaluate(() => navigator.clipboard.readText());
  };
  const { steps, verdict, suspects } = reportOf('slow');
  await open(page, '/run/slow/overview');
  const where = part(page, 'Where a step goes');
  const mean = ns(steps.duration_ns?.mean ?? 0);
  expect(await copied(where.locator('.note'))).toBe(
    `Mean of ${steps.steady} steady steps, ${mean}`,
  );
  const low = `${percentOf(verdict.share_low)} and ${percentOf(verdict.share_high)} %`;
  const said = await copied(page.getByRole('region', { name: 'Verdict' }));
  expect(said).toContain(`${percentOf(verdict.share)} % of the step`);
  // Where both ends round to the same there is none to say.
  const ends = [verdict.share_low, verdict.share_high].map((end) => Math.round(100 * (end ?? 0)));
  if (ends[0] !== ends[1]) {
    expect(said).toContain('the 95 % interval');
    expect(said).toContain(`(${low.slice(0, -2).replace(' and ', '-')})`);
  }
  const evidence = await copied(page.getByRole('region', { name: 'Evidence' }));
  const shares = verdict.evidence.flatMap((one) => one.figures ?? []).filter(isShare);
  expect(shares.length).toBeGreaterThan(0);
  for (const { value } of shares) expect(evidence).toContain(`${percentOf(value ?? 0)} %`);

  const largest = [...suspects.rows].sort((a, b) => b.share - a.share)[0];
  const lines = (await copied(where.getByRole('table'))).split('\n');
  expect(lines[0]).toBe('Cause\tShare\tTime a step\tStages');
  expect(lines[1]?.split('\t')[1]).toBe(`${percentOf(largest?.share ?? 0)} %`);

  await page.locator('.facts .num').first().dblclick();
  await page.keyboard.press('Control+c');
  const whole = ns(reportOf('slow').run.duration_ns);
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(whole);

  await open(page, '/compare/slow/fast');
  const [a, b] = ['slow', 'fast'].map((id) => ns(reportOf(id).steps.duration_ns?.mean ?? 0));
  const sentence = await copied(page.locator('.view', { has: page.locator('.sentence') }));
  expect(sentence).toContain(`[A ${a}, B ${b} a step in the mean]`);
});
