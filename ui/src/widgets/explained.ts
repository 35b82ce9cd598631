// SPDX-License-Identifier: Apache-2.0
// What a word means, told beside it: on hover and, by Tab, to the keys. Escape closes it. One box for the
// whole page: it lies above whatever would cut it off.
import type { Attachment } from 'svelte/attachments';
import { placed } from './placed';

const ID = 'explanation';
/** So long the pointer may take from the word to the box, to read or to copy there. */
const GRACE_MS = 150;

let box: HTMLDivElement | null = null;
let shownFor: HTMLElement | null = null;
let leaving: ReturnType<typeof setTimeout> | undefined;

function theBox(): HTMLDivElement {
  if (box?.isConnected) return box;
  box = document.createElement('div');
  box.id = ID;
  box.className = 'explanation no-print';
  box.role = 'tooltip';
  box.popover = 'manual';
  box.addEventListener('pointerenter', () => clearTimeout(leaving));
  box.addEventListener('pointerleave', leave);
  document.body.append(box);
  return box;
}

function show(node: HTMLElement, text: string): void {
  clearTimeout(leaving);
  if (shownFor === node) return;
  hide();
  const of = theBox();
  of.textContent = text;
  node.setAttribute('aria-describedby', ID);
  of.showPopover();
  const { left, top } = placed(
    node.getBoundingClientRect(),
    { width: of.offsetWidth, height: of.offsetHeight },
    { width: document.documentElement.clientWidth, height: window.innerHeight },
  );
  of.style.left = `${String(left)}px`;
  of.style.top = `${String(top)}px`;
  shownFor = node;
  window.addEventListener('keydown', onkey, true);
  window.addEventListener('scroll', hide, true);
}

function hide(): void {
  clearTimeout(leaving);
  if (shownFor === null) return;
  shownFor.removeAttribute('aria-describedby');
  shownFor = null;
  box?.hidePopover();
  window.removeEventListener('keydown', onkey, true);
  window.removeEventListener('scroll', hide, true);
}

function leave(): void {
  clearTimeout(leaving);
  leaving = setTimeout(hide, GRACE_MS);
}

/** Escape is for the explanation alone: what lies below it stays open. */
function onkey(event: KeyboardEvent): void {
  if (event.key !== 'Escape') return;
  event.preventDefault();
  event.stopPropagation();
  hide();
}

/** Explains an element that the keys reach; undefined: there is nothing to tell. */
export const explained =
  (text: string | undefined): Attachment<HTMLElement> =>
  (node) => {
    if (!text) return;
    const stops = new AbortController();
    const on = (type: string, run: () => void) => {
      node.addEventListener(type, run, { signal: stops.signal });
    };
    on('pointerenter', () => {
      show(node, text);
    });
    on('pointerleave', leave);
    on('focus', () => {
      if (node.matches(':focus-visible')) show(node, text);
    });
    on('blur', hide);
    on('click', hide);
    return () => {
      stops.abort();
      if (shownFor === node) hide();
    };
  };
