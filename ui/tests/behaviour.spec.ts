// SPDX-License-Identifier: Apache-2.0
// What a reader does: choosing, going back, the keyboard; and what may go wrong.
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { accessible, address, grouped, open, settled, test } from './pages';
import { folder, HOSTILE, live, MEGABYTES, python, reportOf, run, steptrace } from './runs';

test('from the runs to the evidence in two clicks', async ({ page }) => {
  await open(page, '/runs?runs.q=slow');
  await page
    .getByRole('link', { name: reportOf('slow').run.name })
    .first()
    .click();
  await expect(page.getByRole('region', { name: 'Verdict' })).toBeVisible();
  await page.getByRole('region', { name: 'Evidence' }).getByRole('link').first().click();
  await settled(page);
  expect(page.url()).not.toContain('/overview');
});

test('a link to a rule shows its card', async ({ page }) => {
  const last = reportOf('slow').rules.rows.findLast((r) => r.status === 'not_applicable');
  if (!last) throw new Error('some rule does not apply');
  await open(page, '/run/slow/rules');
  await expect(page.locator('article.pointed')).toHaveCount(0);
  await open(page, `/run/slow/rules?rule=${last.name}`);
  const card = page.locator('article.pointed');
  await expect(card.locator(`h2[title="${last.name}"]`)).toBeInViewport();
  await accessible(page);
  await open(page, '/run/slow/overview');
  await page
    .getByRole('region', { name: 'Evidence' })
    .getByRole('link', { name: 'rule Dataloader found issues' })
    .click();
  await expect(card.locator('h2[title="Dataloader"]')).toBeInViewport();
});

test('evidence of a rule leads to the steps that it names', async ({ page }) => {
  await open(page, '/run/slow/rules?set=Dataloader.window%3D20');
  const evidence = page.locator('[data-rule="Dataloader"] li').nth(1);
  const named = /steps (\d+) to (\d+)/.exec((await evidence.textContent()) ?? '');
  const [first, last] = [Number(named?.[1]), Number(named?.[2])];
  expect(last - first).toBe(19);
  await evidence.getByRole('link', { name: 'show' }).click();
  await expect(page).toHaveURL(/\/steps\?/);
  const rows = page.getByRole('grid', { name: 'Steps', exact: true });
  await expect(rows).toHaveAttribute('aria-rowcount', '21'); // the heading is one
  const steps = await rows
    .locator('[role="row"]:not(.head) [role="gridcell"]:first-child')
    .allTextContents();
  const numbers = steps.map(Number).sort((a, b) => a - b);
  expect([numbers.at(0), numbers.at(-1)]).toEqual([first, last]);
});

test('evidence of what is missing leads to where it is listed', async ({ page }) => {
  const path = join(folder, 'hookless');
  rmSync(path, { recursive: true, force: true });
  run(['run', '--output', path, '--', python, '-S', '-c', 'pass']);
  await open(page, '/run/hookless/overview');
  const missing = page.getByRole('region', { name: 'What is missing' });
  await page.setViewportSize({ width: 1280, height: 300 });
  await expect(missing).not.toBeInViewport();
  await page.getByRole('region', { name: 'Evidence' }).getByRole('link').first().click();
  await expect(page).toHaveURL(/overview\?part=missing/);
  await expect(missing).toBeInViewport();
  rmSync(path, { recursive: true, force: true });
});

test('a line that advice names opens in the editor; evidence leads to the panel that shows it', async ({
  page,
}) => {
  await open(page, '/run/slow/overview');
  const advice = page.getByRole('region', { name: 'What to change' });
  const line = advice.getByRole('link', { name: /^training\.py:\d+$/ }).first();
  await expect(line).toHaveAttribute('href', /\/training\.py:\d+/);
  await accessible(page);
  const evidence = page.getByRole('region', { name: 'Evidence' });
  await evidence.getByRole('link', { name: /stack samples/ }).click();
  await expect(page).toHaveURL(/\/data\?part=stacks/);
  const stacks = page.getByRole('region', { name: 'What the threads were doing' });
  await expect(stacks).toBeInViewport();
  await settled(page);
  await expect(stacks).toBeInViewport({ ratio: 0.5 });
});

