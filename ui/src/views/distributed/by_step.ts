// SPDX-License-Identifier: Apache-2.0
// Who came last and who waited, of a run in which no call was matched: by its steps.
import { where, within, type Steps } from '../../api/steps';
import type { TimeRange } from '../../base/time';
import type { Late, RankWait } from './section';

export interface ByStep {
  /** Steps that several ranks made. */
  shared: number;
  waits: RankWait[];
  late: Late[];
}

/**
 * As the verdict counts (docs/concepts/verdict.md): what every rank spends in a steady step on
 * communication is the exchange itself, the rest is waiting for the rank that spends least.
 */
export function byStep(steps: Steps, chosen: TimeRange | null): ByStep {
  const communication = steps.parts.get('communication');
  const spent = (i: number) => communication?.[i] ?? 0;
  const members = new Map<number, number[]>();
  for (const i of where(steps, (i) => steps.kind[i] === 'train' && within(steps, i, chosen))) {
    const step = steps.step[i] ?? 0;
    const known = members.get(step);
    if (known) known.push(i);
    else members.set(step, [i]);
  }
  const found: ByStep = { shared: 0, waits: [], late: [] };
  for (const [step, rows] of [...members].sort(([a], [b]) => a - b)) {
    if (rows.length < 2) continue;
    found.shared += 1;
    const last = rows.reduce((least, i) => (spent(i) < spent(least) ? i : least));
    const waits = rows.map((i) => ({
      rank: steps.rank[i] ?? 0,
      step,
      wait_ns: spent(i) - spent(last),
    }));
    found.waits.push(...waits);
    const wait_ns = waits.reduce((sum, w) => sum + w.wait_ns, 0);
    if (wait_ns === 0) continue;
    found.late.push({
      ts_ns: steps.ts[last] ?? 0,
      last_rank: steps.rank[last] ?? 0,
      late_by_ns: Math.max(...waits.map((w) => w.wait_ns)),
      wait_ns,
    });
  }
  return found;
}
