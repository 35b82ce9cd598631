// SPDX-License-Identifier: Apache-2.0
import type { Source } from '../api/source';
import { cutTexts, restored } from '../base/cut_text';
import { router } from '../state/router.svelte';

/** Whom to ask for texts in whole; a one-file report has nobody. */
let server: Source | null = null;

export function copyFrom(source: Source): void {
  server = source.kind === 'server' ? source : null;
  document.addEventListener('copy', copyExact);
}

/**
 * What is copied carries exact figures: each `data-exact` in the selection stands in place of its text, and a
 * figure of which a part is chosen is copied whole. Texts that the server has cut are asked for and put in whole.
 */
function copyExact(event: ClipboardEvent): void {
  const selection = getSelection();
  if (!selection || selection.isCollapsed || event.defaultPrevented || !event.clipboardData) return;
  const range = selection.getRangeAt(0).cloneRange();
  const { commonAncestorContainer: within } = range;
  const element = within instanceof Element ? within : within.parentElement;
  const figure = element?.closest('.num[data-exact]');
  if (figure) range.selectNode(figure);
  const part = range.cloneContents();
  const figures = part.querySelectorAll<HTMLElement>('[data-exact]');
  if (figures.length === 0) return;
  for (const one of figures) one.textContent = one.dataset.exact ?? '';
  const text = laidOut(part);
  event.clipboardData.setData('text/plain', text);
  event.preventDefault();
  void copyWhole(text);
}

/** A part of the page as text: lines and cells are apart as they are seen, which only what is laid out tells. */
function laidOut(part: DocumentFragment): string {
  const holder = document.createElement('div');
  holder.setAttribute('aria-hidden', 'true');
  Object.assign(holder.style, { position: 'fixed', left: '-10000px', width: '1000px' });
  holder.append(part);
  document.body.append(holder);
  const text = holder.innerText.replace(/\n{2,}/g, '\n');
  holder.remove();
  return text;
}

/** Puts a text on the clipboard with all that was cut of it; where nothing was cut, nothing happens. */
export async function copyWhole(text: string): Promise<void> {
  const { route } = router;
  const cut = cutTexts(text);
  const source = server;
  if (source === null || cut.length === 0 || route.kind !== 'run') return;
  // What cannot be had stays cut, as it was copied already.
  const whole = await Promise.all(
    cut.map((number) =>
      source
        .json<{ text: string }>(route.run, `text/${number}`)
        .then((answer): [string, string] => [number, answer.text])
        .catch(() => null),
    ),
  );
  const known = new Map(whole.filter((w) => w !== null));
  if (known.size > 0)
    await navigator.clipboard.writeText(restored(text, known)).catch(() => undefined);
}
