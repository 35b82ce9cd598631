// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { rowsOf, type Kernel } from './section';

const counted = (calls: number, total_ns: number, occupancy_percent: number | null) => ({
  calls,
  total_ns,
  in_steps_ns: total_ns,
  mean_ns: total_ns / calls,
  max_ns: total_ns,
  min_ns: 1,
  blocks_per_sm: null,
  occupancy_percent,
});

const launch = (operator: string | null, grid: number[], of: ReturnType<typeof counted>) => ({
  ...of,
  operator,
  operator_tensor_core_eligible: false,
  grid,
  block: [8, 1, 1],
  registers_per_thread: 32,
  shared_memory_bytes: 0,
});

const kernel: Kernel = {
  ...counted(3, 60, 30),
  rank: 0,
  name: 'gemm',
  role: 'compute',
  tensor_cores: false,
  share: 1,
  streams: [{ device: 0, stream: 7, calls: 3, total_ns: 60 }],
  launches: [
    launch('mm', [1, 1, 1], counted(1, 20, 10)),
    launch('mm', [2, 1, 1], counted(1, 20, null)),
    launch(null, [2, 1, 1], counted(1, 20, 50)),
  ],
};

describe('kernels', () => {
  it('add up in each grouping to the same calls and time', () => {
    for (const by of ['name', 'operator', 'launch'] as const) {
      const rows = rowsOf([kernel, { ...kernel, rank: 1 }], by, null);
      expect(rows.reduce((sum, r) => sum + r.calls, 0)).toBe(6);
      expect(rows.reduce((sum, r) => sum + r.total_ns, 0)).toBe(120);
      expect(rows.reduce((sum, r) => sum + r.share, 0)).toBeCloseTo(1, 12);
    }
  });

  it('part by operator and by launch', () => {
    expect(rowsOf([kernel], 'operator', null).map((r) => [r.operator, r.calls])).toEqual([
      ['mm', 2],
      ['', 1],
    ]);
    expect(rowsOf([kernel], 'launch', 0).map((r) => r.grid)).toEqual(['1×1×1', '2×1×1', '2×1×1']);
    expect(rowsOf([kernel], 'launch', 3)).toEqual([]);
  });

  it('weigh occupancy by time and leave out what does not tell it', () => {
    const [mm] = rowsOf([kernel], 'operator', null);
    expect(mm?.occupancy).toBe(10);
    expect(mm?.blocks_per_sm).toBeNull();
  });
});
