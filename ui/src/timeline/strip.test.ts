// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { drawStrip } from './strip';
import type { ViewColumns } from './tile';
import { firstEndingAfter, Names, sliceAt, tilesOf } from './tile';

const RED = 0xff0000ff;
const BLUE = 0xffff0000;
const colours = Uint32Array.from([RED, BLUE]);

type Drawn = [from: number, to: number, name: 'r' | 'b', count?: number, busy?: number];

function laneOf(...slices: Drawn[]) {
  const names = new Names();
  names.number('r', '');
  names.number('b', '');
  const columns: ViewColumns = {
    length: slices.length,
    track: slices.map(() => 4),
    lane: slices.map(() => 0),
    ts_ns: slices.map(([from]) => from),
    dur_ns: slices.map(([from, to]) => to - from),
    name: slices.map(([, , name]) => name),
    category: slices.map(() => ''),
    count: slices.map(([, , , count]) => count ?? 1),
    busy_ns: slices.map(([from, to, , , busy]) => busy ?? to - from),
    slice: slices.map((_, i) => i),
  };
  const window = { fromNs: 0, toNs: 1000, width: 10 };
  const lane = tilesOf(columns, [4], window, names).get(4)?.lanes[0];
  if (lane === undefined) throw new Error('no lane');
  return lane;
}

/** A letter a pixel: capital where opaque, small where pale, a dot where nothing is. */
function draw(width: number, view: [number, number], ...slices: Drawn[]): string {
  const pixels = new Uint32Array(width);
  drawStrip(laneOf(...slices), { fromNs: view[0], toNs: view[1] }, pixels, 0, width, colours);
  return [...pixels]
    .map((p) => {
      if (p === 0) return '.';
      const letter = (p & 0xffffff) === (RED & 0xffffff) ? 'r' : 'b';
      return p >>> 24 === 255 ? letter.toUpperCase() : letter;
    })
    .join('');
}

describe('strip', () => {
  it('fills a slice and sets its last pixel off', () => {
    expect(draw(10, [0, 10], [1, 6, 'r'], [6, 8, 'b'])).toBe('.RRRRrBB..');
  });

  it('cuts slices at the view', () => {
    expect(draw(10, [5, 15], [0, 8, 'r'], [12, 99, 'b'])).toBe('RRR....BBB');
  });

  it('draws a slice thinner than a pixel, pale', () => {
    expect(draw(10, [0, 1000], [150, 151, 'r'])).toBe('.r........');
  });

  it('gives a pixel to the slice with most of it, and its opacity to all of them', () => {
    expect(draw(4, [0, 400], [100, 120, 'r'], [120, 190, 'b'])).toBe('.b..');
    expect(draw(4, [0, 400], [100, 150, 'r'], [150, 200, 'b'])).toBe('.R..');
  });

  it('shows how busy a gathered pixel is', () => {
    const pixels = new Uint32Array(2);
    const lane = laneOf([0, 100, 'r', 7, 50], [100, 200, 'r', 3, 100]);
    drawStrip(lane, { fromNs: 0, toNs: 200 }, pixels, 0, 2, colours);
    expect([...pixels].map((p) => p >>> 24)).toEqual([Math.round(255 * 0.65), 255]);
  });

  it('draws nothing outside of its line', () => {
    const pixels = new Uint32Array(12);
    const lane = laneOf([-50, 500, 'r']);
    expect(drawStrip(lane, { fromNs: 0, toNs: 100 }, pixels, 4, 4, colours)).toBe(1);
    expect([...pixels].map((p) => (p === 0 ? 0 : 1))).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0]);
  });

  it('returns how many it drew', () => {
    const lane = laneOf([0, 10, 'r'], [20, 30, 'r'], [40, 50, 'r'], [60, 70, 'r']);
    expect(drawStrip(lane, { fromNs: 15, toNs: 55 }, new Uint32Array(9), 0, 9, colours)).toBe(2);
  });
});

describe('tile', () => {
  it('finds the first slice that ends after a moment', () => {
    const lane = laneOf([0, 10, 'r'], [20, 30, 'r']);
    expect([-5, 5, 10, 25, 30].map((ns) => firstEndingAfter(lane, ns))).toEqual([0, 0, 1, 1, 2]);
  });

  it('hits a slice, or the nearest within reach', () => {
    const lane = laneOf([0, 10, 'r'], [20, 21, 'r']);
    expect(sliceAt(lane, 5, 0)).toBe(0);
    expect(sliceAt(lane, 15, 2)).toBe(-1);
    expect(sliceAt(lane, 11, 2)).toBe(0);
    expect(sliceAt(lane, 18.5, 2)).toBe(1);
    expect(sliceAt(lane, 22, 2)).toBe(1);
  });

  it('sorts what comes out of order and keeps tracks without slices', () => {
    const lane = laneOf([50, 60, 'b'], [0, 10, 'r']);
    expect([...lane.from]).toEqual([0, 50]);
    const none: ViewColumns = {
      length: 0,
      track: [],
      lane: [],
      ts_ns: [],
      dur_ns: [],
      name: [],
      category: [],
      count: [],
      busy_ns: [],
      slice: [],
    };
    const tiles = tilesOf(none, [1, 2], { fromNs: 0, toNs: 1, width: 1 }, new Names());
    expect([...tiles.keys()]).toEqual([1, 2]);
    expect(tiles.get(1)?.lanes).toEqual([]);
  });
});
