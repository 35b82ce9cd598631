// SPDX-License-Identifier: Apache-2.0
// The rank that the others wait for, where it is worth a line of the overview.
import type { Report } from '../../api/report';

/** Less of the time of all ranks is not worth a word. */
const LEAST_SHARE = 0.01;

export interface LateRank {
  readonly rank: number;
  readonly caused_wait_ns: number;
  /** Of all waiting. */
  readonly share: number;
}

type Known = Pick<Report, 'distributed' | 'run' | 'steps' | 'verdict'>;

/** The rank that causes most waiting, twice an equal part or more; null: none does, or the verdict names it. */
export function lateRank({ distributed, run, steps, verdict }: Known): LateRank | null {
  const [most] = [...(distributed.blame ?? [])].sort((a, b) => b.caused_wait_ns - a.caused_wait_ns);
  const { share } = most ?? {};
  if (!most || share === undefined || verdict.straggler_rank === most.rank) return null;
  // All steps, warm-up too: what was waited in them is in the sum.
  const time = (steps.duration_ns?.mean ?? 0) * steps.count * run.ranks;
  const matters = share * run.ranks >= 2 && most.caused_wait_ns >= LEAST_SHARE * time;
  return matters ? { rank: most.rank, caused_wait_ns: most.caused_wait_ns, share } : null;
}
