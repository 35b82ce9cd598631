// SPDX-License-Identifier: Apache-2.0
// The timeline's address holds all that was chosen; its figures are exact where they are asked for; whatever a
// pointer does, keys do.
import { expect, type Page } from '@playwright/test';
import { accessible, address, grouped, open, settled, test } from './pages';
import { details, param, range, stage, timeline, viewIn } from './stage';

interface Slice {
  slice: number;
  track: number;
  ts_ns: number;
  dur_ns: number;
  self_ns: number;
  name: string;
}
const api = `/api/runs/eight-ranks/timeline`;
const asked = async <T>(path: string): Promise<T> =>
  (await (await fetch(`${address()}${api}/${path}`)).json()) as T;
const found = async (name: string): Promise<Slice> => {
  const { matches } = await asked<{ matches: Slice[] }>(`search?q=${encodeURIComponent(name)}`);
  const [first] = matches;
  if (!first) throw new Error(`no slice ${name}`);
  return asked<Slice>(`slice/${first.slice}`);
};

/** The same page anew. First wait for the address to tell what is to stay: it is written when the view rests. */
async function reload(page: Page) {
  await page.reload();
  await settled(page);
  await expect(stage(page)).toHaveAttribute('data-busy', 'false');
}

const firstRow = (page: Page) =>
  page
    .getByRole('tree', { name: 'Rows of the timeline' })
    .getByRole('treeitem')
    .first()
    .evaluate((row) => [row.textContent, Math.round(row.getBoundingClientRect().top)]);

test('rows stay scrolled over a reload', async ({ page }) => {
  await timeline(page);
  await stage(page).focus();
  // Once: after several keys the address might hold where the first of them led.
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => param(page, 'top')).toMatch(/^\w+\.\d+$/);
  const before = await firstRow(page);
  const top = param(page, 'top');
  await reload(page);
  expect(await firstRow(page)).toEqual(before);
  expect(param(page, 'top')).toBe(top);
  await page.keyboard.press('PageUp');
  await page.keyboard.press('PageUp');
  await expect.poll(() => param(page, 'top')).toBeNull();
});

test('the details: open or closed, how high and which, over a reload', async ({ page }) => {
  await timeline(page);
  const panel = page.getByRole('tabpanel');
  await expect(panel).toHaveCount(0); // closed while there is nothing to tell
  await page.getByRole('tab', { name: 'Statistics' }).click();
  await page.getByRole('checkbox', { name: 'only rows in sight' }).check();
  const border = details(page).getByRole('separator', { name: 'Height of the details' });
  const high = (await panel.boundingBox())?.height ?? 0;
  await border.focus();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await expect.poll(async () => (await panel.boundingBox())?.height).toBeCloseTo(high + 48, 0);
  const box = await border.boundingBox();
  if (!box) throw new Error('no border');
  await page.mouse.move(box.x + 300, box.y + 4);
  await page.mouse.down();
  await page.mouse.move(box.x + 300, box.y + 34, { steps: 3 });
  await page.mouse.up();
  await expect.poll(async () => (await panel.boundingBox())?.height).toBeCloseTo(high + 18, 0);
  await expect.poll(() => Number(param(page, 'high'))).toBeCloseTo(high + 18, 0);
  await reload(page);
  await expect(page.getByRole('tab', { name: 'Statistics' })).toHaveAttribute(
    'aria-selected',
    'true',
  );
  expect((await panel.boundingBox())?.height).toBeCloseTo(high + 18, 0);
  await expect(page.getByRole('checkbox', { name: 'only rows in sight' })).toBeChecked();
  await accessible(page);
  await details(page).getByRole('button', { name: 'Hide' }).click();
  await expect.poll(() => param(page, 'drawer')).toBe('closed');
  await reload(page);
  await expect(details(page).getByRole('button', { name: 'Show' })).toBeVisible();
  await expect(panel).toHaveCount(0);
  expect(param(page, 'drawer')).toBe('closed');
});

