// SPDX-License-Identifier: Apache-2.0
// The pages by the keyboard alone: whatever takes the pointer is reached by Tab, or by the arrow keys within what
// Tab reaches; the focus is seen in both themes, follows the order of reading, and is never lost.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Locator, type Page } from '@playwright/test';
import {
  focusOn,
  holdsFocus,
  hoverAlone,
  outOfOrder,
  press,
  still,
  unseen,
  walk,
  watchPointers,
  type Stop,
} from './keys';
import { open, test, VIEWS } from './pages';
import { folder, reportOf } from './runs';
import { param, range, stage, timeline } from './stage';

test.beforeEach(({ page }) => watchPointers(page));

const PAGES = [
  '/runs',
  '/run/slow/overview',
  '/run/slow/steps',
  '/run/sampled/data',
  '/run/slow/system',
  '/run/two-devices/devices',
  '/run/v100/operators?group=caller',
  '/run/eight-ranks/kernels',
  '/run/captured/modules',
  '/run/captured/memory',
  '/run/eight-ranks/distributed?collectives=each',
  '/run/slow/rules',
  '/compare/slow/fast',
  '/run/eight-ranks/timeline?tab=slices',
  '/run/sagemaker/timeline',
];

const missing = (at: string) => {
  const run = /^\/run\/([^/]+)/.exec(at)?.[1];
  return run !== undefined && !existsSync(join(folder, run));
};

/** Of what takes the pointer, and what takes the keys in its place: it stands in it, beside it, or is it. */
const INSTEAD: readonly { pointer: string; keys: string }[] = [
  // Rows by the arrow keys, Enter and Space; links of the row that they are on by Tab.
  { pointer: '[role=row], [role=gridcell] *', keys: '[role=grid]' },
  { pointer: '[role=radio]', keys: '[role=radiogroup] [role=radio]' },
  { pointer: '[role=tab]', keys: '[role=tablist] [role=tab]' },
  { pointer: '.flame, .flame .box', keys: '.flame .box' },
  { pointer: '[role=tree] button', keys: '[role=tree] [role=treeitem]' },
  // A wheel over the rows' names scrolls them, as the arrow keys do.
  { pointer: '.list', keys: '[role=tree] [role=treeitem]' },
  { pointer: '[role=application] *', keys: '[role=application]' },
  { pointer: '.figures *', keys: '.figures' },
  // The table below holds the same allocations.
  { pointer: '.pile canvas', keys: '[role=grid][aria-label="Largest allocations"]' },
];

/** What takes the pointer and is out of reach of the keys. */
const outOfReach = (page: Page): Promise<string[]> =>
  page.evaluate((instead) => {
    const stops = new Set(window.walked);
    const covered = (element: Element) =>
      instead.some(({ pointer, keys }) => {
        if (!element.matches(pointer)) return false;
        for (let up: Element | null = element; up; up = up.parentElement)
          if ([up, ...up.querySelectorAll(keys)].some((e) => e.matches(keys) && stops.has(e)))
            return true;
        return false;
      });
    return window
      .takesPointer()
      .filter((e) => !stops.has(e) && !e.matches(':disabled') && !covered(e))
      .map((element) => JSON.stringify(window.described(element)));
  }, INSTEAD);

/** How a stop is used by the keys; what it must do is checked where it is done. */
type Use = (page: Page, stop: Stop) => Promise<void>;

const focused = (page: Page) => page.locator(':focus');

/** A chart, a heat map or a histogram: the arrow keys tell; where a stretch can be chosen, Shift and Enter choose. */
const chart: Use = async (page, stop) => {
  const told = page.locator(':focus ~ .below .told, :has(> :focus) .told').first();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await expect(told).toContainText(/\d/);
  if (!stop.name.includes('select a time range')) return;
  for (let i = 0; i < 2; i++) await page.keyboard.press('Shift+PageDown');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/from_ns=\d+&to_ns=\d+/);
  await still(page);
  await holdsFocus(page, 'after a stretch was chosen');
  await page.keyboard.press('Escape');
  await expect(page).not.toHaveURL(/from_ns/);
};

const figures: Use = async (page) => {
  const has = await focused(page).locator('[data-exact], [data-told]').count();
  expect(has).toBeGreaterThan(0);
  await page.keyboard.press('Home');
  await expect(focused(page).locator('[data-held]')).toHaveCount(1);
  await expect(page.locator(':focus .told, :focus + .below .told').first()).toContainText(/\S/);
};