test('two chosen runs are compared', async ({ page }) => {
  await open(page, '/runs');
  const grid = page.getByRole('grid', { name: 'Runs' });
  await grid.getByRole('checkbox').nth(0).check();
  await expect(page.getByRole('link', { name: 'Compare the two' })).toHaveCount(0);
  await grid.getByRole('checkbox').nth(1).check();
  await page.getByRole('link', { name: 'Compare the two' }).click();
  await expect(page).toHaveURL(/#\/compare\//);
});

test('a stretch chosen by the keyboard holds in every view, and goes back', async ({ page }) => {
  await open(page, '/run/slow/steps');
  const chart = page.getByRole('application', { name: /^Duration of each step/ });
  await chart.focus();
  await page.keyboard.press('ArrowRight');
  for (let i = 0; i < 8; i++) await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/from_ns=\d+&to_ns=\d+/);
  await expect(page.getByText('Steps in the time range').first()).toBeVisible();
  await page.getByRole('link', { name: 'System', exact: true }).click();
  await expect(page).toHaveURL(/\/system\?from_ns=\d+/);
  await page.keyboard.press('Escape');
  await expect(page).not.toHaveURL(/from_ns/);
  await page.goBack();
  await expect(page).toHaveURL(/from_ns/);
});

test('a stretch dragged over a chart', async ({ page }) => {
  await open(page, '/run/slow/steps');
  const box = await page.getByRole('application', { name: /^Duration of each step/ }).boundingBox();
  if (!box) throw new Error('the chart is drawn');
  await page.mouse.move(box.x + box.width * 0.4, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 80, { steps: 5 });
  await page.mouse.up();
  await expect(page).toHaveURL(/from_ns=\d+&to_ns=\d+/);
});

test('the dot nearest to the pointer is named, and a click on it sets it against the median step', async ({
  page,
}) => {
  const { outliers, duration_ns: spread } = reportOf('slow').steps;
  const [slowest] = outliers;
  if (!slowest || !spread) throw new Error('a step is slow');
  await open(page, '/run/slow/steps');
  const panel = page.getByRole('region', { name: 'Duration of each step' });
  const plot = panel.locator('.u-over');
  const box = await plot.boundingBox();
  if (!box) throw new Error('the chart is drawn');
  const steps = JSON.parse(run(['show', join(folder, 'slow'), 'steps', '--json']).toString()) as {
    ts_ns: number;
    dur_ns: number;
    model_ns: number;
  }[];
  const from = Math.min(...steps.map((s) => s.ts_ns));
  const to = Math.max(...steps.map((s) => s.ts_ns + s.dur_ns));
  // Right of it and as high: by time alone another step would be nearer.
  const x = box.x + ((slowest.ts_ns - from) / (to - from)) * box.width + 12;
  const y = box.y + box.height * (1 - slowest.dur_ns / (spread.max * 1.05)) + 4;
  await page.mouse.move(x, y);
  await expect(panel.locator('.told')).toContainText(`step ${slowest.step}`);
  await expect(panel.locator('.told')).toContainText(`${grouped(slowest.dur_ns)} ns`);
  await page.mouse.click(x, y);
  const end = slowest.ts_ns + slowest.dur_ns;
  await expect(page).toHaveURL(new RegExp(`from_ns=${slowest.ts_ns}&to_ns=${end}`));
  const against = page.getByRole('region', {
    name: `Step ${slowest.step} against the median step`,
  });
  const model = against.getByRole('row').filter({ hasText: /model/ });
  const here = steps.find((s) => s.ts_ns === slowest.ts_ns)?.model_ns ?? -1;
  await expect(model.locator(`[title="${grouped(here)} ns"]`)).toHaveCount(1);
  await accessible(page);
});