test('an address names a slice by what it is; older addresses by its number are read', async ({
  page,
}) => {
  const slice = await found('ProfilerStep#3');
  await timeline(page, `?sel=${slice.slice}`);
  await expect(page.locator('.selection h2')).toHaveText('ProfilerStep#3');
  const named = new RegExp(`^t${slice.track}\\.\\d+\\.${slice.ts_ns}\\.\\w+$`);
  await expect.poll(() => param(page, 'sel')).toMatch(named);
  await reload(page);
  await expect(page.locator('.selection h2')).toHaveText('ProfilerStep#3');
  // Of another name at the same place there is none: that is told, and nothing else is shown for it.
  const other = (param(page, 'sel') ?? '').replace(/\w+$/, 'zzzz');
  await open(page, `/run/eight-ranks/timeline?sel=${other}`);
  await expect(details(page).getByRole('alert')).toContainText('the slice of this address');
  // The next time that the address is written, too.
  await stage(page).focus();
  await page.keyboard.press('w');
  await expect.poll(() => viewIn(page)).not.toBeNull();
  expect(param(page, 'sel')).toBe(other);
});

test('which match is shown is known after a reload', async ({ page }) => {
  await timeline(page, '?find=ProfilerStep%233');
  const count = page.locator('.search .count');
  await expect(count).toHaveText(/^\d+$/);
  await stage(page).focus();
  const sel = () => param(page, 'sel');
  await page.keyboard.press('n');
  await expect.poll(sel).not.toBeNull();
  const first = sel();
  await page.keyboard.press('n');
  await expect(count).toHaveText(/^2 of \d+$/);
  const said = await count.innerText();
  await expect.poll(sel).not.toBe(first);
  await reload(page);
  await expect(count).toHaveText(said);
  await stage(page).focus();
  await page.keyboard.press('N');
  await expect(count).toHaveText(/^1 of \d+$/);
});

test('the selection and what is under the pointer are told to the ns', async ({ page }) => {
  const slice = await found('ProfilerStep#3');
  await timeline(page, `?sel=${slice.slice}`);
  const facts = page.locator('.selection .facts');
  for (const ns of [slice.dur_ns, slice.self_ns, slice.ts_ns])
    await expect(facts).toContainText(`${grouped(ns)} ns`);
  // The slice lies in the middle of the view after `f`.
  await stage(page).focus();
  await page.keyboard.press('f');
  await expect(stage(page)).toHaveAttribute('data-busy', 'false');
  const box = await stage(page).boundingBox();
  if (!box) throw new Error('no canvas');
  const tip = page.locator('.tip');
  await expect
    .poll(async () => {
      for (let y = 70; y < box.height; y += 8) {
        await page.mouse.move(box.x + box.width / 2, box.y + y);
        if ((await tip.count()) > 0 && (await tip.innerText()).includes('ProfilerStep#3'))
          return tip.innerText();
      }
      return '';
    })
    .toContain(`${grouped(slice.dur_ns)} ns`);
  await expect(tip).toContainText(`${grouped(slice.ts_ns)} ns`);
});

test('a counter under the pointer is told whole, with the moment from which it holds', async ({
  page,
}) => {
  await timeline(page, '?rows=share', 'slow');
  const row = page.locator('.row.counter').first();
  const [left, canvas] = [await row.boundingBox(), await stage(page).boundingBox()];
  if (!left || !canvas) throw new Error('no row');
  await page.mouse.move(canvas.x + canvas.width * 0.6, left.y + left.height / 2);
  const tip = page.locator('.tip');
  await expect(tip).toContainText(/_share/);
  await expect(tip).toContainText(/\d %/);
  await expect(tip).toContainText(/since [\d,]{7,} ns/);
});

