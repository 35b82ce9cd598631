// SPDX-License-Identifier: Apache-2.0
// When checkpoints were saved and loaded: slices, for a step tells how long it took for them, not when, and what
// lies outside of steps no step tells.
import type { Columns } from '../../api/arrow';
import { CHECKPOINTS } from '../../api/page';
import type { Source } from '../../api/source';

export interface Checkpoint {
  /** NaN where the process has none. */
  readonly rank: number;
  readonly ts: number;
  readonly dur: number;
  /** The step it lies in; NaN where it lies in none. */
  readonly step: number;
  /** `save` or `load`; empty: unknown. */
  readonly kind: string;
}

const QUERY = {
  columns: ['rank', 'ts_ns', 'dur_ns', 'step', 'depth', 'args'],
  where: CHECKPOINTS,
  limit: 100_000,
} as const;

export async function loadCheckpoints(source: Source, run: string, signal: AbortSignal) {
  return checkpointsOf(await source.table(run, 'slices', QUERY, signal));
}

function kindOf(args: string): string {
  try {
    const { kind } = JSON.parse(args) as { kind?: unknown };
    return typeof kind === 'string' ? kind : '';
  } catch {
    return '';
  }
}

/** A load inside of another range is a dataset's, which reads its samples so. */
export function checkpointsOf(columns: Columns): Checkpoint[] {
  const [rank, ts, dur] = ['rank', 'ts_ns', 'dur_ns'].map((name) => columns.numbers(name));
  const [step, depth] = ['step', 'depth'].map((name) => columns.numbers(name));
  return columns
    .strings('args')
    .map((args, i) => ({
      rank: rank?.[i] ?? NaN,
      ts: ts?.[i] ?? 0,
      dur: dur?.[i] ?? 0,
      step: step?.[i] ?? NaN,
      depth: depth?.[i] ?? 0,
      kind: kindOf(args),
    }))
    .filter(({ kind, depth }) => kind !== 'load' || depth === 0);
}
