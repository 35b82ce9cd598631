// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { activity, byName, copies, onDevices, precisions, rateOf, type Device } from './section';

const device = (more: Partial<Device>): Device => ({
  node: 0,
  rank: 0,
  device: 0,
  name: '',
  events: 1,
  ts_ns: 0,
  window: {
    span_ns: 100,
    busy_ns: 70,
    idle_ns: 30,
    compute_ns: 50,
    communication_ns: 20,
    memory_ns: 15,
    overlap_ns: 5,
    exposed_communication_ns: 15,
    exposed_memory_ns: 5,
  },
  idle: { host_ns: 20, kernel_wait_ns: 7, other_ns: 3 },
  steps: [],
  utilization: null,
  est_sm_efficiency: null,
  est_achieved_occupancy: null,
  tensor_cores: null,
  copies: [],
  ...more,
});

describe('devices', () => {
  it('parts of the activity sum to the windows of all devices', () => {
    const parts = activity([device({}), device({ rank: 1 })]);
    expect(parts.reduce((sum, p) => sum + p.value, 0)).toBe(200);
    expect(parts.map((p) => p.value)).toEqual([100, 30, 10, 40, 14, 6]);
  });

  it('adds copies by direction', () => {
    const copy = (kind: string, sum_ns: number) => ({
      kind,
      count: 1,
      bytes: 10,
      sum_ns,
      busy_ns: sum_ns,
      bytes_per_s: null,
      small_count: 1,
    });
    const all = copies([
      device({ copies: [copy('HtoD', 5), copy('DtoH', 9)] }),
      device({ copies: [copy('HtoD', 7)] }),
    ]);
    expect(all.map((c) => [c.kind, c.count, c.sum_ns])).toEqual([
      ['HtoD', 2, 12],
      ['DtoH', 1, 9],
    ]);
    expect(all.map((c) => [c.bytes, rateOf(c)])).toEqual([
      [20, (20 / 12) * 1e9],
      [10, (10 / 9) * 1e9],
    ]);
  });

  it('bytes are empty where no copy has them', () => {
    const fill = {
      kind: 'Memset',
      count: 1,
      bytes: null,
      sum_ns: 3,
      busy_ns: 3,
      bytes_per_s: null,
      small_count: 0,
    };
    const [all] = copies([device({ copies: [fill] }), device({ copies: [fill] })]);
    expect(all && [all.count, all.bytes, rateOf(all)]).toEqual([2, null, null]);
    // The time of one that does not tell is in no rate.
    const telling = device({ copies: [{ ...fill, bytes: 30, busy_ns: 10 }] });
    const [some] = copies([device({ copies: [fill] }), telling]);
    expect(some && [some.bytes, rateOf(some)]).toEqual([30, 3e9]);
  });

  it('adds kernels of ranks by name', () => {
    const kernel = {
      rank: 0,
      name: 'k',
      role: 'compute' as const,
      calls: 2,
      total_ns: 5,
      tensor_cores: false,
      streams: [],
    };
    expect(byName([kernel, { ...kernel, rank: 1 }])).toEqual([
      { ...kernel, calls: 4, total_ns: 10 },
    ]);
  });

  it('parts the kernels of a rank by its devices', () => {
    const kernel = {
      rank: 0,
      name: 'k',
      role: 'compute' as const,
      calls: 6,
      total_ns: 15,
      tensor_cores: false,
      streams: [
        { device: 0, stream: 7, calls: 1, total_ns: 2 },
        { device: 0, stream: 8, calls: 2, total_ns: 3 },
        { device: 1, stream: 7, calls: 3, total_ns: 10 },
      ],
    };
    const on = (...numbers: number[]) =>
      onDevices(
        [kernel, { ...kernel, rank: 1 }],
        numbers.map((number) => device({ device: number })),
      ).map((k) => [k.rank, k.calls, k.total_ns]);
    expect(on(0)).toEqual([[0, 3, 5]]);
    expect(on(1)).toEqual([[0, 3, 10]]);
    expect(on(0, 1)).toEqual([[0, 6, 15]]);
    expect(on(2)).toEqual([]);
  });

  it('adds precisions of devices, the longest first', () => {
    const told = precisions([
      device({
        precisions: [
          { precision: 'FP32', ns: 7 },
          { precision: null, ns: 4 },
        ],
      }),
      device({
        precisions: [
          { precision: 'BF16', ns: 9 },
          { precision: null, ns: 1 },
        ],
      }),
      device({}),
    ]);
    expect(told.map((p) => [p.title, p.value])).toEqual([
      ['BF16', 9],
      ['FP32', 7],
      ['unknown', 5],
    ]);
  });
});
