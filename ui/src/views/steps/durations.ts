// SPDX-License-Identifier: Apache-2.0
// Durations of steps as the view draws and lists them.
import type { Outlier, Report } from '../../api/report';
import { timeRangeOfStep, within, where, type Steps } from '../../api/steps';
import { STEP_CAUSES, STEP_PHASES, STEP_STAGES } from '../../api/tables';
import { tokenOf } from '../../base/color';
import { percentile } from '../../base/stats';
import { namedByStage } from '../../base/suspects';
import type { TimeRange } from '../../base/time';

/** Less of a step is not worth a word. */
const LEAST_SHARE = 0.005;

/** The column of the table of steps that holds a suspect's time. */
const causeOf = (suspect: string): string => (namedByStage(suspect) ? 'other' : suspect);

/** Causes that the report tells of all steps together and no step's own row: windows of operators are of a few. */
export function onlyOfAllSteps(
  suspects: readonly Pick<Report['suspects']['rows'][number], 'name' | 'share'>[],
  steps: Pick<Steps, 'parts'>,
): string[] {
  const inRows = (name: string) =>
    Array.from(steps.parts.get(causeOf(name)) ?? []).some((ns) => ns > 0);
  return suspects.filter((s) => s.share >= LEAST_SHARE && !inRows(s.name)).map((s) => s.name);
}

/** Durations of the steady training steps of all ranks in the time range, as the report's percentiles take them. */
export function steadyDurations(steps: Steps, chosen: TimeRange | null): number[] {
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

/** A step as it is named beside others; `several` ranks have steps of one number. */
export function stepName(steps: Steps, i: number, several: boolean): string {
  const kind = steps.kind[i] === 'eval' ? 'evaluation of step' : 'step';
  const rank = several ? ` of rank ${steps.rank[i] ?? 0}` : '';
  return `${kind} ${steps.step[i] ?? 0}${rank}`;
}

/** The outliers' places among the rows that are drawn, each in the colour of what grew most. */
export function markedSteps(
  outliers: readonly Outlier[],
  steps: Steps,
  rows: readonly number[],
): { at: number; color: string }[] {
  const causes = new Map(outliers.map((o) => [`${o.rank} ${o.ts_ns}`, o.cause]));
  return rows.flatMap((i, at) => {
    const cause = causes.get(`${steps.rank[i] ?? 0} ${steps.ts[i] ?? 0}`);
    return cause === undefined ? [] : [{ at, color: cause ? tokenOf(cause) : '--text' }];
  });
}

/** The step that the time range is, from its begin to its end; null: it is none. */
export function selectedStep(steps: Steps, chosen: TimeRange | null): number | null {
  if (chosen === null) return null;
  for (let i = 0; i < steps.length; ++i) {
    const { from, to } = timeRangeOfStep(steps, i);
    if (from === chosen.from && to === chosen.to && steps.kind[i] !== 'eval') return i;
  }
  return null;
}

export interface Against {
  readonly group: 'cause' | 'phase' | 'stage of waiting for data';
  readonly name: string;
  readonly here: number;
  readonly median: number;
}

export interface AgainstMedian {
  readonly rows: readonly Against[];
  /** Of the step and of the steady steps of its rank. */
  readonly dur: number;
  readonly median: number;
  readonly steady: number;
}

const GROUPS = [
  ['cause', STEP_CAUSES],
  ['stage of waiting for data', STEP_STAGES],
  ['phase', STEP_PHASES],
] as const;

/**
 * A step beside the steady steps of its rank: each part with its median over them. Parts that neither has are left
 * out; what is not known of a step is none of its time.
 */
export function againstMedian(steps: Steps, picked: number): AgainstMedian {
  const steady = where(
    steps,
    (i) => steps.kind[i] === 'train' && steps.rank[i] === steps.rank[picked],
  );
  const medianOf = (values: ArrayLike<number> | undefined) =>
    percentile(
      steady.map((i) => values?.[i] ?? 0).sort((a, b) => a - b),
      0.5,
    ) ?? 0;
  const rows = GROUPS.flatMap(([group, names]) =>
    names.map((name): Against => {
      const values = steps.parts.get(name);
      return { group, name, here: values?.[picked] ?? 0, median: medianOf(values) };
    }),
  );
  return {
    rows: rows
      .filter(({ here, median }) => here > 0 || median > 0)
      .sort(
        (a, b) =>
          GROUPS.findIndex(([g]) => g === a.group) - GROUPS.findIndex(([g]) => g === b.group) ||
          Math.abs(b.here - b.median) - Math.abs(a.here - a.median),
      ),
    dur: steps.dur[picked] ?? 0,
    median: medianOf(steps.dur),
    steady: steady.length,
  };
}

export const outlierKey = (o: Outlier): string => `${o.rank} ${o.step}`;
