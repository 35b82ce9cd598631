// SPDX-License-Identifier: Apache-2.0
// How far the rows are scrolled, as an address tells it: which row is the topmost, and how much of it is
// above the edge. Pixels alone would be another place once rows are added, folded or pinned.
import type { Layout } from './rows';
import { rowAt } from './rows';

export interface Anchor {
  /** The row's key. */
  readonly row: string;
  /** CSS pixels of it that are scrolled away. */
  readonly px: number;
}

/** Null: nothing is scrolled, or there are no rows. */
export function anchorOf(layout: Layout, scroll: number): Anchor | null {
  const row = layout.rows[rowAt(layout, layout.pinnedHeight + scroll, layout.pinnedCount)];
  if (scroll <= 0 || row === undefined) return null;
  return { row: row.node.key, px: Math.round(layout.pinnedHeight + scroll - row.top) };
}

/** What has to be scrolled for it; null: there is no such row now. */
export function scrollOf(layout: Layout, anchor: Anchor): number | null {
  const row = layout.rows.find((r) => !r.pinned && r.node.key === anchor.row);
  return row === undefined ? null : Math.max(row.top - layout.pinnedHeight + anchor.px, 0);
}

export const anchorText = (of: Anchor): string => `${of.row}.${of.px}`;

export function parseAnchor(text: string | undefined): Anchor | null {
  const match = /^([a-z0-9]{1,24})\.(\d{1,6})$/.exec(text ?? '');
  return match === null ? null : { row: match[1] ?? '', px: Number(match[2]) };
}
