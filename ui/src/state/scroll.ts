// SPDX-License-Identifier: Apache-2.0
// How far a page and its tables are scrolled: kept with the entry of the browser's history, so that reload and
// back show what was seen, and a link to the same address begins at the top.
import { router } from './router.svelte';

/** Of one entry; what is scrolled there by name. */
type Scrolls = Readonly<Record<string, number>>;

/** More than any page has: an entry stays small. */
const MOST = 40;
/** After the last movement: browsers refuse entries that are written too often. */
const QUIET_MS = 200;
/** What is asked for on opening has come by then, or the reader does not wait for it. */
const PATIENCE_MS = 15_000;
const EVERY_MS = 50;

const scrollsOf = (state: unknown): Scrolls => {
  const scroll = (state as { scroll?: unknown } | null)?.scroll;
  return typeof scroll === 'object' && scroll !== null ? (scroll as Scrolls) : {};
};

/** How far `name` was scrolled; null: not known. */
export function remembered(state: unknown, name: string): number | null {
  const top = scrollsOf(state)[name];
  return typeof top === 'number' && top >= 0 ? top : null;
}

/** The state of an entry with how far `name` is scrolled. */
export function remember(state: unknown, name: string, top: number): { scroll: Scrolls } {
  const others = Object.entries(scrollsOf(state)).filter(([other]) => other !== name);
  return { scroll: Object.fromEntries([...others.slice(1 - MOST), [name, Math.round(top)]]) };
}

/** For `{@attach}`: scrolls the element to where it was, and remembers where it is. */
export function keepScroll(name: string): (element: HTMLElement) => () => void {
  return (element) => {
    void router.visit; // made anew for each entry
    const wanted = remembered(history.state, name);
    const stops = new AbortController();
    const { signal } = stops;
    let pending: ReturnType<typeof setTimeout> | undefined;
    let restoring = wanted !== null && wanted > 0 ? restore(element, wanted, () => done()) : null;

    function done() {
      clearInterval(restoring ?? undefined);
      restoring = null;
    }
    function save() {
      clearTimeout(pending);
      pending = undefined;
      // The entry is another page's already.
      if (location.hash !== router.address) return;
      history.replaceState(remember(history.state, name, element.scrollTop), '');
    }
    function soon() {
      if (restoring !== null) return;
      clearTimeout(pending);
      pending = setTimeout(save, QUIET_MS);
    }
    /** The reader takes over; and what comes next may leave the page. */
    function acted() {
      done();
      if (pending !== undefined) save();
    }
    element.addEventListener('scroll', soon, { signal, passive: true });
    for (const act of ['wheel', 'pointerdown', 'keydown', 'touchstart'])
      window.addEventListener(act, acted, { signal, capture: true, passive: true });
    if (wanted === null && element.scrollTop > 0) soon();
    return () => {
      stops.abort();
      clearTimeout(pending);
      done();
    };
  };
}

/** Again and again while what is above is still on its way. */
function restore(element: HTMLElement, top: number, done: () => void) {
  const until = Date.now() + PATIENCE_MS;
  const attempt = () => {
    if (Math.abs(element.scrollTop - top) > 1) element.scrollTop = top;
    const there = Math.abs(element.scrollTop - top) <= 1;
    if ((there && !element.querySelector('.loading')) || Date.now() > until) done();
  };
  return setInterval(attempt, EVERY_MS);
}
