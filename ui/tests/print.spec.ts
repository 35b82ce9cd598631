// SPDX-License-Identifier: Apache-2.0
// The overview on paper: all of it, in the colours of the light theme, without what is there to be clicked.
import { expect } from '@playwright/test';
import { open, test } from './pages';

/** What a sheet of A4 between its margins measures, in px; narrower than the page on a screen. */
const SHEET = 700;

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the overview on paper, from the ${colorScheme} theme`, async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    await open(page, '/run/slow/overview');
    await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme);
    await expect(page.locator('[data-lane]').first()).toBeVisible();
    await page.emulateMedia({ colorScheme, media: 'print' });
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');

    // Measured at once, as printing does: no observer of sizes is asked in between.
    const sheet = await page.evaluate((width) => {
      const app = document.getElementById('app');
      const main = document.querySelector('main');
      if (!app || !main) throw new Error('there is a page');
      app.style.width = `${width}px`;
      const right = app.getBoundingClientRect().right;
      const boxes = [...main.querySelectorAll('*')].map((node) => ({
        what: `${node.tagName} ${node.textContent.slice(0, 40)}`,
        box: node.getBoundingClientRect(),
        fill: getComputedStyle(node).backgroundColor,
      }));
      const bright = (colour: string) => {
        const [r = 255, g = 255, b = 255, alpha = 1] = (colour.match(/[\d.]+/g) ?? []).map(Number);
        return alpha === 0 || 0.3 * r + 0.6 * g + 0.1 * b > 128;
      };
      const seen = (node: Element) => node.getBoundingClientRect().width > 0;
      const cut = boxes.filter(({ box }) => box.width > 1 && box.right > right + 1);
      const filled = [...document.querySelectorAll('body, main, .panel, .panel *')].filter(
        (node) => !bright(getComputedStyle(node).backgroundColor) && !node.closest('.bar, i, svg'),
      );
      return {
        cut: cut.map(({ what }) => what),
        dark: filled.map((node) => `${node.tagName}.${node.className}`),
        toClick: [...document.querySelectorAll('button, input, .button, nav, .skip')]
          .filter(seen)
          .map((node) => node.textContent),
        scrolls: [...document.querySelectorAll('main, main :not(.hidden-text)')]
          .filter((node) => node.scrollHeight > node.clientHeight + 1 && node.clientHeight > 0)
          .filter((node) => getComputedStyle(node).overflowY !== 'visible')
          .map((node) => node.className),
        text: bright(getComputedStyle(main).color),
        shapes: [...main.querySelectorAll('svg rect')].map((r) => r.getBoundingClientRect().width),
        parts: [...main.querySelectorAll('.bar .part')].map((p) => p.getBoundingClientRect().width),
        fills: [...main.querySelectorAll('.bar .part')].map(
          (p) => getComputedStyle(p).printColorAdjust,
        ),
      };
    }, SHEET);
    expect(sheet.cut).toEqual([]);
    expect(sheet.scrolls).toEqual([]);
    expect(sheet.dark).toEqual([]);
    expect(sheet.toClick).toEqual([]);
    expect(await page.locator('main').innerText()).not.toMatch(/by a click|Each opens/);
    expect(sheet.text, 'dark text on paper').toBe(false);
    expect(sheet.shapes.length).toBeGreaterThan(1);
    expect(Math.min(...sheet.shapes)).toBeGreaterThan(0);
    expect(sheet.parts.length).toBeGreaterThan(1);
    expect(Math.max(...sheet.parts)).toBeGreaterThan(SHEET / 4);
    expect(new Set(sheet.fills)).toEqual(new Set(['exact'])); // bars are no backgrounds to leave out
    const pdf = await page.pdf({ format: 'A4' });
    const pages = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g) ?? [];
    expect(pages.length).toBeGreaterThan(0);
    expect(pages.length, 'a few sheets').toBeLessThan(5);
  });
}