const grid: Use = async (page) => {
  if ((await focused(page).locator('.body').count()) === 0) return;
  await page.keyboard.press('Home');
  await expect(focused(page)).toHaveAttribute('aria-activedescendant', /\S/);
  if ((await focused(page).locator('.body input[type=checkbox]').count()) > 0) {
    await page.keyboard.press('Space');
    await expect(focused(page).locator('.current input')).toBeChecked();
    await page.keyboard.press('Space');
  }
  if ((await focused(page).locator('.opens').count()) === 0) return;
  const before = await page.evaluate(() => [location.hash, document.body.innerText].join());
  await page.keyboard.press('Enter');
  await expect
    .poll(() => page.evaluate(() => [location.hash, document.body.innerText].join()))
    .not.toBe(before);
};

const radio: Use = async (page) => {
  const count = await page.locator('[role=radiogroup]:has(:focus) [role=radio]').count();
  if (count < 2) return;
  const before = await focused(page).innerText();
  await page.keyboard.press('ArrowRight');
  await expect(focused(page)).not.toHaveText(before);
  await expect(focused(page)).toHaveAttribute('aria-checked', 'true');
};

const select: Use = async (page) => {
  const value = () => page.evaluate(() => (document.activeElement as HTMLSelectElement).value);
  const options = await focused(page).locator('option:enabled').count();
  if (options < 2) return;
  const before = await value();
  await page.keyboard.press('ArrowDown');
  await expect.poll(value).not.toBe(before);
};

const flame: Use = async (page) => {
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/box=/);
  await page.keyboard.press('Escape');
  await expect(page).not.toHaveURL(/box=/);
};

/** Space opens, Escape or Enter closes. */
const summary: Use = async (page) => {
  const open = page.locator('details[open]:has(:focus)');
  await page.keyboard.press('Space');
  await expect(open).toHaveCount(1);
  await page.keyboard.press('Enter');
  await expect(open).toHaveCount(0);
};

const search: Use = async (page) => {
  await page.keyboard.type('e');
  await expect(focused(page)).toHaveValue('e');
  await page.keyboard.press('Backspace');
};

const button: Use = async (page, stop) => {
  await page.keyboard.press('Enter');
  if ((await page.getByRole('dialog').count()) === 0) return;
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(focused(page)).toHaveText(stop.name);
};

/** Rows of the timeline, its tabs and its canvas are tried on their own. */
function useOf(stop: Stop): Use | null {
  if (stop.tag === 'svg' || stop.tag === 'canvas') return chart;
  if (stop.role === 'application') return stop.name.startsWith('Timeline') ? null : chart;
  if (stop.role === 'group') return figures;
  if (stop.role === 'grid') return grid;
  if (stop.role === 'radio') return radio;
  if (stop.role === 'button') return flame;
  if (stop.role !== '') return null;
  if (stop.tag === 'select') return select;
  if (stop.tag === 'summary') return summary;
  if (stop.tag === 'input' && stop.name.startsWith('Filter')) return search;
  return stop.tag === 'button' ? button : null;
}

/** What is the same on all pages is tried on one: the bar above, a table's filter and its copying. */
const COMMON = /^button (Keys|Copy|Switch to)|^search/;
const tried = new Set<string>();

/** One of a kind on a page tells of all: sorting by a column, saving as CSV. */
const kindOf = (stop: Stop, use: Use) =>
  use === button && !stop.name.startsWith('Save')
    ? `button ${stop.name}`
    : `${use.name} ${stop.name.includes('select a time range') ? 'of stretches' : ''}`;

for (const at of PAGES) {
  test(`all that takes the pointer: ${at}`, async ({ page }) => {
    test.skip(missing(at), 'no real profiles here');
    await open(page, at);
    if (at.includes('tab=slices')) await expect(page.locator('.body[role=row]')).not.toHaveCount(0);
    await still(page);
    const stops = await walk(page);
    expect(stops.length).toBeGreaterThan(4);
    expect(await outOfReach(page), 'out of reach').toEqual([]);
    expect(await outOfOrder(page), 'order').toEqual([]);
    expect(await hoverAlone(page), 'exact by the pointer alone').toEqual([]);
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme);
      expect(await unseen(page), colorScheme).toEqual([]);
    }
    const first = new Map<string, [Stop, Use]>();
    for (const stop of stops) {
      const use = useOf(stop);
      const kind = use && kindOf(stop, use);
      if (!use || !kind || first.has(kind) || tried.has(kind)) continue;
      first.set(kind, [stop, use]);
      if (COMMON.test(kind)) tried.add(kind);
    }
    // A table's row leads to another page: it is tried last.
    const last = (of: [Stop, Use]) => Number(of[1] === grid);
    for (const [stop, use] of [...first.values()].sort((a, b) => last(a) - last(b))) {
      const what = `${stop.tag} ${stop.role} ${stop.name}`;
      await test.step(what, async () => {
        await still(page); // what the use before this one asked for, a slow machine answers late
        if (!(await focusOn(page, stop))) {
          await open(page, at);
          await expect.poll(() => focusOn(page, stop)).toBe(true);
        }
        await use(page, stop);
        await holdsFocus(page, what);
      });
    }
  });
}

