// SPDX-License-Identifier: Apache-2.0
// Keys of the timeline; `[`, `]` and `?` are the application's. One table: what a key does and what the help says of it.
import { isRowKey } from './row_keys';

export type Action =
  | { kind: 'zoom'; factor: number }
  | { kind: 'pan'; share: number }
  | { kind: 'scroll'; lanes: number }
  | { kind: 'fit' }
  | { kind: 'fitSelection' }
  | { kind: 'search' }
  | { kind: 'mark' }
  /** One end of a time range that is being drawn moves by a share of the view. */
  | { kind: 'draw'; share: number }
  /** The drawn time range is chosen. */
  | { kind: 'take' }
  | { kind: 'stretch' }
  | { kind: 'lane'; by: 1 | -1 }
  | { kind: 'neighbour'; direction: 'previous' | 'next' | 'parent' }
  | { kind: 'step'; by: 1 | -1 }
  | { kind: 'match'; by: 1 | -1 }
  | { kind: 'clear' };

interface Key {
  keys: readonly string[];
  action: Action;
  says: string;
}

const ZOOM = 1.35;
const PAN = 0.15;
const DRAW = 0.02;

export const KEYS: readonly Key[] = [
  { keys: ['w', '+', '='], action: { kind: 'zoom', factor: 1 / ZOOM }, says: 'zoom in' },
  { keys: ['s', '-'], action: { kind: 'zoom', factor: ZOOM }, says: 'zoom out' },
  { keys: ['a', 'ArrowLeft'], action: { kind: 'pan', share: -PAN }, says: 'earlier' },
  { keys: ['d', 'ArrowRight'], action: { kind: 'pan', share: PAN }, says: 'later' },
  { keys: ['ArrowUp'], action: { kind: 'scroll', lanes: -3 }, says: 'rows up' },
  { keys: ['ArrowDown'], action: { kind: 'scroll', lanes: 3 }, says: 'rows down' },
  { keys: ['PageUp'], action: { kind: 'scroll', lanes: -20 }, says: 'a page up' },
  { keys: ['PageDown'], action: { kind: 'scroll', lanes: 20 }, says: 'a page down' },
  { keys: ['f'], action: { kind: 'fitSelection' }, says: 'fit the selection, else the run' },
  { keys: ['0', 'Home'], action: { kind: 'fit' }, says: 'fit the run' },
  { keys: ['/'], action: { kind: 'search' }, says: 'search slices by name' },
  { keys: ['n'], action: { kind: 'match', by: 1 }, says: 'next match' },
  { keys: ['N'], action: { kind: 'match', by: -1 }, says: 'previous match' },
  { keys: ['m'], action: { kind: 'mark' }, says: 'mark the moment under the cursor' },
  {
    keys: ['Shift ArrowLeft'],
    action: { kind: 'draw', share: -DRAW },
    says: 'draw a time range from the cursor, or from the middle, to the left',
  },
  {
    keys: ['Shift ArrowRight'],
    action: { kind: 'draw', share: DRAW },
    says: '… to the right; it is measured as it grows',
  },
  { keys: ['Enter'], action: { kind: 'take' }, says: 'select the time range that is drawn' },
  {
    keys: ['r'],
    action: { kind: 'stretch' },
    says: 'select the range of the selection, else between two marks, else what is visible',
  },
  {
    keys: ['.'],
    action: { kind: 'neighbour', direction: 'next' },
    says: 'next slice of the lane; the first in view where none is selected',
  },
  { keys: [','], action: { kind: 'neighbour', direction: 'previous' }, says: 'slice before' },
  { keys: ['u'], action: { kind: 'neighbour', direction: 'parent' }, says: 'slice around' },
  { keys: ['Shift ArrowUp'], action: { kind: 'lane', by: -1 }, says: 'slice in the lane above' },
  { keys: ['Shift ArrowDown'], action: { kind: 'lane', by: 1 }, says: 'slice in the lane below' },
  { keys: ['}'], action: { kind: 'step', by: 1 }, says: 'next step' },
  { keys: ['{'], action: { kind: 'step', by: -1 }, says: 'step before' },
  {
    keys: ['Escape'],
    action: { kind: 'clear' },
    says: 'drop the time range that is drawn, else clear the selection, else back to the whole run',
  },
];

/** What the pointer does, for the help. */
export const POINTER: readonly { gesture: string; says: string }[] = [
  { gesture: 'wheel', says: 'zoom at the cursor; with Shift earlier and later, with Alt rows' },
  { gesture: 'drag', says: 'move' },
  {
    gesture: 'Shift drag',
    says: 'select and measure a time range; on the ruler without Shift',
  },
  { gesture: 'click', says: 'select the slice; on the ruler, go to the step' },
  { gesture: 'double click', says: 'zoom to the slice' },
];

/** Of the border between rows and details, while it has the focus (Drawer.svelte). */
export const RESIZE_KEYS: readonly { keys: readonly string[]; says: string }[] = [
  { keys: ['ArrowUp', 'ArrowDown'], says: 'details higher, lower' },
  { keys: ['Home', 'End'], says: 'as low, as high as they can be' },
  { keys: ['Enter'], says: 'as at first' },
];

const BY_KEY = new Map(
  KEYS.flatMap(({ keys, action }) => keys.map((key) => [key, action] as const)),
);

export interface Pressed {
  key: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

/** Where keys are typed, or move something of their own. */
const OWN_KEYS =
  'input, select, textarea, dialog, [role=grid], [role=radiogroup], [role=separator]';
/** What Enter presses. */
const PRESSED = 'button, a, label, summary';

/** Whether what is focused takes this key itself. Of tabs and buttons these alone: letters stay the timeline's. */
export function isTaken(
  { key, shiftKey }: Pick<Pressed, 'key' | 'shiftKey'>,
  focused: Pick<Element, 'closest'>,
): boolean {
  if (focused.closest(OWN_KEYS)) return true;
  if (focused.closest('[role=tree]')) return !shiftKey && isRowKey(key);
  if (key === 'Enter') return focused.closest(PRESSED) !== null;
  return (
    (key === 'ArrowLeft' || key === 'ArrowRight') && focused.closest('[role=tablist]') !== null
  );
}

/** What a key does; null: nothing of ours, such as every key together with Ctrl. */
export function actionOf(pressed: Pressed): Action | null {
  if (pressed.ctrlKey || pressed.metaKey || pressed.altKey) return null;
  const { key } = pressed;
  if (pressed.shiftKey && key.startsWith('Arrow')) return BY_KEY.get(`Shift ${key}`) ?? null;
  return BY_KEY.get(key) ?? BY_KEY.get(key.toLowerCase()) ?? null;
}

const ARROWS: Readonly<Record<string, string>> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
};

/** A key as a help shows it. */
export const keyText = (key: string): string =>
  key === ' ' ? 'Space' : key.replace(/Arrow\w+/, (arrow) => ARROWS[arrow] ?? arrow);
