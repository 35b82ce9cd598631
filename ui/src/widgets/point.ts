// SPDX-License-Identifier: Apache-2.0

const EVERY_MS = 100;
/** What is above has come by then, or the reader does not wait for it. */
const PATIENCE_MS = 10_000;

/**
 * Brings what a link points at into view, to be attached where the address names it. At once and not
 * smoothly: a scroll of a whole page moves much, and who followed a link looks for its end. Again while
 * what is above it is still on its way, until the reader acts.
 */
export function intoView(node: Element): () => void {
  const until = Date.now() + PATIENCE_MS;
  const stops = new AbortController();
  const show = () => {
    node.scrollIntoView({ block: 'start' });
    if (!document.querySelector('main .loading') || Date.now() > until) done();
  };
  const timer = setInterval(show, EVERY_MS);
  function done() {
    clearInterval(timer);
    stops.abort();
  }
  for (const act of ['wheel', 'pointerdown', 'keydown', 'touchstart'])
    window.addEventListener(act, done, { signal: stops.signal, capture: true, passive: true });
  node.scrollIntoView({ block: 'start' });
  return done;
}