/** Presses Tab, or Shift and Tab, until what this finds has the focus. */
const tabTo = (page: Page, to: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab') =>
  press(page, key, () => to.evaluate((e) => e === document.activeElement));

/** The focus is in no field, in which a key is a character. */
const typesNothing = (page: Page) =>
  page.evaluate(() => document.activeElement?.matches('input, select, textarea') === false);

test('the keys stay where they are while the rules are evaluated again', async ({ page }) => {
  let release = () => {};
  const held = () => new Promise<void>((resolve) => (release = resolve));
  let answer = Promise.resolve();
  await page.route('**/rules?*', async (route) => {
    await answer;
    await route.continue();
  });
  await open(page, '/run/slow/rules?set=Dataloader.window%3D20'); // a figure for each 20 steps
  await still(page);
  const card = page.locator('[data-rule=Dataloader]');
  const figures = card.locator('.figures');
  const again = page.getByText('Evaluating again');

  answer = held();
  await page.evaluate(() => (location.hash = location.hash.replace('20', '10')));
  await expect(again).toHaveCount(1);
  await figures.focus();
  await page.keyboard.press('End');
  await figures.locator('[data-held]').evaluate((e) => e.remove()); // as a newer answer may
  await expect(figures.locator('[data-held]')).toHaveCount(1);
  release();
  await expect(again).toHaveCount(0);
  await expect(figures).toBeFocused();

  // As published the rule finds nothing: its figures are gone, its card is not.
  answer = held();
  await page.evaluate(() => (location.hash += '&mode=compat'));
  await expect(again).toHaveCount(1);
  release();
  await expect(figures).toHaveCount(0);
  await expect.poll(() => card.evaluate((e) => e.contains(document.activeElement))).toBe(true);
});

test('from the runs to the verdict, to its evidence and to every view', async ({ page }) => {
  await open(page, '/runs');
  const grid = page.getByRole('grid', { name: 'Runs' });
  const { name } = reportOf('slow').run;
  await tabTo(page, page.getByRole('searchbox', { name: 'Filter Runs' }));
  await page.keyboard.type(name);
  await tabTo(page, grid);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('region', { name: 'Verdict' })).toBeVisible();
  // A page that is new begins at its content.
  await expect(page.locator('main')).toBeFocused();
  await tabTo(page, page.getByRole('region', { name: 'Evidence' }).getByRole('link').first());
  await page.keyboard.press('Enter');
  await expect(page).not.toHaveURL(/overview/);
  await expect(page.locator('main')).toBeFocused();
  await page.goBack();
  await expect(page.getByRole('region', { name: 'Verdict' })).toBeVisible();
  await holdsFocus(page, 'after going back');
  for (const view of VIEWS.slice(1)) {
    const before = page.url();
    await page.keyboard.press(']');
    await expect(page).not.toHaveURL(before);
    await holdsFocus(page, `in the view before or after ${view}`);
    await tabTo(page, page.locator('main'));
    // Into the view, which goes with the next key; some hold nothing to go into.
    await page.keyboard.press('Tab');
    if ((await page.locator('main :focus').count()) === 0) await page.locator('main').focus();
    // Where a table has a filter it may come first, and takes the key for its own.
    await press(page, 'Tab', () => typesNothing(page));
  }
  await expect(page).toHaveURL(/rules/);
});

test('the marks of the run in time are one stop, and Enter opens one', async ({ page }) => {
  await open(page, '/run/slow/overview');
  const marks = page.getByRole('group', { name: /^The run in time:/ });
  await marks.focus();
  await page.keyboard.press('End');
  const held = marks.locator('[data-held]');
  const href = (await held.getAttribute('href')) ?? '';
  expect(href).toContain('/slow/');
  await page.keyboard.press('Enter');
  await expect.poll(() => new URL(page.url()).hash).toBe(href);
});

