// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { rangeOf, unitOf, valueAt } from './counter';
import type { Series } from './data';

const series = (ts: number[], values: number[]): Series => ({
  ts: Float64Array.from(ts),
  min: Float64Array.from(values),
  mean: Float64Array.from(values),
  max: Float64Array.from(values),
});

describe('counter', () => {
  it('holds a value until the next', () => {
    const s = series([10, 20], [1, 2]);
    expect([5, 10, 15, 20, 99].map((ns) => valueAt(s, ns))).toEqual([-1, 0, 0, 1, 1]);
  });

  it('stands on 0 and is never without height', () => {
    expect(rangeOf(series([1, 2], [3, 5]))).toEqual({ low: 0, high: 5 });
    expect(rangeOf(series([1, 2], [-3, 5]))).toEqual({ low: -3, high: 5 });
    expect(rangeOf(series([1], [0]))).toEqual({ low: 0, high: 1 });
  });

  it('knows units by names', () => {
    const units = [
      'cpu.busy_share',
      'agent.rss_bytes',
      'net.receive_bytes_per_s',
      'gpu.xid',
      'x_per_s',
    ];
    expect(units.map(unitOf)).toEqual(['share', 'bytes', 'bytes/s', '', '1/s']);
  });
});