test('a stretch is drawn, measured and chosen by keys', async ({ page }) => {
  await timeline(page, '?view=1000000-3000000');
  await stage(page).focus();
  for (let i = 0; i < 5; ++i) await page.keyboard.press('Shift+ArrowRight');
  await expect(page.locator('.measure')).toContainText('200,000 ns');
  await page.keyboard.press('Escape');
  await expect(page.locator('.measure')).toHaveCount(0);
  for (let i = 0; i < 5; ++i) await page.keyboard.press('Shift+ArrowLeft');
  expect(page.url()).not.toContain('from_ns');
  await page.keyboard.press('Enter');
  await expect.poll(() => param(page, 'from_ns')).toBe('1800000');
  expect(param(page, 'to_ns')).toBe('2000000');
  expect(viewIn(page)).toEqual([1_000_000, 3_000_000]);
  await page.keyboard.press('r');
  await expect.poll(() => param(page, 'from_ns')).toBe('1000000');
});

test('slices are reached by keys alone', async ({ page }) => {
  await timeline(page);
  await stage(page).focus();
  await page.keyboard.press('.');
  const name = page.locator('.selection h2');
  await expect(name).toBeVisible();
  const sel = () => param(page, 'sel');
  await expect.poll(sel).not.toBeNull();
  const first = sel();
  await page.keyboard.press('Shift+ArrowDown');
  await expect.poll(sel).not.toBe(first);
  const below = sel();
  await page.keyboard.press('Shift+ArrowUp');
  await expect.poll(sel).not.toBe(below);
  await page.keyboard.press('Escape');
  await expect.poll(sel).toBeNull();
});

test('the help tells the keys of the timeline and of flame graphs', async ({ page }) => {
  await timeline(page);
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keys and controls' });
  await expect(help.getByRole('heading', { name: 'Timeline', exact: true })).toBeVisible();
  for (const text of [
    'select the time range that is drawn',
    'as wide as the graph',
    'mark the moment',
    'zoom to the slice',
  ])
    await expect(help.getByText(text)).toBeVisible();
  await accessible(page);
});

test('an empty timeline gives the command for this run, and it is copied', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const empty = { from_ns: 0, to_ns: 0, left_out: 0, tracks: [] };
  await page.route('**/idle/timeline/tree*', (route) => route.fulfill({ json: empty }));
  await open(page, '/run/idle/timeline');
  const line = page.getByRole('note').locator('code');
  await expect(line).toHaveText(/^steptrace run --window :20 -- \S*python\S* -c pass$/);
  await page.getByRole('button', { name: 'Copy the command' }).click();
  await expect(page.getByText('Copied')).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await line.innerText());
  await accessible(page);
  await page.route('**/idle/report*', async (route) => {
    const response = await route.fetch();
    const report = (await response.json()) as { run: { status: string } };
    report.run.status = 'in_progress';
    await route.fulfill({ response, json: report });
  });
  await page.reload();
  await expect(line).toHaveText(/^steptrace capture \/\S+\/runs\/idle$/);
});

test('files that cannot be read are named above what is left', async ({ page }) => {
  const damaged = [
    {
      table: 'slices',
      file: 'tables/slices/node=0/rank=0/00001.parquet',
      rows: 840,
      why: 'its contents are damaged; `steptrace recover` puts it aside',
    },
  ];
  await page.route('**/timeline/tree*', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), damaged } });
  });
  await timeline(page);
  const note = page.getByRole('note').filter({ hasText: 'damaged' });
  await expect(note).toContainText('840 rows of slices are missing: tables/slices/node=0');
  await accessible(page);
});

test('zooms, moves and what is shown go on in a narrow window', async ({ page }) => {
  await page.setViewportSize({ width: 640, height: 480 });
  await timeline(page, '?tab=stretch');
  const canvas = await stage(page).boundingBox();
  expect(canvas?.width).toBeGreaterThan(150);
  expect(canvas?.height).toBeGreaterThan(100);
  const before = await range(page).innerText();
  await stage(page).focus();
  await page.keyboard.press('w');
  await expect(range(page)).not.toHaveText(before);
});