test('two runs are chosen by Space and compared', async ({ page }) => {
  await open(page, '/runs?runs.q=training');
  const grid = page.getByRole('grid', { name: 'Runs' });
  await tabTo(page, grid);
  for (let i = 0; i < 2; i++) {
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
  }
  await tabTo(page, page.getByRole('link', { name: 'Compare the two' }), 'Shift+Tab');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/#\/compare\//);
  await expect(page.locator('main')).toBeFocused();
  const address = page.url();
  await tabTo(page, page.getByRole('link', { name: 'Swap' }));
  await page.keyboard.press('Enter');
  await expect(page).not.toHaveURL(address);
  await holdsFocus(page, 'after the runs were swapped');
});

test('a rule is evaluated with another parameter, and with its own again', async ({ page }) => {
  await open(page, '/run/slow/rules');
  const card = page.locator('[data-rule="StepOutlier"]');
  await tabTo(page, card.locator('summary'));
  await page.keyboard.press('Enter');
  const field = card.getByRole('textbox').first();
  await tabTo(page, field); // what the parameter means comes before it
  await page.keyboard.press('Control+a');
  await page.keyboard.type('99');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/set=StepOutlier/);
  // Its card may stand elsewhere now, with what it found.
  await still(page);
  await expect(field).toBeFocused();
  await expect(field).toHaveValue('99');
  await tabTo(page, card.getByRole('button', { name: 'Back to the defaults' }));
  await page.keyboard.press('Enter');
  await expect(page).not.toHaveURL(/set=/);
  await still(page);
  await holdsFocus(page, 'after the button has gone');
  expect(await card.evaluate((e) => e.contains(document.activeElement))).toBe(true);
});

test('single cores are chosen from a list that Escape closes', async ({ page }) => {
  await open(page, '/run/slow/system');
  const list = page.locator('details.pick').first();
  await tabTo(page, list.locator('summary'));
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await expect(page).toHaveURL(/devices=\d/);
  await expect(list.getByRole('checkbox').first()).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(list).not.toHaveAttribute('open');
  await expect(list.locator('summary')).toBeFocused();
  // It lies over the charts: it goes when the keys go on.
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByRole('application').first());
  await expect(list).not.toHaveAttribute('open');
});

test('the list of keys gives the focus back, however it is closed', async ({ page }) => {
  await open(page, '/run/slow/steps');
  const chart = page.getByRole('application').first();
  await tabTo(page, chart);
  for (const key of ['?', 'Escape', 'Enter']) {
    await page.keyboard.press('?');
    await expect(page.getByRole('dialog', { name: 'Keys and controls' })).toBeVisible();
    await page.keyboard.press(key);
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect(chart).toBeFocused();
  }
});

test('a run that goes on keeps the focus where it is', async ({ page }) => {
  let generation = 0;
  await page.route('**/api/runs/slow/events', (route) => {
    generation += 1;
    const data = { status: 'in_progress', steps: generation, to_ns: 5e9, stopped_since_ns: null };
    const body = `retry: 100\nevent: run\ndata: ${JSON.stringify({ ...data, generation })}\n\n`;
    return route.fulfill({ contentType: 'text/event-stream', body });
  });
  await open(page, '/run/slow/steps');
  const link = page.getByRole('grid', { name: 'Slow steps' }).getByRole('link').first();
  for (const part of [
    page.getByRole('application').first(),
    page.getByRole('button', { name: /^Save/ }).first(),
    page.getByRole('grid', { name: 'Steps', exact: true }),
    link,
  ]) {
    await part.focus();
    const before = generation;
    await expect.poll(() => generation).toBeGreaterThan(before + 1);
    await expect(part).toBeFocused();
  }
  // A choice in the making is drawn on.
  const chart = page.getByRole('application').first();
  await chart.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Shift+PageDown');
  // Asked of the chart, which stays: the drawing in it may be made anew between being found and being asked.
  const width = () =>
    chart.evaluate((e) => e.querySelector('.u-select')?.getBoundingClientRect().width ?? 0);
  await expect.poll(width).toBeGreaterThan(5);
  const before = generation;
  const plot = await chart.locator('.uplot').elementHandle();
  await expect.poll(() => generation).toBeGreaterThan(before + 1);
  await expect.poll(() => plot?.evaluate((e) => e.isConnected)).toBe(false);
  await expect.poll(width).toBeGreaterThan(5);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/from_ns=\d+&to_ns=\d+/);
});

