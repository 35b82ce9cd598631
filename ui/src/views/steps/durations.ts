// SPDX-License-Identifier: Apache-2.0
// Durations of steps as the view draws and lists them.
import type { Outlier, Report } from '../../api/report';
import { within, where, type Steps } from '../../api/steps';
import { STEP_CAUSES } from '../../api/tables';
import { namedByStage } from '../../base/suspects';
import type { Stretch } from '../../base/time';

/** Less of a step is not worth a word. */
const LEAST_SHARE = 0.005;

/** The column of the table of steps that holds a suspect's time. */
const causeOf = (suspect: string): string => (namedByStage(suspect) ? 'other' : suspect);

/** Causes that the report tells of all steps together and no step's own row: windows of operators are of a few. */
export function toldOfAllAlone(
  suspects: readonly Pick<Report['suspects']['rows'][number], 'name' | 'share'>[],
  steps: Pick<Steps, 'parts'>,
): string[] {
  const inRows = (name: string) =>
    Array.from(steps.parts.get(causeOf(name)) ?? []).some((ns) => ns > 0);
  return suspects.filter((s) => s.share >= LEAST_SHARE && !inRows(s.name)).map((s) => s.name);
}

/** Durations of the steady training steps of all ranks in the stretch, as the report's percentiles take them. */
export function steadyDurations(steps: Steps, chosen: Stretch | null): number[] {
  return where(steps, (i) => steps.kind[i] === 'train' && within(steps, i, chosen)).map(
    (i) => steps.dur[i] ?? 0,
  );
}

export interface StepRow {
  readonly rank: number;
  readonly step: number;
  readonly kind: string;
  readonly ts: number;
  readonly dur: number;
  readonly cause: string;
  readonly causeShare: number;
  readonly row: number;
}

/** A step with the cause that took most of it. */
export function stepRow(steps: Steps, i: number): StepRow {
  let cause = 'other';
  let most = -1;
  for (const name of STEP_CAUSES) {
    const value = steps.parts.get(name)?.[i] ?? 0;
    if (value > most) [cause, most] = [name, value];
  }
  const dur = steps.dur[i] ?? 0;
  return {
    rank: steps.rank[i] ?? 0,
    step: steps.step[i] ?? 0,
    kind: steps.kind[i] ?? '',
    ts: steps.ts[i] ?? 0,
    dur,
    cause,
    causeShare: dur > 0 ? most / dur : 0,
    row: i,
  };
}

export const outlierKey = (o: Outlier): string => `${o.rank} ${o.step}`;