test('a run is shared: its link, the report as a file, the run for other tools', async ({
  page,
}) => {
  await open(page, '/run/slow/steps');
  await page.getByRole('banner').getByRole('button', { name: 'Share' }).click();
  const dialog = page.getByRole('dialog', { name: 'Share and export' });
  await accessible(page);
  async function saved(name: string) {
    const downloading = page.waitForEvent('download');
    await dialog.getByRole('link', { name, exact: true }).click();
    const download = await downloading;
    return {
      file: download.suggestedFilename(),
      bytes: readFileSync(await download.path()),
    };
  }
  const report = await saved('Save as HTML');
  expect(report.file).toMatch(/\.report\.html$/);
  // Not the text itself, which a failure would print whole.
  expect(/"schema": ?"steptrace.report\/2"/.test(report.bytes.toString())).toBe(true);
  const { bytes } = await saved('CSV');
  const { count } = reportOf('slow').steps;
  expect(bytes.toString().trimEnd().split('\n')).toHaveLength(count + 1);
  expect((await saved('Parquet')).bytes.subarray(0, 4).toString()).toBe('PAR1');
  expect((await saved('Perfetto')).bytes.length).toBeGreaterThan(1000);
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
});

test('a table by the keyboard', async ({ page }) => {
  await open(page, '/run/slow/steps');
  const grid = page.getByRole('grid', { name: 'Steps', exact: true });
  await grid.focus();
  await page.keyboard.press('End');
  const count = Number(await grid.getAttribute('aria-rowcount'));
  await expect(grid.locator(`[aria-rowindex="${count}"]`)).toBeInViewport();
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/from_ns=/);
});

test('sorting stands in the address', async ({ page }) => {
  await open(page, '/run/slow/steps');
  const grid = page.getByRole('grid', { name: 'Steps', exact: true });
  await grid.getByRole('button', { name: 'Duration' }).click();
  await expect(page).toHaveURL(/steps\.sort=-dur/);
  const head = grid.getByRole('columnheader', { name: 'Duration' });
  await expect(head).toHaveAttribute('aria-sort', 'descending');
  await page.reload();
  await expect(head).toHaveAttribute('aria-sort', 'descending');
});

test('the theme is kept', async ({ page }) => {
  await open(page, '/runs');
  const before = await page.locator('html').getAttribute('data-theme');
  await page.getByRole('button', { name: /Switch to/ }).click();
  const after = await page.locator('html').getAttribute('data-theme');
  expect(after).not.toBe(before);
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-theme', after ?? '');
});

test('the list of keys opens, is accessible and closes', async ({ page }) => {
  await open(page, '/run/slow/overview');
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keys and controls' })).toBeVisible();
  await accessible(page);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.keyboard.press(']');
  await expect(page).not.toHaveURL(/overview/);
});

test('names are text, however hostile', async ({ page }) => {
  for (const at of [
    '/runs',
    '/run/hostile/overview',
    '/run/hostile/operators',
    '/run/hostile/kernels',
  ]) {
    await open(page, at);
    await expect(page.locator('img[src="x"]')).toHaveCount(0);
    expect(await page.title()).not.toBe('owned');
    const shown = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('[title], [aria-label], [data-exact]')]
        .flatMap((e) => [e.title, e.ariaLabel, e.dataset.exact])
        .concat(document.title, document.body.innerText)
        .join(),
    );
    expect(shown).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b-\u200f]/);
    const wider = await page.evaluate(
      () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
    );
    expect(wider).toBe(false);
  }
  await open(page, '/run/hostile/overview');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(HOSTILE);
});

