// SPDX-License-Identifier: Apache-2.0
// The part of a step that a sum over steps is: of one rank as the report has it, of several over the steps of all.
import type * as report from '../api/report';
import { formatNs, formatShare } from '../base/format';
import type { Column } from './table';

export interface StepTime {
  readonly steps: number;
  readonly ns: number;
}

/** Of one rank, or of all (null). */
export function stepTimeOf(
  totals: readonly report.Seen<report.OperatorTotals, 'rank' | 'steps' | 'steps_ns'>[],
  rank: number | null,
): StepTime {
  const counted = totals.filter((t) => rank === null || t.rank === rank);
  return {
    steps: counted.reduce((sum, t) => sum + t.steps, 0),
    ns: counted.reduce((sum, t) => sum + t.steps_ns, 0),
  };
}

/** To the nearest nanosecond, as the report rounds. */
export const perStep = (inStepsNs: number, of: StepTime): number =>
  Math.floor((inStepsNs + Math.floor(of.steps / 2)) / of.steps);

/** Columns for a table of what lies in steps; none where there are no steps. */
export function stepColumns<Row>(
  of: StepTime,
  inSteps: (row: Row) => number,
  what: string,
): Column<Row>[] {
  if (of.steps <= 0 || of.ns <= 0) return [];
  return [
    {
      id: 'ofstep',
      title: '% of step',
      value: (r) => inSteps(r) / of.ns,
      format: (r) => formatShare(inSteps(r) / of.ns),
      help: `${what} in steps, of the duration of the steps`,
      width: '76px',
    },
    {
      id: 'perstep',
      title: 'Per step',
      value: (r) => perStep(inSteps(r), of),
      format: (r) => formatNs(perStep(inSteps(r), of)),
      help: `${what} in steps, divided by their number`,
      width: '72px',
    },
  ];
}
