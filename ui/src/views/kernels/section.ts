// SPDX-License-Identifier: Apache-2.0
// The section `kernels` (docs/reference/operators.md) as rows of a table.
import type * as report from '../../api/report';

type Sums =
  | 'calls'
  | 'total_ns'
  | 'in_steps_ns'
  | 'mean_ns'
  | 'max_ns'
  | 'min_ns'
  | 'blocks_per_sm'
  | 'occupancy_percent';
type Counted = report.Seen<report.KernelSums, Sums>;
type Launch = report.Seen<
  report.KernelLaunch,
  | Sums
  | 'operator'
  | 'operator_tensor_core_eligible'
  | 'registers_per_thread'
  | 'shared_memory_bytes'
> & { grid: number[] | null; block: number[] | null };
export type Kernel = report.Seen<
  report.Kernel,
  Sums | 'rank' | 'name' | 'role' | 'tensor_cores' | 'share' | 'streams'
> & { launches: Launch[] };

export interface KernelsSection {
  kernels: report.Rows<Kernel>;
  kernel_classes: report.Rows<report.KernelClassTime>;
  operator_totals: report.Rows<report.Seen<report.OperatorTotals, 'rank' | 'steps' | 'steps_ns'>>;
}

export const GROUPINGS = [
  { id: 'name', title: 'Name' },
  { id: 'operator', title: 'Name and operator' },
  { id: 'launch', title: 'Each launch shape' },
] as const;
export type Grouping = (typeof GROUPINGS)[number]['id'];

export interface KernelRow {
  key: string;
  name: string;
  role: string;
  operator: string;
  grid: string;
  block: string;
  registers: number | null;
  shared_bytes: number | null;
  streams: string;
  calls: number;
  total_ns: number;
  in_steps_ns: number;
  max_ns: number;
  min_ns: number;
  /** Weighed by duration over the kernels that carry the figure. */
  blocks_per_sm: number | null;
  occupancy: number | null;
  tensor_cores: boolean;
  share: number;
}

interface Weighed extends KernelRow {
  blocks: { sum: number; weight: number };
  occupied: { sum: number; weight: number };
}

const dimensions = (of: number[] | null | undefined): string => (of ? of.join('×') : '');

function pieces(kernel: Kernel, by: Grouping): (Counted & Partial<Launch>)[] {
  return by === 'name' || kernel.launches.length === 0 ? [kernel] : kernel.launches;
}

function keyOf(kernel: Kernel, piece: Partial<Launch>, by: Grouping): string {
  if (by === 'name') return kernel.name;
  if (by === 'operator') return `${kernel.name}\n${piece.operator ?? ''}`;
  const { grid, block, registers_per_thread: registers, shared_memory_bytes: shared } = piece;
  return [kernel.name, piece.operator, dimensions(grid), dimensions(block), registers, shared].join(
    '\n',
  );
}

function begin(kernel: Kernel, piece: Partial<Launch>, by: Grouping, key: string): Weighed {
  const launch = by === 'launch';
  return {
    key,
    name: kernel.name,
    role: kernel.role,
    operator: by === 'name' ? '' : (piece.operator ?? ''),
    grid: launch ? dimensions(piece.grid) : '',
    block: launch ? dimensions(piece.block) : '',
    registers: launch ? (piece.registers_per_thread ?? null) : null,
    shared_bytes: launch ? (piece.shared_memory_bytes ?? null) : null,
    streams: kernel.streams.map((s) => `${s.device}:${s.stream}`).join(', '),
    calls: 0,
    total_ns: 0,
    in_steps_ns: 0,
    max_ns: 0,
    min_ns: Infinity,
    blocks_per_sm: null,
    occupancy: null,
    tensor_cores: kernel.tensor_cores,
    share: 0,
    blocks: { sum: 0, weight: 0 },
    occupied: { sum: 0, weight: 0 },
  };
}

function weigh(into: { sum: number; weight: number }, value: number | null, weight: number): void {
  if (value === null) return;
  into.sum += value * weight;
  into.weight += weight;
}

const mean = (of: { sum: number; weight: number }): number | null =>
  of.weight > 0 ? of.sum / of.weight : null;

/** Rows of all ranks together, or of one. */
export function rowsOf(kernels: readonly Kernel[], by: Grouping, rank: number | null): KernelRow[] {
  const rows = new Map<string, Weighed>();
  for (const kernel of kernels) {
    if (rank !== null && kernel.rank !== rank) continue;
    for (const piece of pieces(kernel, by)) {
      const key = keyOf(kernel, piece, by);
      let row = rows.get(key);
      if (row === undefined) rows.set(key, (row = begin(kernel, piece, by, key)));
      row.calls += piece.calls;
      row.total_ns += piece.total_ns;
      row.in_steps_ns += piece.in_steps_ns;
      row.max_ns = Math.max(row.max_ns, piece.max_ns);
      row.min_ns = Math.min(row.min_ns, piece.min_ns);
      weigh(row.blocks, piece.blocks_per_sm, piece.total_ns);
      weigh(row.occupied, piece.occupancy_percent, piece.total_ns);
    }
  }
  const list = [...rows.values()];
  const total = list.reduce((sum, r) => sum + r.total_ns, 0);
  return list.map(({ blocks, occupied, ...row }) => ({
    ...row,
    blocks_per_sm: mean(blocks),
    occupancy: mean(occupied),
    share: total > 0 ? row.total_ns / total : 0,
  }));
}
