// SPDX-License-Identifier: Apache-2.0
// How much of the memory that there is was held at the most.
import type { MemoryLimit as Limit } from '../api/report_types';
import type { Plain } from '../api/report';
import type { Level } from './chart_paths';

export type MemoryLimit = Plain<Limit>;

/** What it limits, in words; `several`: there are more nodes than one. */
export function placeOf(limit: Pick<Limit, 'of' | 'node' | 'rank' | 'device'>, several: boolean) {
  const ofNode = several ? ` of node ${limit.node}` : '';
  switch (limit.of) {
    case 'machine':
      return `Machine${ofNode}`;
    case 'cgroup':
      return `Cgroup${ofNode}`;
    case 'gpu':
      return `GPU ${limit.device ?? ''}${ofNode}`;
    case 'allocator':
      return `Tensors of rank ${limit.rank ?? ''} on GPU ${limit.device ?? ''}`;
  }
}

export const shareOf = (limit: Pick<MemoryLimit, 'peak_bytes' | 'limit_bytes'>): number =>
  limit.limit_bytes > 0 ? limit.peak_bytes / limit.limit_bytes : 0;

/** A limit is drawn where half of it was reached: a far one would flatten all else. */
const LEAST_REACHED = 0.5;

const TITLES: Record<Limit['of'], string> = {
  machine: 'all memory',
  cgroup: 'cgroup limit',
  gpu: 'GPU memory',
  allocator: 'GPU memory',
};

/** The lines of limits in a chart whose highest value is `most`, and how high its axis is for them. */
export function levelsOf(
  limits: readonly Pick<MemoryLimit, 'of' | 'limit_bytes'>[],
  most: number,
): { levels: Level[]; max: number | null } {
  const near = limits.filter((one) => most >= one.limit_bytes * LEAST_REACHED);
  const levels = new Map(near.map((one) => [one.limit_bytes, TITLES[one.of]]));
  if (levels.size === 0) return { levels: [], max: null };
  return {
    levels: [...levels].map(([at, title]) => ({ at, title })),
    max: Math.max(most, ...levels.keys()),
  };
}
