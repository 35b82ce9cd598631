// SPDX-License-Identifier: Apache-2.0
// The section `memory` (docs/reference/operators.md), and allocations placed for a picture.
import type * as report from '../../api/report';
import { formatBytes } from '../../base/format';
import type { ChartLine } from '../../widgets/chart';

export type MemoryBlock = report.Plain<report.MemoryBlock>;

export type MemoryOperator = report.Plain<report.MemoryOperator>;

export type Point = report.Plain<report.MemoryPoint>;

type Device = report.Plain<report.MemoryDevice>;
export type MemoryDevice = Omit<Device, 'peak'> & { peak: Device['peak'] | null };

export type Allocator = report.Plain<report.AllocatorCall>;

export interface MemorySection {
  /** Empty of a run without a profile. */
  memory: { devices?: MemoryDevice[]; allocator?: Allocator[] };
  memory_limits: report.Plain<report.Rows<report.MemoryLimit>>;
}

export const keyOf = (d: MemoryDevice): string => `${d.rank}:${d.device}`;

export const nameOf = (d: MemoryDevice, ranks: number): string =>
  `${ranks > 1 ? `rank ${d.rank} · ` : ''}${d.device < 0 ? 'host memory' : `GPU ${d.device}`}`;

/** The most that was held. A curve without totals begins at 0, whatever comes of it: it is never below that. */
export const mostOf = (d: Pick<MemoryDevice, 'peak' | 'curve_from_zero'>): number | null =>
  d.peak && Math.max(d.peak.allocated_bytes, d.curve_from_zero ? 0 : -Infinity);

/** `mostOf` in words, for behind a device's name. */
export function mostText(d: Pick<MemoryDevice, 'peak' | 'curve_from_zero'>): string {
  const most = mostOf(d);
  if (most === null) return '';
  if (!d.curve_from_zero) return `, at most ${formatBytes(most).text}`;
  return most > 0
    ? `, at most ${formatBytes(most).text} more than at its beginning`
    : ', never more than at its beginning';
}

export const hasReserved = (curve: readonly Point[]) =>
  curve.some((point) => point.reserved_bytes > 0);

/** The curve's lines: memory is what it is until something is allocated or given back. */
export function linesOf(curve: readonly Point[]): ChartLine[] {
  const allocated = curve.map((point) => point.allocated_bytes);
  const reserved = curve.map((point) => point.reserved_bytes);
  return [
    { name: 'allocated', values: allocated, color: '--model', kind: 'area', held: true },
    ...(hasReserved(curve)
      ? [{ name: 'reserved', values: reserved, color: '--cat-1', held: true }]
      : []),
  ];
}

/** The device that one wants to see first: the fullest GPU, else host memory. */
export function firstOf(devices: readonly MemoryDevice[]): MemoryDevice | undefined {
  const peak = (d: MemoryDevice) => (d.device < 0 ? -1 : (d.peak?.allocated_bytes ?? 0));
  return [...devices].sort((a, b) => peak(b) - peak(a))[0];
}

/** Whether no release of it is recorded, but it is known by when it was gone. */
export const unseen = (b: MemoryBlock): boolean =>
  b.released_ns === null && b.released_by_ns !== null;

export interface Placed {
  block: MemoryBlock;
  fromNs: number;
  toNs: number;
  /** Bytes below it in the pile. */
  bottom: number;
}

/**
 * Blocks piled up as they live: each lies on the lowest gap that holds it from its allocation to its
 * release, or until its address was allocated again. The height of the pile is not the allocator's layout, which nobody recorded; what is true
 * is each block's size and life.
 */
export function pile(blocks: readonly MemoryBlock[], fromNs: number, toNs: number): Placed[] {
  const lives = blocks
    .map((block) => ({
      block,
      fromNs: block.allocated_ns ?? fromNs,
      toNs: block.released_by_ns ?? toNs,
    }))
    .filter((b) => b.toNs > b.fromNs && b.block.bytes > 0)
    .sort((a, b) => a.fromNs - b.fromNs || b.block.bytes - a.block.bytes);
  const placed: Placed[] = [];
  let alive: Placed[] = [];
  for (const life of lives) {
    alive = alive.filter((p) => p.toNs > life.fromNs);
    let bottom = 0;
    for (const other of alive) {
      if (other.bottom - bottom >= life.block.bytes) break;
      bottom = Math.max(bottom, other.bottom + other.block.bytes);
    }
    const made = { ...life, bottom };
    placed.push(made);
    alive.push(made);
    alive.sort((a, b) => a.bottom - b.bottom);
  }
  return placed;
}

export const heightOf = (placed: readonly Placed[]): number =>
  placed.reduce((most, p) => Math.max(most, p.bottom + p.block.bytes), 0);

/** At most so many operators are named of those whose blocks lived at the peak. */
const NAMED_AT_PEAK = 12;

/** Who held what at the peak, the most first; the rest together, so that the parts sum to all of it. */
export function atPeak(
  holders: MemoryDevice['at_peak'],
): { name: string; title: string; value: number }[] {
  const sorted = [...holders].sort((a, b) => b.bytes - a.bytes);
  const rest = sorted.slice(NAMED_AT_PEAK);
  const parts = sorted.slice(0, NAMED_AT_PEAK).map((o) => ({
    name: o.operator ?? 'other',
    title: o.operator ?? '(in no operator)',
    value: o.bytes,
  }));
  if (rest.length === 0) return parts;
  const value = rest.reduce((sum, o) => sum + o.bytes, 0);
  return [...parts, { name: 'other', title: `${rest.length} others`, value }];
}

const LEAKS: Record<string, string> = {
  none: 'No operator’s memory grows with every step.',
  found: 'These operators’ memory grows with every step after the first.',
  too_few_steps: 'It takes at least three marked steps to distinguish growth from noise.',
  no_addresses: 'The profile has no addresses, so allocations and releases cannot be paired.',
};

export const leakText = (status: string): string => LEAKS[status] ?? status;