test('names of a megabyte are cut, and told apart', async ({ page }) => {
  let received = 0;
  page.on('response', (response) => {
    if (response.url().includes('/api/'))
      void response.body().then(
        (body) => (received += body.length),
        () => undefined, // of one that was given up
      );
  });
  for (const [view, grid] of [
    ['operators', 'Operators'],
    ['kernels', 'Kernels'],
  ] as const) {
    await open(page, `/run/megabytes/${view}`);
    const rows = page.getByRole('grid', { name: grid });
    await expect(rows).toHaveAttribute('aria-rowcount', String(MEGABYTES + 1));
    const size = await page.evaluate(() => new XMLSerializer().serializeToString(document).length);
    expect(size).toBeLessThan(1_000_000);
    await rows.getByRole('button', { name: 'Calls' }).click();
    await expect(page).toHaveURL(/sort=-calls/);
  }
  for (const view of ['overview', 'devices', 'timeline', 'rules'])
    await open(page, `/run/megabytes/${view}`);
  const size = await page.evaluate(() => new XMLSerializer().serializeToString(document).length);
  expect(size).toBeLessThan(1_000_000);
  // The ranges of the devices' view are rows of a table, in which names are whole: once each.
  expect(received).toBeLessThan((MEGABYTES + 4) * 1_000_000);
});

test('of a stretch in which nothing lies it is not said that the run has none', async ({
  page,
}) => {
  await open(page, '/run/slow/system?from_ns=1&to_ns=2');
  await expect(page.locator('main')).toContainText('No reading in the selected time range');
  await open(page, '/run/slow/data?from_ns=1&to_ns=2');
  await expect(page.locator('main')).toContainText('Not applicable to the selected time range');
  await expect(page.locator('main')).not.toContainText('this run');
});

test('the rules of a selected time range are of the steps that lie in it', async ({ page }) => {
  await open(page, '/run/slow/rules');
  await expect(page.getByText('Evaluated over the selected time range alone')).toHaveCount(0);
  await open(page, '/run/slow/rules?from_ns=1&to_ns=2');
  await expect(page.getByText('Evaluated over the selected time range alone')).toBeVisible();
  const begin = page.getByRole('article', { name: 'Max initialization time' });
  await expect(begin).toContainText('the start of the run, which this time range leaves out');
  await expect(page.getByRole('article', { name: 'Step outlier' })).toContainText('no step');
});

test('a value that a rule does not take is told, and fixed where it was typed', async ({
  page,
}) => {
  await open(page, '/run/slow/rules?set=StepOutlier.stddev%3D-5');
  await expect(page.getByText('StepOutlier.stddev=-5: not a number over 0')).toBeVisible();
  const card = page.getByRole('article', { name: 'Step outlier' });
  await expect(card.getByRole('textbox', { name: /^stddev/ })).toHaveValue('-5');
  await card.getByRole('textbox', { name: /^stddev/ }).fill('200');
  await card.getByRole('textbox', { name: /^stddev/ }).press('Enter');
  await expect(page.getByText('not a number over 0')).toHaveCount(0);
  await expect(card).toContainText('no issue');
});

test('copying takes a name whole', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await open(page, '/run/megabytes/kernels');
  await page.getByRole('grid', { name: 'Kernels' }).focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Control+c');
  const copied = () => page.evaluate(async () => (await navigator.clipboard.readText()).length);
  await expect.poll(copied).toBeGreaterThan(1_000_000);
  const text = await page.evaluate(() => navigator.clipboard.readText());
  expect(text).toMatch(/(^|\n|\t)m{1000000}\d+\t/);
  expect(text).not.toContain('… [');
});

