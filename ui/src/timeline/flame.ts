// SPDX-License-Identifier: Apache-2.0
// Boxes in boxes, as wide as what they stand for: call stacks and trees of modules.

import { hashName } from '../base/color';
import { formatShare, grouped } from '../base/format';
import type { CsvColumn } from '../widgets/csv';
import type { SourcePlace } from './source';
import { bothNs } from './tip';

export interface Flame {
  name: string;
  /** What of it stands in the box; absent: as far as the name tells. */
  short?: string;
  /** What an address knows it by, where its name may change as the data grow; absent: its name. */
  key?: string;
  /** Where it is; absent: as far as its name tells. */
  place?: SourcePlace | null;
  /** What it shares its colour with; absent: its name decides. */
  tint?: string;
  /** The category whose colours it has; absent: those of operators. */
  category?: 'python_function' | 'cpu_op';
  /** Own and that of all below. */
  value: number;
  /** Of samples, calls or whatever the graph counts, own and below; absent: not known. */
  count?: number;
  depth: number;
  /** Sum of the boxes to the left: where it begins. */
  from: number;
  children: Flame[];
}

/** Puts the largest child first and tells each box where it begins. */
export function settle(flame: Flame): void {
  flame.children.sort((a, b) => b.value - a.value);
  let at = flame.from;
  for (const child of flame.children) {
    child.from = at;
    at += child.value;
    settle(child);
  }
}

export interface FlameBox {
  flame: Flame;
  /** Shares of the width. */
  left: number;
  width: number;
  row: number;
}

/** Boxes to draw when `focus` fills the width: itself, what is below it, and its callers above. */
export function boxes(root: Flame, focus: Flame, least: number): FlameBox[] {
  const list: FlameBox[] = [];
  const scale = focus.value > 0 ? 1 / focus.value : 0;
  const visit = (flame: Flame): void => {
    const left = Math.max((flame.from - focus.from) * scale, 0);
    const right = Math.min((flame.from + flame.value - focus.from) * scale, 1);
    if (right - left < least) return;
    list.push({ flame, left, width: right - left, row: flame.depth });
    for (const child of flame.children) visit(child);
  };
  visit(root);
  return list;
}

export const deepest = (flame: Flame): number =>
  flame.children.reduce((most, child) => Math.max(most, deepest(child)), flame.depth);

const hashUnder = (above: string, { key, name }: Flame): string =>
  hashName(`${above}/${key ?? name}`).toString(36);

/** What an address calls a box: a hash of the keys from the outermost to it; '' is the root. */
export function keyOf(root: Flame, flame: Flame): string {
  return pathTo(root, flame).slice(1).reduce(hashUnder, '');
}

/** The box of that key; the root where there is none, as in a graph of another measure. */
export function boxOf(root: Flame, key: string): Flame {
  const visit = (flame: Flame, own: string): Flame | null => {
    if (own === key) return flame;
    for (const child of flame.children) {
      const found = visit(child, hashUnder(own, child));
      if (found !== null) return found;
    }
    return null;
  };
  return visit(root, '') ?? root;
}

/** From the root down to a box, itself last; empty where the graph does not hold it. */
export function pathTo(root: Flame, flame: Flame): Flame[] {
  if (root === flame) return [root];
  for (const child of root.children) {
    const below = pathTo(child, flame);
    if (below.length > 0) return [root, ...below];
  }
  return [];
}

/**
 * A row a box, from `top` down, its callers' rows before it: a number, its caller's, its names and figures.
 * Rows refer to rows, for stacks as texts would repeat each other.
 */
export function flameColumns(top: Flame, value: string, count: string): CsvColumn[] {
  const rows: { flame: Flame; above: number }[] = [{ flame: top, above: NaN }];
  for (let i = 0; i < rows.length; i++)
    for (const flame of rows[i]?.flame.children ?? []) rows.push({ flame, above: i + 1 });
  const own = ({ value: whole, children }: Flame) =>
    children.reduce((left, child) => left - child.value, whole);
  const named: CsvColumn[] = [
    { title: 'row', values: rows.map((_, i) => i + 1) },
    { title: 'row of caller', values: rows.map((r) => r.above) },
    { title: 'depth', values: rows.map((r) => r.flame.depth) },
    { title: 'name', values: rows.map((r) => r.flame.name) },
    { title: `total (${value})`, values: rows.map((r) => r.flame.value) },
    { title: `own (${value})`, values: rows.map((r) => own(r.flame)) },
  ];
  return count ? [...named, { title: `${count}s`, values: rows.map((r) => r.flame.count) }] : named;
}

/** What keys do in the graph, for the keys' help; the arrows are `boxAfterKey`. */
export const FLAME_KEYS: readonly { keys: readonly string[]; says: string }[] = [
  { keys: ['ArrowUp', 'ArrowDown'], says: 'to the caller; to the widest box below' },
  { keys: ['ArrowLeft', 'ArrowRight'], says: 'to the next box under the same caller' },
  { keys: ['Home'], says: 'to the outermost box' },
  { keys: ['Enter', ' '], says: 'zoom: the box as wide as the graph' },
  { keys: ['Backspace'], says: 'zoom out by one box' },
  { keys: ['Escape'], says: 'show all again' },
];

/** Where an arrow leads among the boxes that are drawn; null: nowhere. */
export function boxAfterKey(
  key: string,
  root: Flame,
  at: Flame,
  drawn: ReadonlySet<Flame>,
): Flame | null {
  const above = pathTo(root, at).at(-2);
  const beside = (by: 1 | -1): Flame | undefined => {
    const row = (above?.children ?? []).filter((f) => drawn.has(f));
    return row[row.indexOf(at) + by];
  };
  const to: Readonly<Record<string, () => Flame | undefined>> = {
    ArrowUp: () => above,
    ArrowDown: () => at.children.find((f) => drawn.has(f)),
    ArrowLeft: () => beside(-1),
    ArrowRight: () => beside(1),
    Home: () => root,
  };
  return to[key]?.() ?? null;
}

export interface Told {
  /** `62.1 ms · 62,134,567 ns` */
  time: string;
  /** Of all that the graph shows. */
  share: string;
  count: string;
}

/** A box in figures: to read, and exactly. `unit`: what the graph counts, in the singular. */
export function told(root: Flame, flame: Flame, unit: string): Told {
  const share = formatShare(root.value > 0 ? flame.value / root.value : null).text;
  return {
    time: bothNs(flame.value),
    share: `${share} of ${grouped(root.value)} ns`,
    count: flame.count ? `${grouped(flame.count)} ${unit}${flame.count === 1 ? '' : 's'}` : '',
  };
}
