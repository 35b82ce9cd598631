// SPDX-License-Identifier: Apache-2.0
// Rows of the timeline from the tree: what is folded, pinned and searched for, and where each row
// lies. Heights in CSS pixels.
import type { Track, TreeNode } from './tree';
import type { Span } from './viewport';

export const GROUP_HEIGHT = 24;
export const COUNTER_HEIGHT = 44;
export const LANE_HEIGHT = 17;
export const FOLDED_LANE_HEIGHT = 4;
/** Between tracks, so that lanes of different tracks are not taken for one. */
const GAP = 5;
/** A folded track is never taller than two lines, however deep its stacks are. */
const FOLDED_MAX = 34;

export interface TrackRow {
  readonly node: TreeNode;
  readonly top: number;
  readonly height: number;
  readonly laneHeight: number;
  readonly lanes: number;
  readonly folded: boolean;
  readonly pinned: boolean;
  /** Indent in the list: 0 for pinned rows, which stand apart from their tree. */
  readonly depth: number;
}

export interface Layout {
  readonly rows: TrackRow[];
  readonly height: number;
  /** Height of the pinned rows, which do not scroll. They are the first of `rows`. */
  readonly pinnedHeight: number;
  readonly pinnedCount: number;
}

export interface RowState {
  folded: ReadonlySet<string>;
  pinned: readonly string[];
  /** Part of a row's name, any case; empty: all rows. */
  filter: string;
  /** Rows whose slices all lie elsewhere are left out; null: none is. */
  within: Span | null;
}

const canFold = (node: TreeNode): boolean =>
  node.children.length > 0 || (node.kind === 'slices' && (node.track?.lanes ?? 0) > 1);

function measure(node: TreeNode, folded: boolean): { height: number; laneHeight: number } {
  switch (node.kind) {
    case 'node':
    case 'rank':
    case 'group':
      return { height: GROUP_HEIGHT, laneHeight: 0 };
    case 'counter':
      return { height: COUNTER_HEIGHT, laneHeight: 0 };
    case 'slices': {
      const lanes = Math.max(node.track?.lanes ?? 1, 1);
      if (!folded || lanes === 1)
        return { height: lanes * LANE_HEIGHT + GAP, laneHeight: LANE_HEIGHT };
      const laneHeight = Math.max(Math.min(FOLDED_LANE_HEIGHT, FOLDED_MAX / lanes), 1);
      const height = Math.max(Math.min(lanes * laneHeight, FOLDED_MAX), LANE_HEIGHT);
      return { height: height + GAP, laneHeight };
    }
  }
}

/** Of values no times are told: they count as everywhere. */
function liesIn({ first_ns, last_ns, slices, values }: Track, within: Span): boolean {
  if (first_ns === null || last_ns === null) return slices + values > 0;
  return first_ns < within.toNs && last_ns > within.fromNs;
}

/** Counters are found by their metric's name, too. */
const isNamed = ({ name, track }: TreeNode, part: string): boolean =>
  name.toLowerCase().includes(part) || (track?.name.toLowerCase().includes(part) ?? false);

/**
 * Rows whose name, or that of a row above or below them, holds the filter, and of these the ones with
 * something in `within`, on them or below. Null: all rows.
 */
function kept(nodes: readonly TreeNode[], { filter, within }: RowState): Set<string> | null {
  if (filter === '' && within === null) return null;
  const part = filter.toLowerCase();
  const keep = new Set<string>();
  const visit = (node: TreeNode, above: boolean): boolean => {
    const named = above || isNamed(node, part);
    let any = named && (within === null || (node.track !== null && liesIn(node.track, within)));
    for (const child of node.children) any = visit(child, named) || any;
    if (any) keep.add(node.key);
    return any;
  };
  for (const node of nodes) visit(node, false);
  return keep;
}

export function layout(nodes: readonly TreeNode[], state: RowState): Layout {
  const rows: TrackRow[] = [];
  let top = 0;
  const keep = kept(nodes, state);
  const push = (node: TreeNode, pinned: boolean, depth: number): boolean => {
    const folded = state.folded.has(node.key) && canFold(node);
    const { height, laneHeight } = measure(node, folded);
    const lanes = node.kind === 'slices' ? Math.max(node.track?.lanes ?? 1, 1) : 0;
    rows.push({ node, top, height, laneHeight, lanes, folded, pinned, depth });
    top += height;
    return folded;
  };
  const pinned = new Map<string, TreeNode>();
  const find = (list: readonly TreeNode[]): void => {
    for (const node of list) {
      if (state.pinned.includes(node.key)) pinned.set(node.key, node);
      find(node.children);
    }
  };
  if (state.pinned.length > 0) find(nodes);
  for (const key of state.pinned) {
    const node = pinned.get(key);
    if (node !== undefined) push(node, true, 0);
  }
  const pinnedHeight = top;
  const pinnedCount = rows.length;
  const visit = (list: readonly TreeNode[]): void => {
    for (const node of list) {
      if (keep !== null && !keep.has(node.key)) continue;
      if (!push(node, false, node.depth) || node.kind === 'slices') visit(node.children);
    }
  };
  visit(nodes);
  return { rows, height: top, pinnedHeight, pinnedCount };
}

/** The first row of the scrolling part that ends below `y`; rows.length if none does. */
export function rowAt(layout: Layout, y: number, from = 0): number {
  let low = from;
  let high = layout.rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const row = layout.rows[middle];
    if (row !== undefined && row.top + row.height <= y) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Rows to draw: the pinned ones, and those that show in `height` pixels when scrolled to `scroll`. */
export function visibleRows(layout: Layout, scroll: number, height: number): TrackRow[] {
  const from = layout.pinnedHeight + scroll;
  const to = scroll + height;
  const rows = layout.rows.slice(0, layout.pinnedCount);
  for (let i = rowAt(layout, from, layout.pinnedCount); i < layout.rows.length; ++i) {
    const row = layout.rows[i];
    if (row === undefined || row.top >= to) break;
    rows.push(row);
  }
  return rows;
}

export { canFold };

/** How far rows are to be scrolled for a lane of a track to be seen, no further than it takes. */
export function scrollToSee(
  { rows, pinnedHeight }: Layout,
  track: number,
  lane: number,
  scroll: number,
  height: number,
): number {
  const row = rows.find((r) => r.node.track?.track === track);
  if (row === undefined || row.pinned) return scroll;
  const top = row.top + lane * row.laneHeight;
  return Math.min(Math.max(scroll, top + row.laneHeight - height), top - pinnedHeight);
}
