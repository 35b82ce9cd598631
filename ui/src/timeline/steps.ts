// SPDX-License-Identifier: Apache-2.0
// The band of steps over the timeline, and the way to a step by its number.
import type { Span } from './viewport';

export interface Step {
  rank: number;
  step: number;
  fromNs: number;
  toNs: number;
  kind: string;
  /** Time of its forward; null: no phase is known of it. */
  forwardNs: number | null;
}

/** Steps of the rank that tells most of them; the lowest of those. Sorted by begin. */
export function bandOf(steps: readonly Step[]): Step[] {
  const counts = new Map<number, number>();
  for (const step of steps) counts.set(step.rank, (counts.get(step.rank) ?? 0) + 1);
  let best = -1;
  let most = 0;
  for (const [rank, count] of [...counts].sort((a, b) => a[0] - b[0])) {
    if (count > most) {
      best = rank;
      most = count;
    }
  }
  return steps.filter((s) => s.rank === best).sort((a, b) => a.fromNs - b.fromNs);
}

/** Steps of each rank by begin. */
export function stepsByRank(steps: readonly Step[]): ReadonlyMap<number, readonly Step[]> {
  const byRank = new Map<number, Step[]>();
  for (const step of steps) {
    const list = byRank.get(step.rank);
    if (list === undefined) byRank.set(step.rank, [step]);
    else list.push(step);
  }
  for (const list of byRank.values()) list.sort((a, b) => a.fromNs - b.fromNs);
  return byRank;
}

/** Steps that lie in the view, at least partly. Steps of a rank do not overlap. */
export function inView(band: readonly Step[], view: Span): readonly Step[] {
  let low = 0;
  let high = band.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((band[middle] as Step).toNs <= view.fromNs) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (end < band.length && (band[end] as Step).fromNs < view.toNs) ++end;
  return band.slice(low, end);
}

export const byNumber = (band: readonly Step[], number: number): Step | null =>
  band.find((s) => s.step === number) ?? null;

/** The step in which `ns` lies, else the next one; the last one where none comes after. */
export function at(band: readonly Step[], ns: number): number {
  const found = band.findIndex((s) => ns < s.toNs);
  return found < 0 ? band.length - 1 : found;
}
