// SPDX-License-Identifier: Apache-2.0
// Keys of the rows' names while one has the focus, as those of any tree.
import { canFold, type TrackRow } from './rows';

export const ROW_KEYS: readonly { keys: readonly string[]; says: string }[] = [
  { keys: ['ArrowUp', 'ArrowDown'], says: 'row above, row below' },
  { keys: ['Home', 'End'], says: 'first row, last row' },
  { keys: ['ArrowRight'], says: 'unfold the row, else the row below' },
  { keys: ['ArrowLeft'], says: 'fold the row, else the row that it belongs to' },
  { keys: ['Enter', ' '], says: 'fold or unfold the row' },
  { keys: ['p'], says: 'pin the row, or unpin it' },
];

const TAKEN = new Set(ROW_KEYS.flatMap(({ keys }) => keys));

/** Whether a key is the rows', and not the timeline's. */
export const isRowKey = (key: string): boolean => TAKEN.has(key);

export type RowAct =
  | { readonly kind: 'go'; readonly to: number }
  | { readonly kind: 'toggle' }
  | { readonly kind: 'pin' };

/** The row that `at` belongs to; itself where it belongs to none. */
function above(at: number, rows: readonly TrackRow[]): number {
  const depth = rows[at]?.depth ?? 0;
  for (let i = at - 1; i >= 0; --i) {
    const row = rows[i];
    if (row && !row.pinned && row.depth < depth) return i;
  }
  return at;
}

/** What a key does on the row `at`; null: nothing. */
export function rowAct(key: string, at: number, rows: readonly TrackRow[]): RowAct | null {
  const row = rows[at];
  if (row === undefined) return null;
  const go = (to: number): RowAct => ({
    kind: 'go',
    to: Math.min(Math.max(to, 0), rows.length - 1),
  });
  const folds = canFold(row.node);
  switch (key) {
    case 'ArrowUp':
      return go(at - 1);
    case 'ArrowDown':
      return go(at + 1);
    case 'Home':
      return go(0);
    case 'End':
      return go(rows.length - 1);
    case 'ArrowRight':
      return folds && row.folded ? { kind: 'toggle' } : go(at + 1);
    case 'ArrowLeft':
      return folds && !row.folded ? { kind: 'toggle' } : go(row.pinned ? at : above(at, rows));
    case 'Enter':
    case ' ':
      return folds ? { kind: 'toggle' } : null;
    case 'p':
      return row.node.track === null ? null : { kind: 'pin' };
    default:
      return null;
  }
}
