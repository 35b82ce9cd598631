// SPDX-License-Identifier: Apache-2.0
// The table `steps` as several views read it.
import { ns, type TimeRange } from '../base/time';
import type { Columns } from './arrow';
import type { Source } from './source';
import { STEP_CAUSES, STEP_PHASES, STEP_STAGES, type ColumnOf } from './tables';

type Numbers = ArrayLike<number>;

export interface Steps {
  readonly length: number;
  readonly rank: Numbers;
  readonly step: Numbers;
  readonly ts: Numbers;
  readonly dur: Numbers;
  readonly kind: readonly string[];
  readonly waits: Numbers;
  readonly starved: Numbers;
  /** Fewest batches that stood ready; NaN where none was asked for. */
  readonly queue: Numbers;
  /** ns by phase, cause (`other` is other work and unattributed time together) and stage of the data pipeline. */
  readonly parts: ReadonlyMap<string, Numbers>;
}

const PARTS = [...STEP_PHASES, ...STEP_CAUSES, ...STEP_STAGES];
export const STEP_COLUMNS: readonly ColumnOf<'steps'>[] = [
  'rank',
  'step',
  'ts_ns',
  'dur_ns',
  'kind',
  'waits',
  'starved_waits',
  'min_queue_depth',
  ...PARTS.map((p) => `${p}_ns` as const),
];
/** As many as the server sends at once. */
const LIMIT = 1_000_000;

export function stepsOf(columns: Columns): Steps {
  return {
    length: columns.length,
    rank: columns.numbers('rank'),
    step: columns.numbers('step'),
    ts: columns.numbers('ts_ns'),
    dur: columns.numbers('dur_ns'),
    kind: columns.strings('kind'),
    waits: columns.numbers('waits'),
    starved: columns.numbers('starved_waits'),
    queue: columns.numbers('min_queue_depth'),
    parts: new Map(PARTS.map((p) => [p, columns.numbers(`${p}_ns`)])),
  };
}

export async function loadSteps(source: Source, run: string, signal: AbortSignal): Promise<Steps> {
  return stepsOf(await source.table(run, 'steps', { columns: STEP_COLUMNS, limit: LIMIT }, signal));
}

/** Numbers of the rows for which `keep` holds. */
export function where(steps: Steps, keep: (i: number) => boolean): number[] {
  const rows: number[] = [];
  for (let i = 0; i < steps.length; i++) if (keep(i)) rows.push(i);
  return rows;
}

export function timeRangeOfStep(steps: Steps, i: number): TimeRange {
  const from = steps.ts[i] ?? 0;
  return { from: ns(from), to: ns(from + (steps.dur[i] ?? 0)) };
}

/** From the begin of the first of the steps to the end of the last; null where there are none. */
export function endsOf(steps: Steps, rows: readonly number[]): readonly [number, number] | null {
  let [low, high] = [Infinity, -Infinity];
  for (const i of rows) {
    const { from, to } = timeRangeOfStep(steps, i);
    low = Math.min(low, from);
    high = Math.max(high, to);
  }
  return low < high ? [low, high] : null;
}

/** Does the step lie in the time range, as a whole, as the report counts them? All do where none is chosen. */
export function within(steps: Steps, i: number, chosen: TimeRange | null): boolean {
  const { from, to } = timeRangeOfStep(steps, i);
  return chosen === null || (from >= chosen.from && to <= chosen.to);
}

/** Sum of a part over some rows, ns. */
export function total(steps: Steps, part: string, rows: readonly number[]): number {
  const values = steps.parts.get(part);
  let sum = 0;
  for (const i of rows) sum += values?.[i] ?? 0;
  return sum;
}

export interface Bucketed {
  /** Where each bucket begins, ends and has its middle, ns. */
  readonly from: number[];
  readonly to: number[];
  readonly at: number[];
  /** Share of the time of the bucket's steps by part. */
  readonly shares: ReadonlyMap<string, number[]>;
  /** The longest step of each bucket. */
  readonly longest: number[];
  /** Steps of a bucket; the last may have fewer. */
  readonly size: number;
}

/**
 * Parts over the run: their share of the time of as many steps in a row each time, at most `count` times, and the
 * longest of these steps: a slow one among many fast ones is seen, however many they are.
 */
export function bucketed(
  steps: Steps,
  rows: readonly number[],
  parts: readonly string[],
  count: number,
): Bucketed {
  const begin = (i: number | undefined) => steps.ts[i ?? 0] ?? 0;
  const length = (i: number | undefined) => steps.dur[i ?? 0] ?? 0;
  const order = [...rows].sort((a, b) => begin(a) - begin(b));
  const size = Math.max(1, Math.ceil(order.length / count));
  const buckets = Array.from({ length: Math.ceil(order.length / size) }, (_, b) =>
    order.slice(b * size, (b + 1) * size),
  );
  const times = buckets.map((members) => members.reduce((sum, i) => sum + length(i), 0));
  const shares = parts.map((part): [string, number[]] => [
    part,
    buckets.map((members, b) => total(steps, part, members) / (times[b] || 1)),
  ]);
  const from = buckets.map((members) => begin(members[0]));
  const to = buckets.map((members) => Math.max(...members.map((i) => begin(i) + length(i))));
  return {
    from,
    to,
    at: from.map((start, b) => Math.round((start + (to[b] ?? start)) / 2)),
    shares: new Map(shares),
    longest: buckets.map((members) =>
      members.reduce((most, i) => (length(i) > length(most) ? i : most), members[0] ?? 0),
    ),
    size,
  };
}

/** What a bar of theirs is. */
export const ofBuckets = (size: number): string =>
  size === 1 ? 'A bar for each step' : `A bar for every ${size} steps in a row`;