test.describe('a selected time range', () => {
  // Read when a test runs: the runs are made after the tests are listed.
  const middle = () => {
    const role = reportOf('eight-ranks').roles.rows[8];
    if (!role) throw new Error('the run has roles by step');
    return `from_ns=${role.ts_ns}&to_ns=${role.ts_ns + role.total_ns}`;
  };
  const section = async (name: string, params: string) =>
    (await fetch(`${address()}/api/runs/eight-ranks/section/${name}?${params}`)).json() as Promise<
      Record<string, { rows: { calls: number }[] }>
    >;
  for (const [view, stat] of [
    ['operators', 'Calls'],
    ['kernels', 'Launches'],
  ] as const) {
    test(`${view} follow it`, async ({ page }) => {
      const query = middle();
      const calls = async (params: string) =>
        ((await section(view, params))[view]?.rows ?? []).reduce((sum, row) => sum + row.calls, 0);
      const [part, whole] = [await calls(query), await calls('')];
      expect(part).toBeGreaterThan(0);
      expect(part).toBeLessThan(whole / 2);
      await open(page, `/run/eight-ranks/${view}?${query}`);
      const shown = page
        .locator('main dl > div', { hasText: stat })
        .locator('[data-exact]')
        .first();
      await expect(shown).toHaveAttribute('data-exact', grouped(part));
      await page.reload();
      await expect(shown).toHaveAttribute('data-exact', grouped(part));
      await page.keyboard.press('Escape');
      await expect(shown).toHaveAttribute('data-exact', grouped(whole));
    });
  }
  for (const view of ['memory', 'distributed', 'devices', 'modules']) {
    test(`${view} follows it`, async ({ page }) => {
      const query = middle();
      const asked = page.waitForRequest((request) =>
        request.url().includes(`/section/${view}?${query}`),
      );
      await open(page, `/run/eight-ranks/${view}?${query}`);
      expect((await (await asked).response())?.status()).toBe(200);
      await expect(page.getByRole('alert')).toHaveCount(0);
    });
  }
});

test('no path leaves the folder', async ({ page }) => {
  await open(page, `/run/${encodeURIComponent('../../etc/passwd')}/overview`);
  await expect(page.getByRole('alert')).toBeVisible();
});

test('failures are shown with what to do', async ({ page }) => {
  const body = { error: { cause: 'the run: is locked', next_step: 'wait a moment' } };
  await page.route('**/report*', (route) => route.fulfill({ status: 503, json: body }));
  await open(page, '/run/slow/overview');
  const alert = page.getByRole('alert').first();
  await expect(alert).toContainText('the run: is locked');
  await expect(alert).toContainText('wait a moment');
  await page.unroute('**/report*');
  await alert.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('region', { name: 'Verdict' })).toBeVisible();
});

for (const [name, answer] of [
  ['cut off', { status: 200, body: '{"schema": "steptr' }],
  ['no JSON in an error', { status: 500, body: '<html>proxy</html>' }],
] as const) {
  test(`an answer that is ${name}`, async ({ page }) => {
    await page.route('**/report*', (route) => route.fulfill(answer));
    await open(page, '/run/slow/overview');
    await expect(page.getByRole('alert').first()).toBeVisible();
  });
}

test('readings that cannot be had are not told to be none', async ({ page }) => {
  const body = { error: { cause: 'the run: is locked', next_step: 'wait a moment' } };
  await page.route('**/series*', (route) => route.fulfill({ status: 500, json: body }));
  await open(page, '/run/slow/devices');
  const cpu = page.getByRole('region', { name: 'CPU utilisation over time' });
  await expect(cpu.getByRole('alert')).toContainText('the run: is locked');
  await expect(page.getByText('Not measured')).toHaveCount(0);
  await page.unroute('**/series*');
  await cpu.getByRole('button', { name: 'Try again' }).click();
  await expect(cpu.getByRole('application', { name: /^CPU utilisation/ })).toBeVisible();
});

test('a table that is cut off', async ({ page }) => {
  await page.route('**/table/steps*', async (route) => {
    const response = await route.fetch();
    const body = await response.body();
    await route.fulfill({ response, body: body.subarray(0, body.length / 3) });
  });
  await open(page, '/run/slow/steps');
  await expect(page.getByRole('alert').first()).toBeVisible();
});

