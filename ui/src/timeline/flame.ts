// SPDX-License-Identifier: Apache-2.0
// Boxes in boxes, as wide as what they stand for: call stacks and trees of modules.

import type { SourcePlace } from './source';

export interface Flame {
  name: string;
  /** Where it is; absent: as far as its name tells. */
  place?: SourcePlace | null;
  /** What it shares its colour with; absent: its name decides. */
  tint?: string;
  /** Own and that of all below. */
  value: number;
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

export interface Box {
  flame: Flame;
  /** Shares of the width. */
  left: number;
  width: number;
  row: number;
}

/** Boxes to draw when `focus` fills the width: itself, what is below it, and its callers above. */
export function boxes(root: Flame, focus: Flame, least: number): Box[] {
  const list: Box[] = [];
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
