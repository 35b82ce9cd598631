// SPDX-License-Identifier: Apache-2.0
// The table `steps` as several views read it.
import { ns, type Stretch } from '../base/time';
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

export function stretchOfStep(steps: Steps, i: number): Stretch {
  const from = steps.ts[i] ?? 0;
  return { from: ns(from), to: ns(from + (steps.dur[i] ?? 0)) };
}

/** Does the step lie in the stretch, as a whole, as the report counts them? All do where none is chosen. */
export function within(steps: Steps, i: number, chosen: Stretch | null): boolean {
  const { from, to } = stretchOfStep(steps, i);
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
  /** Middle of each bucket, ns; buckets without a step are left out. */
  readonly at: number[];
  /** Mean ns a step by part. */
  readonly means: ReadonlyMap<string, number[]>;
}

/** Parts over the run: the mean of the steps that begin in each of `count` equal stretches of time. */
export function bucketed(
  steps: Steps,
  rows: readonly number[],
  parts: readonly string[],
  count: number,
): Bucketed {
  let low = Infinity;
  let high = -Infinity;
  for (const i of rows) {
    low = Math.min(low, steps.ts[i] ?? 0);
    high = Math.max(high, (steps.ts[i] ?? 0) + (steps.dur[i] ?? 0));
  }
  const width = Math.max(1, (high - low) / count);
  const members = new Map<number, number[]>();
  for (const i of rows) {
    const bucket = Math.min(count - 1, Math.floor(((steps.ts[i] ?? 0) - low) / width));
    const list = members.get(bucket);
    if (list) list.push(i);
    else members.set(bucket, [i]);
  }
  const order = [...members.keys()].sort((a, b) => a - b);
  const means = parts.map((part): [string, number[]] => [
    part,
    order.map((b) => total(steps, part, members.get(b) ?? []) / (members.get(b)?.length ?? 1)),
  ]);
  return { at: order.map((b) => Math.round(low + (b + 0.5) * width)), means: new Map(means) };
}