test('a server that is gone', async ({ page }) => {
  await open(page, '/run/slow/overview');
  await page.route('**/api/**', (route) => route.abort());
  await page.getByRole('link', { name: 'System', exact: true }).click();
  await expect(page.getByRole('alert').first()).toContainText('is steptrace ui still running?');
});

test('a run that has stopped says since when, and asks again when it goes on', async ({ page }) => {
  const event = { status: 'in_progress', steps: 7, to_ns: 5e9 };
  let generation = 1;
  let stopped: number | null = 4e9;
  await page.route('**/api/runs/slow/events', (route) => {
    const data = { ...event, generation, stopped_since_ns: stopped };
    const body = `retry: 300\nevent: run\ndata: ${JSON.stringify(data)}\n\n`;
    return route.fulfill({ contentType: 'text/event-stream', body });
  });
  let asked = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/slow/report')) asked += 1;
  });
  await open(page, '/run/slow/overview');
  await expect(page.getByText(/^stopped since \d\d:\d\d:\d\d$/)).toBeVisible();
  const before = asked;
  [generation, stopped] = [2, null];
  await expect(page.getByText('live', { exact: true })).toBeVisible();
  await expect.poll(() => asked).toBeGreaterThan(before);
});

test('the row of a run that goes on is kept up to date', async ({ page }) => {
  let steps = 7;
  await page.route('**/api/events', () => {}); // nothing tells of a change
  await page.route('**/api/runs', async (route) => {
    const answer = (await (await route.fetch()).json()) as { runs: Record<string, unknown>[] };
    const runs = answer.runs.map((run) =>
      run.id === 'slow' ? { ...run, status: 'in_progress', steps } : run,
    );
    return route.fulfill({ json: { ...answer, runs } });
  });
  await open(page, '/runs?runs.q=slow');
  await expect(page.getByRole('gridcell', { name: '7', exact: true })).toBeVisible();
  steps = 9;
  await expect(page.getByRole('gridcell', { name: '9', exact: true })).toBeVisible();
});

/** A training that goes on while `seen` looks at it. */
async function whileTraining(id: string, seen: () => Promise<void>) {
  const path = join(folder, id);
  rmSync(path, { recursive: true, force: true });
  const training = spawn(steptrace, live(path, 10_000, 0.02), { stdio: 'ignore' });
  try {
    await expect
      .poll(async () => (await fetch(`${address()}/api/runs/${id}/report`)).status, {
        timeout: 120_000,
      })
      .toBe(200);
    await seen();
  } finally {
    const ended = new Promise((resolve) => training.once('exit', resolve));
    if (training.kill('SIGINT')) await ended;
    rmSync(path, { recursive: true, force: true });
  }
}

test('a run that goes on grows', async ({ page }) => {
  test.skip(process.env.UI_DEV === '1', 'the development server tells no changes');
  test.setTimeout(480_000); // the training begins as late as the machine lets it
  await whileTraining('growing', async () => {
    await open(page, '/run/growing/steps');
    await expect(page.getByText('live', { exact: true })).toBeVisible({ timeout: 120_000 });
    const count = async () =>
      Number(await page.locator('main dl .num').first().getAttribute('data-exact'));
    await expect.poll(count, { timeout: 120_000 }).toBeGreaterThan(3);
    const before = await count();
    await expect.poll(count, { timeout: 120_000 }).toBeGreaterThan(before);
  });
});

