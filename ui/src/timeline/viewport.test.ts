// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import {
  around,
  between,
  clamp,
  fit,
  lengthNs,
  openingOf,
  pan,
  reveal,
  toPixel,
  toTime,
  zoom,
} from './viewport';

const bounds = { fromNs: 0, toNs: 1000 };

describe('viewport', () => {
  it('fits the run with two hundredths on each side', () => {
    expect(fit(bounds)).toEqual({ fromNs: -20, toNs: 1020 });
    expect(fit({ fromNs: 5, toNs: 5 })).toEqual({ fromNs: 5, toNs: 1e9 + 5 });
  });

  it('opens on what is recorded, not on the line that frames it', () => {
    const track = (name: string, first_ns: number | null, last_ns: number | null) => ({
      name,
      first_ns,
      last_ns,
    });
    const frame = track('PyTorch Profiler', -852, 2515);
    const tree = { from_ns: -852, to_ns: 2515 };
    const main = [track('trainer', null, null), track('thread 1', 0, 900), track('GPU', 40, 1239)];
    expect(openingOf({ ...tree, tracks: [...main, frame] })).toEqual({ fromNs: 0, toNs: 1239 });
    const all = { fromNs: -852, toNs: 2515 };
    expect(openingOf({ ...tree, tracks: main })).toEqual(all);
    expect(openingOf({ ...tree, tracks: [frame] })).toEqual(all);
  });

  it('keeps the moment under the cursor where it is', () => {
    const before = { fromNs: 100, toNs: 500 };
    const after = zoom(before, 0.5, 200, bounds);
    expect(lengthNs(after)).toBe(200);
    expect(toPixel(200, after, 800)).toBeCloseTo(toPixel(200, before, 800), 9);
  });

  it('never zooms in further than the shortest event, nor out further than the run', () => {
    expect(lengthNs(zoom({ fromNs: 0, toNs: 30 }, 1e-6, 10, bounds))).toBe(20);
    expect(zoom({ fromNs: 100, toNs: 500 }, 1e6, 300, bounds)).toEqual(fit(bounds));
  });

  it('stops at the ends of the run and keeps its length', () => {
    expect(pan({ fromNs: 100, toNs: 300 }, -10, bounds)).toEqual({ fromNs: -20, toNs: 180 });
    expect(pan({ fromNs: 100, toNs: 300 }, 10, bounds)).toEqual({ fromNs: 820, toNs: 1020 });
    expect(clamp({ fromNs: -5000, toNs: 9000 }, bounds)).toEqual(fit(bounds));
  });

  it('puts a target into the middle third', () => {
    expect(around({ fromNs: 400, toNs: 500 }, bounds)).toEqual({ fromNs: 300, toNs: 600 });
  });

  it('moves only as far as needed to reveal', () => {
    const view = { fromNs: 200, toNs: 400 };
    expect(reveal(view, { fromNs: 250, toNs: 260 }, bounds)).toBe(view);
    expect(reveal(view, { fromNs: 150, toNs: 160 }, bounds)).toEqual({ fromNs: 130, toNs: 330 });
    expect(reveal(view, { fromNs: 450, toNs: 460 }, bounds)).toEqual({ fromNs: 280, toNs: 480 });
  });

  it('turns pixels into times and back', () => {
    const view = { fromNs: 1e15, toNs: 1e15 + 1000 };
    expect(toTime(toPixel(1e15 + 123, view, 777), view, 777)).toBeCloseTo(1e15 + 123, 0);
  });

  it('animates from one view to the other exactly at the ends', () => {
    const a = { fromNs: 0, toNs: 1000 };
    const b = { fromNs: 400, toNs: 410 };
    expect(between(a, b, 0)).toEqual(a);
    expect(between(a, b, 1).fromNs).toBeCloseTo(400, 6);
    expect(between(a, b, 1).toNs).toBeCloseTo(410, 6);
    expect(lengthNs(between(a, b, 0.5))).toBeCloseTo(100, 6);
  });
});
