// SPDX-License-Identifier: Apache-2.0
// The section `distributed` (docs/reference/report.md): of a recorded run, or of a profile, which tells
// more. What only one of them has is optional here.
import type * as report from '../../api/report';
import { tokenOf } from '../../base/color';
import { title } from '../../base/format';
import type { CsvColumn } from '../../widgets/csv';

type Told = report.Plain<report.Rank>;
export type Rank = Omit<Told, 'suspects'> & {
  suspects?: report.Seen<report.SuspectShare, 'name' | 'ns'>[];
};

/** A rank’s waiting in one step. */
export type RankWait = report.Seen<report.RankStep, 'rank' | 'step' | 'wait_ns'>;

export type RankStep = report.Seen<
  report.RankStep,
  'rank' | 'step' | 'wait_ns' | 'total_ns' | 'transfer_ns'
>;

/** Who came last to what all ranks do together. */
export type Late = report.Seen<report.Collective, 'ts_ns' | 'last_rank' | 'late_by_ns' | 'wait_ns'>;

export type Collective = report.Plain<report.Collective>;

export type Operation = report.Plain<report.Operation>;

export type BlamePart = report.Plain<report.BlamePart>;

export type Blame = report.Plain<report.Blame>;

/** What the ranks' figures, those by step, all waiting and who caused it rest on, all of them. */
export type Source = report.DistributedSource;

type Section = report.Plain<report.Distributed>;
export type Distributed = Pick<Section, 'status'> &
  Partial<Omit<Section, 'ranks'>> & { ranks?: Rank[] };

export interface DistributedSection {
  distributed: Distributed;
}

export interface Notes {
  /** Of the ranks side by side. */
  ranks: string;
  /** Of why a rank came late. */
  why: string;
  /** Of the tables of calls, where other figures do not rest on calls; else empty. */
  calls: string;
}

/** What is said of the collectives: all that is doubtful, and else why there is nothing to tell. */
export const saidOf = ({ notes, reason }: Pick<Distributed, 'notes' | 'reason'>): string =>
  (notes ?? []).map((note) => note.text).join('; ') || (reason?.text ?? '');

/** What a row's sum is. */
const SUM = '; the sum: computing, overlap, exposed communication and the rest';

/** What the figures rest on, in words. */
export function notesOf({ source, ranks }: Distributed): Notes {
  if (source === 'steps')
    return {
      ranks:
        'Of the steady steps: the ranks wait more in them than in the calls that were seen, as where DDP exchanges from within backward' +
        SUM,
      why: 'The stages of the steady steps in which it spent more than the others, in proportion',
      calls: 'waiting here is that in the calls alone, above it is that of the steady steps',
    };
  return {
    ranks:
      (ranks?.[0]?.mean_step_ns !== undefined
        ? 'Of the measured steps'
        : 'Of the steps, waiting as in the calls of collectives; exposed is what no computing hides' +
          (callsAtOnce(ranks ?? [])
            ? '; sums over calls, of which ranks had several at once'
            : '')) + SUM,
    why: 'Where it spent more than those that waited, since all were together last',
    calls: '',
  };
}

/** In how many it came last; null: not reported. */
export function lastIn(blame: Blame, source: Source | undefined): [number, string] | null {
  const count = source === 'steps' ? blame.steps : blame.collectives;
  if (count === undefined) return null;
  const one = source === 'steps' ? 'steady step' : 'collective';
  return [count, count === 1 ? one : `${one}s`];
}

export interface BarPart {
  name: string;
  title: string;
  /** A token. */
  color: string;
  ns: number;
}

/** Whole ns in proportion to `weights`, which sum to `total` exactly; 0 each where none weighs. */
function shared(total: number, weights: readonly number[]): number[] {
  const all = weights.reduce((sum, w) => sum + w, 0);
  let [weight, given] = [0, 0];
  return weights.map((w) => {
    weight += w;
    // Up to here and no more: what one part's rounding takes, the next one gives.
    const part = all > 0 ? Math.round(total * (weight / all)) - given : 0;
    given += part;
    return part;
  });
}

/** What keeps a rank of a recorded run beside computing and communicating; of a profile it is `other_ns`. */
const OWN = ['data_pipeline', 'framework_overhead', 'other_work', 'unattributed'] as const;

const causeOf = (rank: Rank, name: string): number =>
  rank.other_ns === undefined ? (rank.suspects?.find((s) => s.name === name)?.ns ?? 0) : 0;

/** What a rank made others wait: as it says, else as who is blamed for. */
export const causedBy = (rank: Rank, blame: readonly Blame[]): number | undefined =>
  rank.caused_wait_ns ??
  (blame.length > 0 ? (blame.find((b) => b.rank === rank.rank)?.caused_wait_ns ?? 0) : undefined);

/** Whether a rank had several calls at once: their sums are longer than the time that passed. */
export const callsAtOnce = (ranks: readonly Rank[]): boolean =>
  ranks.some(
    (r) =>
      r.overlap_ns !== null &&
      r.exposed_ns !== null &&
      r.unmatched_ns !== undefined &&
      (r.transfer_ns ?? 0) + (r.wait_ns ?? 0) + r.unmatched_ns > r.overlap_ns + r.exposed_ns,
  );

/** As told; else of its parts. */
export const totalOf = (rank: Rank): number =>
  rank.total_ns ?? partsOf(rank).reduce((sum, part) => sum + part.ns, 0);

