// SPDX-License-Identifier: Apache-2.0
// The timeline by keyboard, pointer and address, on a synthetic job of eight ranks and hostile names.
import { expect, type Page } from '@playwright/test';
import { accessible, address, open, settled, test } from './pages';
import { range, stage, timeline, viewIn } from './stage';

/** The numbers of the pixels that differ from the empty row under the pointer's canvas. */
const drawn = (page: Page) =>
  page
    .locator('.layers canvas')
    .first()
    .evaluate((canvas: HTMLCanvasElement) => {
      const context = canvas.getContext('2d');
      const { data } = context?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] };
      const colours = new Set<number>();
      for (let i = 0; i < data.length; i += 4)
        colours.add(((data[i] ?? 0) << 16) | ((data[i + 1] ?? 0) << 8) | (data[i + 2] ?? 0));
      return colours.size;
    });

test('slices are drawn and listed, and the list leads to one', async ({ page }) => {
  await timeline(page);
  await expect.poll(() => drawn(page)).toBeGreaterThan(8);
  await page.getByRole('tab', { name: 'Slices' }).click();
  const rows = page.getByRole('grid', { name: 'Slices in view' }).getByRole('row');
  await expect.poll(() => rows.count()).toBeGreaterThan(3);
  await rows.filter({ hasText: 'ProfilerStep' }).first().click();
  await page.getByRole('tab', { name: 'Selection' }).click();
  await expect(page.locator('.selection h2')).toContainText('ProfilerStep');
  await accessible(page);
});

test('keys zoom, move and fit; the address follows and a reload shows the same', async ({
  page,
}) => {
  await timeline(page);
  const whole = await range(page).innerText();
  await stage(page).focus();
  for (const key of ['w', 'w', 'w', 'd']) await page.keyboard.press(key);
  await expect.poll(() => viewIn(page)).not.toBeNull();
  let seen = '';
  await expect
    .poll(
      () => {
        const now = JSON.stringify(viewIn(page));
        const stays = now === seen;
        seen = now;
        return stays;
      },
      { intervals: [500] },
    )
    .toBe(true);
  const view = viewIn(page);
  const text = await range(page).innerText();
  expect(text).not.toBe(whole);
  await page.reload();
  await settled(page);
  expect(viewIn(page)).toEqual(view);
  await expect(range(page)).toHaveText(text);
  await page.keyboard.press('0');
  await expect(range(page)).toHaveText(whole);
});

test('the tabs of the details are reached by keyboard', async ({ page }) => {
  await timeline(page);
  const text = await range(page).innerText();
  const details = page.getByRole('tablist', { name: 'Details' });
  await details.getByRole('tab', { name: 'Selection' }).focus();
  for (const name of ['Statistics', 'Matches', 'Slices']) {
    await page.keyboard.press('ArrowRight');
    await expect(details.getByRole('tab', { name })).toBeFocused();
    await expect(page.getByRole('tabpanel', { name })).toBeVisible();
  }
  await page.keyboard.press('ArrowLeft');
  await expect(details.getByRole('tab', { name: 'Matches' })).toBeFocused();
  // Nothing moved; other keys are the timeline's as before.
  await expect(range(page)).toHaveText(text);
  await page.keyboard.press('w');
  await expect(range(page)).not.toHaveText(text);
});

test('the wheel keeps the moment under the cursor', async ({ page }) => {
  await timeline(page, '?view=1000000-3000000');
  const box = await stage(page).boundingBox();
  if (!box) throw new Error('no canvas');
  await page.mouse.move(box.x + box.width / 4, box.y + 200);
  await page.mouse.wheel(0, -400);
  await expect.poll(() => viewIn(page)?.[0]).toBeGreaterThan(1_000_000);
  const [from, to] = viewIn(page) ?? [0, 0];
  expect(Math.abs((1_500_000 - from) / (to - from) - 0.25)).toBeLessThan(0.005);
});

test('a search finds, marks and goes to matches', async ({ page }) => {
  await timeline(page);
  await stage(page).focus();
  await page.keyboard.press('/');
  await page.keyboard.type('ProfilerStep#3');
  await expect(page.locator('.search .count')).toHaveText(/^\d+$/);
  await page.keyboard.press('Enter');
  await expect(page.locator('.search .count')).toHaveText(/^1 of \d+$/);
  await expect(page.getByRole('grid', { name: 'Slices that match the search' })).toBeVisible();
  await page.getByRole('tab', { name: 'Selection' }).click();
  await expect(page.locator('.selection h2')).toContainText('ProfilerStep#3');
  await expect.poll(() => page.url()).toContain('find=ProfilerStep%233');
});

test('a kernel leads to its launch', async ({ page }) => {
  await timeline(page);
  await page.getByLabel('Search slices by name').fill('sgemm');
  await expect(page.locator('.search .count')).toHaveText(/^\d+$/);
  await page.getByLabel('Search slices by name').press('Enter');
  await page.getByRole('tab', { name: 'Selection' }).click();
  const launch = page
    .locator('.selection')
    .getByRole('button', { name: /Launch/ })
    .first();
  await launch.click();
  await expect(page.locator('.selection h2')).toContainText('Launch');
});

