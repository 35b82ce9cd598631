// SPDX-License-Identifier: Apache-2.0
// Steps that lie in one row over time are one rank's, or of each number the longest.
import { where, type Steps } from './steps';

/** A rank, or 'all': of each step number the rank that took longest. */
export type RankChoice = number | 'all';

export function ranksOf(steps: Steps): number[] {
  return [...new Set(Array.from(steps.rank))].sort((a, b) => a - b);
}

/** 'all' unless the text names a rank that is there. */
export function parseRank(text: string | null, ranks: readonly number[]): RankChoice {
  return ranks.find((r) => String(r) === text) ?? 'all';
}

/** Rows of the steps that are shown, of those that it takes, ascending by begin. */
export function rowsOf(
  steps: Steps,
  choice: RankChoice,
  takes: (i: number) => boolean = () => true,
): number[] {
  const of = where(steps, (i) => takes(i) && (choice === 'all' || steps.rank[i] === choice));
  const rows = choice === 'all' ? longestOfEach(steps, of) : of;
  return rows.sort((a, b) => (steps.ts[a] ?? 0) - (steps.ts[b] ?? 0));
}

function longestOfEach(steps: Steps, rows: readonly number[]): number[] {
  const longest = new Map<number, number>();
  for (const i of rows) {
    const step = steps.step[i] ?? 0;
    const before = longest.get(step);
    if (before === undefined || (steps.dur[i] ?? 0) > (steps.dur[before] ?? 0))
      longest.set(step, i);
  }
  return [...longest.values()];
}