/**
 * A rank's time by what it is, whole ns: the parts sum to its total. Exposed communication is transfer,
 * waiting and what found no counterpart, in proportion to the calls' durations, which may run beside
 * kernels.
 */
export function partsOf(rank: Rank): BarPart[] {
  const exposed = rank.exposed_ns ?? 0;
  const calls = [rank.transfer_ns ?? 0, rank.wait_ns ?? 0, rank.unmatched_ns ?? 0] as const;
  const none = calls.every((ns) => ns <= 0);
  const [transfer = 0, wait = 0, unmatched = 0] = shared(exposed, none ? [0, 0, 1] : calls);
  const parts = [
    {
      name: 'computation',
      title: 'Computing alone',
      color: '--model',
      ns: rank.computation_ns ?? 0,
    },
    {
      name: 'overlap',
      title: 'Computing and communicating',
      color: '--cat-4',
      ns: rank.overlap_ns ?? 0,
    },
    {
      name: 'transfer',
      title: 'Exposed: transfer',
      color: '--communication',
      ns: transfer,
    },
    { name: 'wait', title: 'Exposed: waiting', color: '--cat-5', ns: wait },
    {
      name: 'unmatched',
      title: 'Exposed: not matched',
      color: '--cat-1',
      ns: unmatched,
    },
    ...OWN.map((name) => ({
      name,
      title: title(name),
      color: tokenOf(name),
      ns: causeOf(rank, name),
    })),
    {
      name: 'other',
      title: 'Other',
      color: '--other',
      ns: rank.other_ns ?? 0,
    },
  ];
  return parts.filter((p) => p.ns > 0);
}

export interface Matrix {
  late: number[];
  waiting: number[];
  /** How many there are, drawn or not. */
  lateCount: number;
  waitingCount: number;
  /** [late][waiting], ns. */
  cells: number[][];
  most: number;
}

/** Who made whom wait, the ranks that caused most first; at most `limit` of either. */
export function matrixOf(blame: readonly Blame[], limit: number): Matrix {
  const all = blame.filter((b) => (b.waiters?.length ?? 0) > 0);
  const late = [...all].sort((a, b) => b.caused_wait_ns - a.caused_wait_ns).slice(0, limit);
  const sums = new Map<number, number>();
  for (const { waiters } of late) {
    for (const w of waiters ?? []) sums.set(w.rank, (sums.get(w.rank) ?? 0) + w.wait_ns);
  }
  const kept = [...sums].sort((a, b) => b[1] - a[1]).slice(0, limit);
  const waiting = kept.map(([rank]) => rank).sort((a, b) => a - b);
  const cells = late.map(({ waiters }) =>
    waiting.map((rank) => waiters?.find((w) => w.rank === rank)?.wait_ns ?? 0),
  );
  return {
    late: late.map((b) => b.rank),
    waiting,
    lateCount: all.length,
    waitingCount: sums.size,
    cells,
    most: Math.max(1, ...cells.flat()),
  };
}

/** A row a pair of ranks, of all of them: the one that came late, and the one that waited. */
export function blameColumns(blame: readonly Blame[]): CsvColumn[] {
  const pairs = blame.flatMap((b) => (b.waiters ?? []).map((w) => ({ late: b.rank, ...w })));
  return [
    { title: 'late rank', values: pairs.map((p) => p.late) },
    { title: 'waiting rank', values: pairs.map((p) => p.rank) },
    { title: 'wait (ns)', values: pairs.map((p) => p.wait_ns) },
  ];
}

export interface LastLine {
  rank: number;
  values: (number | null)[];
}

/** How late the last rank came to each, a line a rank; those that cost most, at most `limit`. */
export function lastRanks(
  collectives: readonly Late[],
  limit: number,
): { at: number[]; lines: LastLine[] } {
  const sorted = [...collectives].sort((a, b) => a.ts_ns - b.ts_ns);
  const sums = new Map<number, number>();
  for (const c of sorted) sums.set(c.last_rank, (sums.get(c.last_rank) ?? 0) + c.wait_ns);
  const ranks = [...sums]
    .sort((a, b) => b[1] - a[1])
    .slice(0, limit)
    .map(([rank]) => rank);
  return {
    at: sorted.map((c) => c.ts_ns),
    lines: ranks.map((rank) => ({
      rank,
      values: sorted.map((c) => (c.last_rank === rank ? c.late_by_ns : null)),
    })),
  };
}

/** Waiting of each rank by step, the ranks that wait most first; at most `limit`. */
export function waitByStep(
  steps: readonly RankWait[],
  limit: number,
): { at: number[]; lines: LastLine[] } {
  const told = steps.filter((s) => s.wait_ns !== null);
  const numbers = [...new Set(told.map((s) => s.step))].sort((a, b) => a - b);
  const byRank = new Map<number, Map<number, number>>();
  for (const s of told) {
    const of = byRank.get(s.rank) ?? new Map<number, number>();
    of.set(s.step, (of.get(s.step) ?? 0) + (s.wait_ns ?? 0));
    byRank.set(s.rank, of);
  }
  const total = (of: Map<number, number>) => [...of.values()].reduce((a, b) => a + b, 0);
  const lines = [...byRank]
    .sort((a, b) => total(b[1]) - total(a[1]))
    .slice(0, limit)
    .map(([rank, of]) => ({ rank, values: numbers.map((n) => of.get(n) ?? null) }));
  return { at: numbers, lines };
}
