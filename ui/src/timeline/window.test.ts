// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { MAX_WIDTH, sameWindow, windowFor } from './window';

const bounds = { fromNs: 0, toNs: 1e12 };

describe('window', () => {
  it('is the view and a block on each side, on powers of two', () => {
    const w = windowFor({ fromNs: 5000, toNs: 5900 }, 800, bounds);
    expect(w).toEqual({ fromNs: 3072, toNs: 6144, width: 3 * 1024 });
  });

  it('does not change while the view moves within its block', () => {
    const a = windowFor({ fromNs: 4100, toNs: 5000 }, 800, bounds);
    const b = windowFor({ fromNs: 5100, toNs: 6000 }, 800, bounds);
    expect(sameWindow(a, b)).toBe(true);
  });

  it('covers the view wherever it lies', () => {
    for (let i = 0; i < 2000; ++i) {
      const fromNs = Math.floor(Math.random() * 1e9);
      const view = { fromNs, toNs: fromNs + 1 + Math.floor(Math.random() * 1e9) };
      const w = windowFor(view, 1600, bounds);
      if (w.fromNs > view.fromNs || w.toNs < view.toNs || w.width > MAX_WIDTH) {
        expect({ view, w }).toBeNull();
      }
    }
  });

  it('asks for no block in which nothing of the run lies', () => {
    const run = { fromNs: -90, toNs: 1000 };
    expect(windowFor({ fromNs: -110, toNs: 1020 }, 800, run)).toEqual({
      fromNs: -2048,
      toNs: 2048,
      width: 2048,
    });
    expect(windowFor({ fromNs: 10, toNs: 900 }, 800, { fromNs: 0, toNs: 1000 })).toEqual({
      fromNs: 0,
      toNs: 1024,
      width: 1024,
    });
  });

  it('never divides finer than a nanosecond', () => {
    const w = windowFor({ fromNs: 100, toNs: 120 }, 1600, bounds);
    expect(w.width).toBe(w.toNs - w.fromNs);
  });

  it('stays under the limit on a very wide screen', () => {
    expect(windowFor({ fromNs: 5000, toNs: 500000 }, 7680, bounds).width).toBeLessThanOrEqual(
      MAX_WIDTH,
    );
  });
});