test('what is told under a pointer that stands still is of the slice that came there', async ({
  page,
}) => {
  await timeline(page);
  const box = await stage(page).boundingBox();
  if (!box) throw new Error('no timeline');
  const tip = page.locator('.tip .name');
  await page.mouse.move(box.x + box.width / 2, box.y + 117);
  await expect(tip).toHaveText(/^ProfilerStep#/);
  const before = (await tip.textContent()) ?? '';
  await page.getByRole('textbox', { name: 'Step' }).fill(before.endsWith('#1') ? '4' : '1');
  await page.getByRole('textbox', { name: 'Step' }).press('Enter');
  await expect(tip).toHaveText(/^ProfilerStep#/);
  await expect(tip).not.toHaveText(before);
});

test('a step by its number, and a number that is none', async ({ page }) => {
  await timeline(page);
  await page.getByRole('textbox', { name: 'Step' }).fill('2');
  await page.getByRole('textbox', { name: 'Step' }).press('Enter');
  await expect.poll(() => viewIn(page)).not.toBeNull();
  await expect(stage(page)).toBeFocused(); // so that the next keys zoom and move
  await page.getByRole('textbox', { name: 'Step' }).fill('999');
  await page.getByRole('textbox', { name: 'Step' }).press('Enter');
  await expect(page.getByRole('textbox', { name: 'Step' })).toHaveAttribute('aria-invalid', 'true');
  await page.getByRole('textbox', { name: 'Step' }).press('Escape');
  await expect(stage(page)).toBeFocused();
});

test('a selected time range is measured, added up, and followed by the other views', async ({
  page,
}) => {
  await timeline(page);
  const box = await stage(page).boundingBox();
  if (!box) throw new Error('no canvas');
  await page.keyboard.down('Shift');
  await page.mouse.move(box.x + 200, box.y + 150);
  await page.mouse.down();
  await page.mouse.move(box.x + 420, box.y + 150, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await expect.poll(() => page.url()).toMatch(/from_ns=\d+.*to_ns=\d+/);
  // What marks and the stretch measure fits into the line that is there: the rows stay where they are.
  await page.keyboard.press('m');
  await page.mouse.move(box.x + 300, box.y + 150);
  await page.keyboard.press('m');
  await expect(page.getByText('between marks')).toBeVisible();
  expect((await stage(page).boundingBox())?.y).toBe(box.y);
  await page.getByRole('tab', { name: 'Statistics' }).click();
  await expect(page.getByRole('grid', { name: /Statistics of the time range/ })).toBeVisible();
  const { hash } = new URL(page.url());
  const from = /from_ns=(\d+)/.exec(hash)?.[1] ?? '';
  await page
    .getByRole('navigation', { name: 'Views' })
    .getByRole('link', { name: 'Steps' })
    .click();
  await expect.poll(() => page.url()).toContain(`from_ns=${from}`);
});

test('rows fold, are pinned and filtered, and the address holds it', async ({ page }) => {
  await timeline(page);
  const rows = page.getByRole('tree', { name: 'Rows of the timeline' });
  const before = await rows.getByRole('treeitem').count();
  await rows.getByRole('button', { name: 'Fold rank 0' }).click();
  await expect(rows.getByRole('button', { name: 'Unfold rank 0' })).toBeVisible();
  await page.getByLabel('Filter rows').fill('stream 7');
  await expect(rows.getByRole('treeitem', { name: /stream 20/ })).toHaveCount(0);
  await rows.getByRole('button', { name: 'Unfold rank 0' }).click();
  await rows.getByRole('button', { name: 'Pin stream 7' }).first().click();
  await expect.poll(() => page.url()).toMatch(/pin=t\d+/);
  await page.reload();
  await settled(page);
  await expect(rows.locator('.pinned')).toHaveCount(1);
  await expect(page.getByLabel('Filter rows')).toHaveValue('stream 7');
  expect(before).toBeGreaterThan(3);
});

test('names that are markup stay text', async ({ page }) => {
  await open(page, '/run/hostile/timeline?tab=slices');
  await expect(page.getByRole('grid', { name: 'Slices in view' })).toBeVisible();
  await expect(page.locator('main img')).toHaveCount(0);
  expect(await page.title()).not.toBe('owned'); // the name stands in it as text
});

test('a run of more tracks than a tree holds says so, and its search finds what lies on the others', async ({
  page,
}) => {
  await timeline(page, '', 'many');
  await expect(page.getByRole('note')).toContainText(/The first 100\sk tracks of 120\sk/);
  // What is not on the screen is not in the page.
  expect(await page.locator('*').count()).toBeLessThan(2000);
  const search = page.getByRole('searchbox', { name: 'Search slices by name' });
  await search.fill('needle');
  await expect(page.locator('.search .count')).toHaveText('1');
  await search.press('Enter');
  await expect(page.locator('.search .count')).toHaveText('1 of 1');
  await page.getByRole('tab', { name: 'Selection' }).click();
  await expect(page.locator('.selection h2')).toContainText('needle');
});

test('a damaged address is as if it said nothing', async ({ page }) => {
  await timeline(page, '?view=9-5&fold=../x&sel=NaN&mark=x&tab=evil&pin=<b>');
  await expect(page.getByRole('alert')).toHaveCount(0);
  await expect.poll(() => drawn(page)).toBeGreaterThan(8);
});

test('a server that goes away is told, and the timeline stays', async ({ page }) => {
  await timeline(page);
  await page.route(`${address()}/api/**/timeline/**`, (route) => route.abort());
  await stage(page).focus();
  for (let i = 0; i < 12; ++i) await page.keyboard.press('w');
  await expect(page.getByRole('alert')).toBeVisible();
  await page.unroute(`${address()}/api/**/timeline/**`);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('alert')).toHaveCount(0);
});
