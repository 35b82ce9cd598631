// SPDX-License-Identifier: Apache-2.0
// What the tests of the pages share.
import { readFileSync } from 'node:fs';
import AxeBuilder from '@axe-core/playwright';
import { expect, test as base, type Locator, type Page, type Request } from '@playwright/test';
import { addressFile } from './runs';

/** What a page has asked for and not been answered; a stream of events is never answered in full. */
const unanswered = new WeakMap<Page, Set<Request>>();
export const asking = (page: Page): number => unanswered.get(page)?.size ?? 0;

function watchRequests(page: Page) {
  const waiting = new Set<Request>();
  unanswered.set(page, waiting);
  page.on('request', (request) => {
    if (request.resourceType() !== 'eventsource') waiting.add(request);
  });
  page.on('requestfinished', (request) => waiting.delete(request));
  page.on('requestfailed', (request) => waiting.delete(request));
}

/** Of a run, as addresses name them; UI_VIEWS: only some. */
export const VIEWS = (
  process.env.UI_VIEWS ??
  'overview steps data system timeline devices operators kernels modules memory tensors distributed rules'
).split(' ');

/**
 * A page that fails the test where a script of it fails, the server's policy forbids something or anything is
 * loaded from elsewhere.
 */
export const test = base.extend<{ page: Page }>({
  page: async ({ page }, use) => {
    const problems: string[] = [];
    watchRequests(page);
    await page.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', (event) => {
        const where = `${event.sourceFile}:${String(event.lineNumber)}`;
        console.warn(
          `Content Security Policy: ${event.effectiveDirective} ${event.blockedURI} ${where}`,
        );
      });
    });
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('console', (message) => {
      if (/Content Security Policy/i.test(message.text())) problems.push(message.text());
    });
    page.on('request', (request) => {
      const { protocol, hostname } = new URL(request.url());
      const own = ['data:', 'blob:', 'file:', 'about:'].includes(protocol);
      if (!own && hostname !== '127.0.0.1') problems.push(`asked for ${request.url()}`);
    });
    await use(page);
    expect(problems).toEqual([]);
  },
});

export const address = () => readFileSync(addressFile, 'utf8').trim();

export async function open(page: Page, fragment: string, at = address()): Promise<void> {
  await page.goto('about:blank');
  await page.goto(`${at}/#${fragment}`);
  await settled(page);
}

/** Nothing is on its way any more. */
export async function settled(page: Page): Promise<void> {
  await expect(page.locator('main')).not.toBeEmpty();
  await expect(page.locator('main .loading')).toHaveCount(0);
}

export async function accessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(' ')}`)).toEqual([]);
}

/** The exact figures under an element, as they would be copied. */
export const exact = (page: Page, selector: string): Promise<string[]> =>
  page
    .locator(`${selector} [data-exact]`)
    .evaluateAll((nodes) => nodes.map((n) => (n as HTMLElement).dataset.exact ?? ''));

/** Cells of the rows of a table that are drawn, as the pointer is told them: exact, below what the column means. */
export const cellsOf = (grid: Locator): Promise<string[][]> =>
  grid
    .locator('.body')
    .evaluateAll((rows) =>
      rows.map((row) =>
        [...row.querySelectorAll<HTMLElement>('[role=gridcell][title]')].map(
          (cell) => cell.title.split('\n').at(-1) ?? '',
        ),
      ),
    );

export const grouped = (value: number): string =>
  Number.isInteger(value) ? String(value).replace(/\B(?=(\d{3})+$)/g, ',') : String(value);
