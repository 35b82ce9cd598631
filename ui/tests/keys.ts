// SPDX-License-Identifier: Apache-2.0
// What the tests of the keyboard share: where Tab leads on a page, and what there takes the pointer.
import { expect, type Page } from '@playwright/test';
import { asking, settled } from './pages';

/** A stop of Tab, as the page has it. */
export interface Stop {
  readonly tag: string;
  readonly role: string;
  readonly name: string;
  /** Of several that read alike, which one. */
  readonly nth: number;
}

declare global {
  interface Window {
    walked: Element[];
    takesPointer: () => Element[];
    described: (element: Element) => { tag: string; role: string; name: string };
  }
}

/** Notes, from the first script on, which elements take the pointer and which get the focus. */
export const watchPointers = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    const POINTER = /^(click|dblclick|wheel|pointer|mouse)/;
    const taking = new WeakSet<Element>();
    const add = EventTarget.prototype.addEventListener;
    EventTarget.prototype.addEventListener = function (
      this: EventTarget,
      ...args: Parameters<typeof add>
    ) {
      if (this instanceof Element && POINTER.test(args[0])) taking.add(this);
      add.apply(this, args);
    };
    /** Svelte listens once, at the root, and keeps the handlers with their elements. */
    const delegated = (element: Element): boolean =>
      Object.getOwnPropertySymbols(element)
        .filter((symbol) => symbol.description === 'events')
        .flatMap((symbol) => Object.keys(Reflect.get(element, symbol) as object))
        .some((name) => POINTER.test(name));
    window.takesPointer = () =>
      [...document.querySelectorAll('#app *')].filter(
        (element) =>
          (taking.has(element) || delegated(element)) &&
          element.checkVisibility() &&
          element.getClientRects().length > 0,
      );
    window.described = (element) => ({
      tag: element.tagName.toLowerCase(),
      role: element.getAttribute('role') ?? '',
      name: (element.getAttribute('aria-label') ?? element.textContent)
        .trim()
        .replace(/\s+/g, ' ')
        .slice(0, 80),
    });
    window.walked = [];
    document.addEventListener(
      'focusin',
      (event) => {
        if (event.target instanceof Element) window.walked.push(event.target);
      },
      true,
    );
  });

/** More stops than any page has: who comes out of none of its tables goes on for ever. */
const MOST_STOPS = 200;

/** On a page that was just opened: presses Tab until that leaves it, and tells where it led. */
export async function walk(page: Page): Promise<Stop[]> {
  await page.evaluate(() => {
    window.walked = [];
  });
  const left = () =>
    page.evaluate(() => {
      const { walked } = window;
      return document.activeElement === document.body || new Set(walked).size < walked.length;
    });
  let pressed = 0;
  do {
    expect(pressed, 'Tab comes out of the page').toBeLessThan(MOST_STOPS);
    for (let i = 0; i < 8; i++) await page.keyboard.press('Tab');
    pressed += 8;
  } while (!(await left()));
  return page.evaluate(() => {
    window.walked = [...new Set(window.walked)];
    const seen = new Map<string, number>();
    return window.walked.map((element) => {
      const what = window.described(element);
      const key = JSON.stringify(what);
      const nth = seen.get(key) ?? 0;
      seen.set(key, nth + 1);
      return { ...what, nth };
    });
  });
}

/** What was asked for has come, newer answers too, and is drawn: the page does not change any more. */
export async function still(page: Page): Promise<void> {
  await settled(page);
  let before = '';
  const same = async () => {
    if (asking(page) > 0) return false;
    const now = await page.evaluate(
      () =>
        `${document.querySelectorAll('*').length} ${document.querySelectorAll(':disabled, [data-busy=true], .loading').length} ${location.hash}`,
    );
    const stays = now === before;
    before = now;
    return stays;
  };
  await expect.poll(same, { intervals: [100] }).toBe(true);
}

/** Gives the focus to a stop, as the keys would; false: there is none like it now. */
export const focusOn = (page: Page, stop: Stop): Promise<boolean> =>
  page.evaluate(({ tag, role, name, nth }) => {
    const alike = [...document.querySelectorAll<HTMLElement>(tag)].filter((element) => {
      const other = window.described(element);
      return element.checkVisibility() && other.role === role && other.name === name;
    });
    alike[nth]?.focus();
    return alike[nth] !== undefined && document.activeElement === alike[nth];
  }, stop);