test('steps of a training that goes on are captured from its page', async ({ page }) => {
  test.skip(process.env.UI_DEV === '1', 'the development server captures nothing');
  test.setTimeout(480_000);
  await whileTraining('captured-now', async () => {
    await open(page, '/run/captured-now/overview');
    // Until something trains there is nothing to capture.
    await expect(page.getByText(/Mean of [0-9,]+ steady steps/)).toBeVisible({ timeout: 120_000 });
    await page
      .getByRole('banner')
      .getByRole('button', { name: 'Capture' })
      .click({ timeout: 120_000 });
    const dialog = page.getByRole('dialog', { name: 'Capture steps now' });
    await accessible(page);
    await dialog.getByLabel('Steps').fill('3');
    await dialog.getByRole('button', { name: 'Capture' }).click();
    // It leads to the captured steps, in which there are operators now.
    await expect(page).toHaveURL(/\/timeline\?.*from_ns=\d+/, { timeout: 120_000 });
    await expect(dialog).toBeHidden();
    await expect
      .poll(
        async () => {
          const answer = await fetch(`${address()}/api/runs/captured-now/section/operators`);
          const { operators } = (await answer.json()) as { operators: { rows: unknown[] } };
          return operators.rows.length;
        },
        { timeout: 120_000 },
      )
      .toBeGreaterThan(0);
  });
});

test('on a phone a page is as wide as the screen, and what is wider scrolls in its panel', async ({
  page,
}) => {
  await page.setViewportSize({ width: 400, height: 800 });
  for (const view of ['overview', 'steps', 'data', 'system', 'rules']) {
    await open(page, `/run/slow/${view}`);
    const beyond = await page.evaluate(() => {
      const scrolls = (element: Element | null): boolean =>
        element !== null &&
        (['auto', 'scroll', 'hidden'].includes(getComputedStyle(element).overflowX) ||
          scrolls(element.parentElement));
      return [...document.querySelectorAll('header *, main > * *')]
        .filter((element) => element.checkVisibility() && !element.closest('svg'))
        .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
        .filter(
          (element) =>
            !scrolls(
              element.closest('main') === element.parentElement ? null : element.parentElement,
            ),
        )
        .map((element) => `${element.tagName}.${element.className}`);
    });
    expect(beyond, view).toEqual([]);
    const main = await page
      .locator('main')
      .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    expect(main, view).toBeLessThanOrEqual(0);
  }
});

test('a page and a table are where they were scrolled to after reload and back', async ({
  page,
}) => {
  await open(page, '/run/slow/steps');
  const main = page.locator('main');
  const rows = page.getByRole('grid', { name: 'Steps', exact: true });
  const top = (of: typeof main) => of.evaluate((element) => element.scrollTop);
  await main.evaluate((element) => (element.scrollTop = 400));
  await rows.evaluate((element) => (element.scrollTop = 300));
  await expect.poll(() => page.evaluate(() => JSON.stringify(history.state))).toMatch(/400.*300/);
  await page.reload();
  await settled(page);
  await expect.poll(() => top(main)).toBe(400);
  await expect.poll(() => top(rows)).toBe(300);
  await page
    .getByRole('navigation', { name: 'Views' })
    .getByRole('link', { name: 'Rules' })
    .click();
  await settled(page);
  expect(await top(main)).toBe(0);
  await page.goBack();
  await settled(page);
  await expect.poll(() => top(rows)).toBe(300);
  await expect.poll(() => top(main)).toBe(400);
  // A link to the same address begins at the top.
  await open(page, '/run/slow/steps');
  expect([await top(main), await top(rows)]).toEqual([0, 0]);
});

test('without a whole step nothing is said of whether batches were ready', async ({ page }) => {
  const { ts_ns, dur_ns } = reportOf('slow').steps.outliers[0] ?? { ts_ns: 0, dur_ns: 0 };
  const within = Math.round(dur_ns / 4);
  await open(page, `/run/slow/data?from_ns=${ts_ns + within}&to_ns=${ts_ns + 2 * within}`);
  await expect(page.getByText('No complete step in this time range')).toBeVisible();
  await expect(page.getByText('Every batch was ready')).toHaveCount(0);
  await expect(page.getByText('Of the step')).toHaveCount(0);
  await expect(page.getByRole('region', { name: 'Workers' })).toBeVisible();
});
