// SPDX-License-Identifier: Apache-2.0
// Sampled stacks in the view of the data pipeline, and the functions that they name.
import { expect, type Page } from '@playwright/test';
import { accessible, address, grouped, open, settled, test } from './pages';

const graph = (page: Page) => page.getByRole('group', { name: 'Flame graph of sampled stacks' });
const radio = (page: Page, name: string) => page.getByRole('radio', { name, exact: true });

interface Node {
  function: string;
  running_ns: number;
  waiting_ns: number;
  running_samples: number;
  waiting_samples: number;
}
interface Answer {
  kinds: { kind: string; samples: number; running_ns: number; waiting_ns: number }[];
  nodes: Node[];
}
const asked = async (params: string) =>
  (await (await fetch(`${address()}/api/runs/sampled/samples?${params}`)).json()) as Answer;

test('the workers first, by what they were seen doing', async ({ page }) => {
  await open(page, '/run/sampled/data');
  await expect(graph(page)).toBeVisible();
  await expect(radio(page, 'Workers')).toHaveAttribute('aria-checked', 'true');
  await expect(graph(page).getByRole('button', { name: /: read,/ })).toBeVisible();
  const { kinds } = await asked('');
  const workers = kinds.find((k) => k.kind === 'worker');
  expect(workers?.waiting_ns).toBeGreaterThan(0);
  const rows = page.getByRole('grid', { name: 'Sampled functions' });
  await expect(rows).toHaveAttribute('aria-rowcount', '5');
  await expect(rows.getByText('jpeg_decode')).toBeVisible();
  await expect(page.locator('img[src="x"]')).toHaveCount(0);
  expect(await page.title()).not.toBe('owned');
  await accessible(page);
});

test('running and waiting apart, and the threads, in the address', async ({ page }) => {
  await open(page, '/run/sampled/data');
  await radio(page, 'Waiting').click();
  await expect(page).toHaveURL(/state=waiting/);
  await expect(graph(page).getByRole('button', { name: /: read,/ })).toBeVisible();
  await expect(graph(page).getByRole('button', { name: /jpeg/ })).toHaveCount(0);
  await radio(page, 'Training thread').click();
  await expect(page).toHaveURL(/threads=training/);
  await expect(graph(page).getByRole('button', { name: /: next,/ })).toBeVisible();
  await page.reload();
  await settled(page);
  await expect(graph(page).getByRole('button', { name: /: next,/ })).toBeVisible();
  await radio(page, 'Running').click();
  await expect(page.getByText('Never seen running')).toBeVisible();
});

test('a box tells its time, its share and its samples exactly', async ({ page }) => {
  const { nodes, kinds } = await asked('threads=worker');
  const read = nodes.find((n) => n.function === 'read');
  const worker = kinds.find((k) => k.kind === 'worker');
  if (!read || !worker) throw new Error('no such function');
  const samples = read.running_samples + read.waiting_samples;
  expect(samples).toBeGreaterThan(0);
  expect(samples).toBeLessThan(worker.samples);
  await open(page, '/run/sampled/data');
  const all = worker.running_ns + worker.waiting_ns;
  const told = page.locator('.told', { has: page.locator('.figures') });
  await expect(told).toContainText(`${grouped(worker.samples)} samples`);
  await graph(page)
    .getByRole('button', { name: /: read,/ })
    .hover();
  await expect(told).toContainText(`${grouped(read.running_ns + read.waiting_ns)} ns`);
  await expect(told).toContainText(`of ${grouped(all)} ns`);
  await expect(told).toContainText(`${grouped(samples)} samples`);
});

test('the box that fills the graph stands in the address; keys reach and leave it', async ({
  page,
}) => {
  await open(page, '/run/sampled/data');
  const read = graph(page).getByRole('button', { name: /: read,/ });
  const width = async () => (await read.boundingBox())?.width ?? 0;
  const whole = (await graph(page).boundingBox())?.width ?? 0;
  expect(await width()).toBeLessThan(whole * 0.95);
  // One stop of Tab; arrows from there.
  await expect(graph(page).locator('[tabindex="0"]')).toHaveCount(1);
  await graph(page).locator('[tabindex="0"]').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  const focused = graph(page).locator(':focus');
  for (let i = 0; i < 5 && !(await focused.getAttribute('aria-label'))?.includes(': read,'); ++i)
    await page.keyboard.press('ArrowRight');
  await expect(read).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/[?&]box=\w+/);
  await expect.poll(width).toBeGreaterThan(whole * 0.95);
  await page.reload();
  await settled(page);
  await expect.poll(width).toBeGreaterThan(whole * 0.95);
  await accessible(page);
  await graph(page).locator('[tabindex="0"]').focus();
  await page.keyboard.press('Backspace');
  await expect.poll(width).toBeLessThan(whole * 0.95);
  await page.keyboard.press('Escape');
  await expect(page).not.toHaveURL(/box=/);
});

test('a frame leads to its source', async ({ page }) => {
  await open(page, '/run/sampled/data');
  await graph(page)
    .getByRole('button', { name: /: read,/ })
    .click();
  await expect(page.getByRole('link', { name: 'open source' })).toHaveAttribute(
    'href',
    'vscode://file//job/data%20sets/%3Cb%3E.py:50',
  );
  const cell = page.getByRole('grid', { name: 'Sampled functions' }).getByRole('link').first();
  await expect(cell).toHaveAttribute('href', /^vscode:\/\/file\//);
});

test('they follow the selected time range', async ({ page }) => {
  const whole = await asked('threads=worker');
  const query = 'from_ns=3000000000&to_ns=4000000000';
  const part = await asked(`threads=worker&${query}`);
  const samples = (of: Answer) => of.kinds.find((k) => k.kind === 'worker')?.samples ?? 0;
  expect(samples(part)).toBeGreaterThan(0);
  expect(samples(part)).toBeLessThan(samples(whole));
  await open(page, `/run/sampled/data?${query}`);
  await expect(page.getByText(`${samples(part)} samples of`)).toBeVisible();
});

test('a run without samples says so', async ({ page }) => {
  await open(page, '/run/eight-ranks/data');
  await expect(page.getByText('No stacks were sampled')).toBeVisible();
});

test('stages name their functions', async ({ page }) => {
  await page.route('**/slow/report*', async (route) => {
    const response = await route.fetch();
    const report = (await response.json()) as { data_pipeline: { stages: object[] } };
    const of = {
      function: 'decode<b>',
      file: '/job/data.py',
      line: 41,
      ns: 5,
      share: 0.25,
      call: 'PIL.open',
    };
    report.data_pipeline.stages = [
      { name: 'decode', ns: 10, share: 0.5, share_low: 0.4, share_high: 0.6, functions: [of] },
      { name: 'collate', ns: 2, share: 0.1 },
    ];
    await route.fulfill({ response, json: report });
  });
  await open(page, '/run/slow/data');
  const decode = page.locator('[data-stage="decode"]');
  await expect(decode).toContainText('(40–60\u00a0%)');
  const row = page.locator('[data-function="decode<b>"]');
  await expect(row).toContainText('calls PIL.open');
  await expect(row).toContainText('25\u00a0%');
  await expect(row.getByRole('link')).toHaveText('data.py:41');
  await expect(row.getByRole('link')).toHaveAttribute('href', 'vscode://file//job/data.py:41');
  await expect(page.locator('[data-stage="collate"]')).not.toContainText('(');
  await accessible(page);
});