/** The focus is somewhere: a reader who presses Tab goes on from where they were. */
export const holdsFocus = (page: Page, after: string): Promise<void> =>
  expect
    .poll(() => page.evaluate(() => document.activeElement?.tagName ?? ''), { message: after })
    .not.toBe('BODY');

/** Presses a key again and again until this holds. */
export async function press(page: Page, key: string, holds: () => Promise<boolean>): Promise<void> {
  for (let pressed = 0; !(await holds()); pressed++) {
    expect(pressed, `${key} leads there`).toBeLessThan(MOST_STOPS);
    await page.keyboard.press(key);
  }
}

/** Figures whose exact value the pointer alone is told. */
export const hoverAlone = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('main [data-exact]')]
      // A row is copied exactly; of what is in view the address tells the ends.
      .filter((e) => !e.closest('.figures, [role=grid], [role=tree], .told, .selection, .range'))
      .filter((e) => e.checkVisibility() && e.dataset.exact !== e.textContent.trim())
      .map((e) => `${e.textContent}: ${e.dataset.exact ?? ''}`),
  );

/** Stops whose focus is not seen, in the theme that is shown. */
export const unseen = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const canvas = document.createElement('canvas');
    const context = canvas.getContext('2d', { willReadFrequently: true });
    const rgba = (color: string): number[] => {
      if (!context) return [0, 0, 0, 0];
      context.clearRect(0, 0, 1, 1);
      context.fillStyle = color;
      context.fillRect(0, 0, 1, 1);
      return [...context.getImageData(0, 0, 1, 1).data];
    };
    const light = (color: readonly number[]): number => {
      const [r = 0, g = 0, b = 0] = color.map((c) => {
        const v = c / 255;
        return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const behind = (element: Element | null): number[] => {
      for (let up = element; up; up = up.parentElement) {
        const color = rgba(getComputedStyle(up).backgroundColor);
        if ((color[3] ?? 0) > 200) return color;
      }
      return [255, 255, 255, 255];
    };
    const problem = (element: Element): string | null => {
      if (
        !element.isConnected ||
        !(element instanceof HTMLElement || element instanceof SVGElement)
      )
        return null;
      element.focus();
      if (document.activeElement !== element) return 'takes no focus';
      const { width, height } = element.getBoundingClientRect();
      if (width < 2 || height < 2) return 'has no size';
      const style = getComputedStyle(element);
      if (style.outlineStyle === 'none' || parseFloat(style.outlineWidth) < 1) return 'has no ring';
      const inside = parseFloat(style.outlineOffset) < 0;
      const [a, b] = [
        light(rgba(style.outlineColor)),
        light(behind(inside ? element : element.parentElement)),
      ].sort((x, y) => y - x);
      return ((a ?? 0) + 0.05) / ((b ?? 0) + 0.05) < 3 ? 'has a ring that is hardly seen' : null;
    };
    return window.walked.flatMap((element) => {
      const why = problem(element);
      return why === null ? [] : [`${JSON.stringify(window.described(element))} ${why}`];
    });
  });

/** Pairs of stops of which Tab reaches that first which is read later. */
export const outOfOrder = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const { walked, described } = window;
    return walked.slice(1).flatMap((later, i) => {
      const sooner = walked[i];
      if (!sooner?.isConnected || !later.isConnected) return [];
      const follows = sooner.compareDocumentPosition(later) & Node.DOCUMENT_POSITION_FOLLOWING;
      const [a, b] = [sooner.getBoundingClientRect(), later.getBoundingClientRect()];
      const within = sooner.contains(later);
      const part = (e: Element) => e.closest('section, header, nav, [role=tabpanel]');
      const same = part(sooner) === part(later);
      // On the same line to the right, or on a line below.
      const reads = within || !same || b.top >= a.bottom - 6 || b.left >= a.left - 1;
      if (follows && reads) return [];
      return [`${JSON.stringify(described(sooner))} before ${JSON.stringify(described(later))}`];
    });
  });
