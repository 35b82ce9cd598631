// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { MAX_WIDTH, sameWindow, windowFor } from './window';

describe('window', () => {
  it('is the view and a block on each side, on powers of two', () => {
    const w = windowFor({ fromNs: 5000, toNs: 5900 }, 800);
    expect(w).toEqual({ fromNs: 3072, toNs: 6144, width: 3 * 1024 });
  });

  it('does not change while the view moves within its block', () => {
    const a = windowFor({ fromNs: 4100, toNs: 5000 }, 800);
    const b = windowFor({ fromNs: 5100, toNs: 6000 }, 800);
    expect(sameWindow(a, b)).toBe(true);
  });

  it('covers the view wherever it lies', () => {
    for (let i = 0; i < 2000; ++i) {
      const fromNs = Math.floor(Math.random() * 1e9);
      const view = { fromNs, toNs: fromNs + 1 + Math.floor(Math.random() * 1e9) };
      const w = windowFor(view, 1600);
      expect(w.fromNs).toBeLessThanOrEqual(view.fromNs);
      expect(w.toNs).toBeGreaterThanOrEqual(view.toNs);
      expect(w.width).toBeLessThanOrEqual(MAX_WIDTH);
    }
  });

  it('asks for no time before the epoch', () => {
    expect(windowFor({ fromNs: -20, toNs: 1020 }, 800)).toEqual({
      fromNs: 0,
      toNs: 2048,
      width: 1024,
    });
    expect(windowFor({ fromNs: 10, toNs: 900 }, 800)).toEqual({
      fromNs: 0,
      toNs: 2048,
      width: 2048,
    });
  });

  it('never divides finer than a nanosecond', () => {
    const w = windowFor({ fromNs: 100, toNs: 120 }, 1600);
    expect(w.width).toBe(w.toNs - w.fromNs);
  });

  it('stays under the limit on a very wide screen', () => {
    expect(windowFor({ fromNs: 5000, toNs: 500000 }, 7680).width).toBeLessThanOrEqual(MAX_WIDTH);
  });
});
