// SPDX-License-Identifier: Apache-2.0
// The section `operators` (docs/reference/operators.md), grouped for a table: by name, by name and
// input shapes, or by name and the place that called.
import type * as report from '../../api/report';

export type Times = report.Seen<
  report.OperatorSums,
  | 'calls'
  | 'host_total_ns'
  | 'host_self_ns'
  | 'device_total_ns'
  | 'device_self_ns'
  | 'kernel_self_ns'
  | 'tensor_core_self_ns'
  | 'tensor_core_eligible'
  | 'host_self_in_steps_ns'
  | 'device_self_in_steps_ns'
>;

export interface Operator extends Times {
  rank: number;
  name: string;
  shapes: (Times & Pick<report.OperatorByShape, 'input_shapes'>)[];
  stacks: (Times & Pick<report.OperatorByStack, 'call_stack' | 'user_frame'>)[];
}

export interface OperatorsSection {
  operators: report.Rows<Operator>;
  operator_totals: report.Rows<
    report.Seen<report.OperatorTotals, 'rank' | 'device_outside_ns' | 'steps' | 'steps_ns'>
  >;
}

export const GROUPINGS = [
  { id: 'name', title: 'Name' },
  { id: 'shape', title: 'Name and shapes' },
  { id: 'caller', title: 'Name and caller' },
] as const;
export type Grouping = (typeof GROUPINGS)[number]['id'];

/** By what there is: a profile may hold neither shapes nor callers. */
export const groupingsOf = (operators: readonly Operator[]) =>
  GROUPINGS.filter(({ id }) => {
    switch (id) {
      case 'name':
        return true;
      case 'shape':
        return operators.some((o) => o.shapes.some((s) => shapesText(s.input_shapes) !== ''));
      case 'caller':
        return operators.some((o) => o.stacks.some((s) => s.call_stack.length > 0));
    }
  });

export interface OperatorRow extends Times {
  key: string;
  name: string;
  /** Shapes or caller; empty when grouped by name alone. */
  detail: string;
  stack: readonly string[];
  /** Of all rows; own times, so that they sum to 1. */
  host_share: number;
  device_share: number;
}

/** Shapes as one reads them: `32×3×224×224, 64×3×7×7`; scalars and lists of nothing are left out. */
export function shapesText(shapes: unknown): string {
  if (!Array.isArray(shapes)) return '';
  return shapes
    .map((s) => (Array.isArray(s) && s.length > 0 ? flat(s) : ''))
    .filter((text) => text !== '')
    .join(', ');
}

function flat(shape: unknown[]): string {
  if (shape.every((d) => typeof d === 'number')) return shape.join('×');
  return `[${shape.map((s) => (Array.isArray(s) ? flat(s) : String(s))).join(', ')}]`;
}

const FIELDS = [
  'calls',
  'host_total_ns',
  'host_self_ns',
  'device_total_ns',
  'device_self_ns',
  'kernel_self_ns',
  'tensor_core_self_ns',
  'host_self_in_steps_ns',
  'device_self_in_steps_ns',
] as const;

interface Piece {
  detail: string;
  stack: string[];
  times: Times;
}

/** With a piece for the calls of which nothing is told: a profile may hold the stacks of some alone. */
function withRest(of: Operator, pieces: Piece[]): Piece[] {
  const rest: Times = { ...zero(), tensor_core_eligible: of.tensor_core_eligible };
  for (const field of FIELDS)
    rest[field] = of[field] - pieces.reduce((sum, piece) => sum + piece.times[field], 0);
  return rest.calls > 0 ? [...pieces, { detail: '', stack: [], times: rest }] : pieces;
}

function parts(of: Operator, by: Grouping): Piece[] {
  switch (by) {
    case 'name':
      return [{ detail: '', stack: of.stacks[0]?.call_stack ?? [], times: of }];
    case 'shape':
      return withRest(
        of,
        of.shapes.map((s) => ({ detail: shapesText(s.input_shapes), stack: [], times: s })),
      );
    case 'caller':
      return withRest(
        of,
        of.stacks.map((s) => ({
          detail: callerOf(s),
          stack: s.call_stack,
          times: s,
        })),
      );
  }
}

/** The line that a user can change, as the report tells it; without one the innermost frame. */
export const callerOf = (
  of: Readonly<Pick<report.OperatorByStack, 'call_stack' | 'user_frame'>>,
): string => of.call_stack[of.user_frame ?? 0] ?? '';

/** Rows of all ranks together, or of one. Times of one call count once in each grouping. */
export function grouped(
  operators: readonly Operator[],
  by: Grouping,
  rank: number | null,
): OperatorRow[] {
  const rows = new Map<string, OperatorRow>();
  for (const operator of operators) {
    if (rank !== null && operator.rank !== rank) continue;
    for (const { detail, stack, times } of parts(operator, by)) {
      const key = `${operator.name}\n${detail}`;
      let row = rows.get(key);
      if (row === undefined) {
        row = {
          ...zero(),
          key,
          name: operator.name,
          detail,
          stack,
          host_share: 0,
          device_share: 0,
        };
        rows.set(key, row);
      }
      for (const field of FIELDS) row[field] += times[field];
      row.tensor_core_eligible ||= times.tensor_core_eligible;
    }
  }
  const list = [...rows.values()];
  const host = list.reduce((sum, r) => sum + r.host_self_ns, 0);
  const device = list.reduce((sum, r) => sum + r.device_self_ns, 0);
  for (const row of list) {
    row.host_share = host > 0 ? row.host_self_ns / host : 0;
    row.device_share = device > 0 ? row.device_self_ns / device : 0;
  }
  return list;
}

const zero = (): Times => ({
  calls: 0,
  host_total_ns: 0,
  host_self_ns: 0,
  device_total_ns: 0,
  device_self_ns: 0,
  kernel_self_ns: 0,
  tensor_core_self_ns: 0,
  tensor_core_eligible: false,
  host_self_in_steps_ns: 0,
  device_self_in_steps_ns: 0,
});

export const ranksOf = (operators: readonly Operator[]): number[] =>
  [...new Set(operators.map((o) => o.rank))].sort((a, b) => a - b);
