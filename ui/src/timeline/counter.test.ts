// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it, vi } from 'vitest';
import { drawCounter, rangeOf, unitOf, valueAt } from './counter';
import type { CounterSeries } from './series';
import type { TrackRow } from './rows';
import type { Scene } from './scene';

const series = (ts: number[], values: number[]): CounterSeries => ({
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

  it('knows the units of metrics, and guesses none of other counters', () => {
    const metrics = ['cpu.busy_share', 'network.receive_bytes_per_s', 'gpu.xid', 'power_watts'];
    expect(metrics.map(unitOf)).toEqual(['share', 'bytes/s', 'code', '']);
  });

  it('draws a reading alone as a dot, for no line leads to it', () => {
    class Path {
      lineTo() {}
    }
    vi.stubGlobal('Path2D', Path);
    const dots: number[][] = [];
    const context = { save() {}, restore() {}, fill() {}, stroke() {} };
    const drawing = { ...context, fillRect: (...at: number[]) => dots.push(at) };
    const scene = { view: { fromNs: 0, toNs: 100 }, width: 100, scroll: 0, look: {} } as Scene;
    const draw = (of: CounterSeries) => {
      dots.length = 0;
      drawCounter(
        drawing as unknown as CanvasRenderingContext2D,
        scene,
        { top: 0, height: 27 } as TrackRow,
        of,
      );
      return dots.length;
    };
    expect(draw(series([50], [1]))).toBe(1);
    expect(dots[0]?.[0]).toBe(48);
    expect(draw(series([50, 60], [1, 1]))).toBe(0);
    vi.unstubAllGlobals();
  });
});