test('the timeline: rows, search, marks, selection and details', async ({ page }) => {
  await timeline(page);
  const rows = page.getByRole('tree', { name: 'Rows of the timeline' });
  await tabTo(page, rows.getByRole('treeitem').first());
  const whole = await range(page).innerText();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowLeft');
  await expect(rows.locator(':focus')).toHaveAttribute('aria-expanded', 'false');
  await page.keyboard.press('Enter');
  await expect(rows.locator(':focus')).toHaveAttribute('aria-expanded', 'true');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('p');
  await expect.poll(() => param(page, 'pin')).not.toBeNull();
  await page.keyboard.press('End'); // out of sight until now
  await expect(rows.locator(':focus')).toBeInViewport();
  await expect(range(page)).toHaveText(whole);
  // Letters are the timeline's wherever the focus is.
  await page.keyboard.press('/');
  await page.keyboard.type('ProfilerStep#3');
  await expect(page.locator('.search .count')).toHaveText(/^\d+$/);
  await page.keyboard.press('Enter');
  await expect(page.locator('.search .count')).toHaveText(/^1 of \d+$/);
  await page.keyboard.press('Escape');
  await expect(stage(page)).toBeFocused();
  await page.keyboard.press('m');
  await tabTo(page, page.getByRole('button', { name: 'Clear marks' }), 'Shift+Tab');
  await page.keyboard.press('Enter');
  await holdsFocus(page, 'after the marks were cleared');
  await page.keyboard.press('0');
  await tabTo(page, page.getByRole('button', { name: 'Zoom in' }), 'Shift+Tab');
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByRole('button', { name: 'Fit', exact: true }), 'Shift+Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Fit', exact: true })).toBeDisabled();
  await holdsFocus(page, 'after the whole run is shown');
  await tabTo(page, page.getByRole('tab', { name: 'Matches' }));
  for (let i = 0; i < 2; i++) await page.keyboard.press('ArrowLeft');
  const next = page.getByRole('button', { name: 'Next →' });
  await expect(next).toBeVisible();
  await tabTo(page, next);
  const name = page.locator('.selection .facts');
  const before = await name.innerText();
  await page.keyboard.press('Enter');
  await expect(name).not.toHaveText(before);
  await expect(next).toBeFocused();
  const border = page.getByRole('separator', { name: 'Height of the details' });
  await tabTo(page, border, 'Shift+Tab');
  const height = Number(await border.getAttribute('aria-valuenow'));
  await page.keyboard.press('ArrowUp');
  await expect(border).not.toHaveAttribute('aria-valuenow', String(height));
});

test('the timeline: a counter is read where keys have drawn a stretch to', async ({ page }) => {
  await timeline(page, '?rows=share', 'slow');
  const rows = page.getByRole('tree', { name: 'Rows of the timeline' });
  await tabTo(page, rows.getByRole('treeitem').first());
  await press(page, 'ArrowDown', () =>
    rows.evaluate((e) => e.querySelector('.row.counter:focus .value') !== null),
  );
  const tip = page.locator('.canvases .tip');
  await expect(tip.locator('.name')).toHaveText(await rows.locator(':focus .name').innerText());
  const since = async () =>
    Number(/since ([\d,]+) ns/.exec(await tip.innerText())?.[1]?.replaceAll(',', ''));
  const end = await since();
  expect(end).toBeGreaterThan(0);
  for (let i = 0; i < 3; i++) await page.keyboard.press('Shift+ArrowLeft');
  await expect.poll(since).toBeLessThan(end);
  await expect(rows.locator('.row.counter:focus')).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expect.poll(since).toBe(end);
});

test('what a word means shows on keyboard focus, and Escape closes it', async ({ page }) => {
  await open(page, '/run/slow/overview');
  await still(page);
  const word = page.locator('span.defined[tabindex="0"]').first();
  await press(page, 'Tab', () => word.evaluate((e) => e === document.activeElement));
  const told = page.getByRole('tooltip');
  await expect(told).toHaveText(/\S/);
  await expect(word).toHaveAttribute('aria-describedby', (await told.getAttribute('id')) ?? '');
  await page.keyboard.press('Escape');
  await expect(told).toBeHidden();
  await expect(word).not.toHaveAttribute('aria-describedby');
  await expect(word).toBeFocused();
});
