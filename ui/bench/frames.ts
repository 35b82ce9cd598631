// SPDX-License-Identifier: Apache-2.0
// Milliseconds a frame of the timeline's lower canvas: 50 tracks, so many slices in view, panned and
// zoomed. `frames.mjs` opens this page in a browser and prints what `measure` returns.
import { lookOf } from '../src/timeline/look';
import { Painter, contextOf } from '../src/timeline/paint';
import { Palette } from '../src/timeline/palette';
import { layout, visibleRows } from '../src/timeline/rows';
import type { Scene } from '../src/timeline/scene';
import { Names, tilesOf, type Tile, type ViewColumns } from '../src/timeline/tile';
import { buildTree, type Track } from '../src/timeline/tree';
import type { Span } from '../src/timeline/viewport';

const TRACKS = 50;
const LENGTH_NS = 1e9;
const NAMES = 400;

export interface Result {
  slices: number;
  drawn: number;
  frames: number;
  paint_p50_ms: number;
  paint_p99_ms: number;
  frame_p50_ms: number;
  frame_p99_ms: number;
}

function tiles(slices: number, names: Names): Map<number, Tile> {
  const each = slices / TRACKS;
  const n = TRACKS * each;
  const columns = {
    length: n,
    track: new Int32Array(n),
    lane: new Int32Array(n),
    ts_ns: new Float64Array(n),
    dur_ns: new Float64Array(n),
    name: [] as string[],
    category: [] as string[],
    count: new Int32Array(n).fill(1),
    busy_ns: new Float64Array(n),
    slice: new Float64Array(n),
  } satisfies ViewColumns;
  const apart = LENGTH_NS / each;
  for (let i = 0; i < n; ++i) {
    const track = Math.floor(i / each);
    const at = (i - track * each) * apart;
    columns.track[i] = track;
    columns.ts_ns[i] = at;
    columns.dur_ns[i] = columns.busy_ns[i] = apart * (0.35 + 0.6 * (((i * 7919) % 97) / 97));
    columns.slice[i] = i;
    columns.name.push(`aten::operator_${'abcdefghij'[i % 10] ?? ''}_${(i * 31) % NAMES}`);
    columns.category.push('cpu_op');
  }
  const window = { fromNs: 0, toNs: LENGTH_NS, width: 4096 };
  return tilesOf(
    columns,
    Array.from({ length: TRACKS }, (_, i) => i),
    window,
    names,
  );
}

function tracks(): Track[] {
  return Array.from({ length: TRACKS }, (_, i) => ({
    track: i,
    parent: null,
    kind: 'thread',
    node: 0,
    rank: 0,
    device: null,
    stream: null,
    pid: 1,
    tid: i,
    name: `thread ${i}`,
    lanes: 1,
    slices: 1,
    first_ns: 0,
    last_ns: LENGTH_NS,
    values: 0,
  }));
}

const percentile = (sorted: number[], share: number): number =>
  sorted[Math.min(Math.ceil(share * sorted.length), sorted.length) - 1] ?? NaN;

const nextFrame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve));

export async function measure(slices: number, frames: number): Promise<Result> {
  const canvas = document.querySelector('canvas');
  if (!canvas) throw new Error('no canvas');
  const [width, height, dpr] = [innerWidth, innerHeight, devicePixelRatio];
  canvas.width = width * dpr;
  canvas.height = height * dpr;
  canvas.style.width = `${width}px`;
  const names = new Names();
  const made = tiles(slices, names);
  const palette = new Palette(names);
  const rows = layout(buildTree(tracks()), { folded: new Set(), pinned: [], filter: '' });
  const painter = new Painter(contextOf(canvas));
  const scene = (view: Span): Scene => ({
    view,
    width,
    height: Math.max(height, rows.height),
    dpr,
    scroll: 0,
    layout: rows,
    rows: visibleRows(rows, 0, Math.max(height, rows.height)),
    tile: (track) => made.get(track),
    series: () => undefined,
    names,
    colours: palette.for('light', ''),
    look: lookOf('light', () => '#888888'),
    steps: [],
  });
  const paints: number[] = [];
  const gaps: number[] = [];
  let drawn = 0;
  let before = await nextFrame();
  for (let i = 0; i < frames; ++i) {
    // All slices stay in view: the view sways by a hundredth of what there is.
    const sway = (LENGTH_NS / 100) * Math.sin(i / 9);
    const view = { fromNs: Math.min(sway, 0) - 1, toNs: LENGTH_NS + Math.abs(sway) };
    const began = performance.now();
    drawn = painter.paint(scene(view)).slices;
    paints.push(performance.now() - began);
    const now = await nextFrame();
    gaps.push(now - before);
    before = now;
  }
  paints.sort((a, b) => a - b);
  gaps.sort((a, b) => a - b);
  return {
    slices,
    drawn,
    frames,
    paint_p50_ms: percentile(paints, 0.5),
    paint_p99_ms: percentile(paints, 0.99),
    frame_p50_ms: percentile(gaps, 0.5),
    frame_p99_ms: percentile(gaps, 0.99),
  };
}

Object.assign(window, { measure });
