// SPDX-License-Identifier: Apache-2.0
// Samples of stacks as slices, under the name of the function that ran.
import { SAMPLES } from './derived';
import type { Lane, Names, Tile } from './tile';
import type { TileWindow } from './window';

export interface SampleColumns {
  readonly length: number;
  readonly ts: ArrayLike<number>;
  readonly track: ArrayLike<number>;
  readonly stack: ArrayLike<number>;
  readonly interval: ArrayLike<number>;
  readonly state: ArrayLike<string | null>;
}

export interface StackFrame {
  /** The stack of the caller; NaN: the outermost. */
  readonly parent: number;
  readonly called: string;
  readonly file: string;
  readonly line: number;
}
export type Stacks = ReadonlyMap<number, StackFrame>;

/** Deeper no stack is stored; and one that leads back to itself ends. */
const MAX_DEPTH = 512;

/** `train.py:21 step`, the function that ran first. */
export function framesOf(stacks: Stacks, stack: number): string[] {
  const frames: string[] = [];
  let at = stacks.get(stack);
  while (at !== undefined && frames.length < MAX_DEPTH) {
    const { file, line, called } = at;
    frames.push(file === '' ? called : `${file}${line > 0 ? `:${line}` : ''} ${called}`);
    at = stacks.get(at.parent);
  }
  return frames;
}

/** Where each begins and ends: halfway to the one before and after, for what was between two nobody saw. */
function halfway(rows: readonly number[], { ts, interval }: SampleColumns) {
  const from = Float64Array.from(rows, (i) => (ts[i] as number) - (interval[i] as number) / 2);
  const to = Float64Array.from(rows, (i) => (ts[i] as number) + (interval[i] as number) / 2);
  for (let i = 1; i < rows.length; ++i) {
    const [before, now] = [rows[i - 1] as number, rows[i] as number];
    const since = Math.min(interval[now] as number, (ts[now] as number) - (ts[before] as number));
    from[i] = (ts[now] as number) - since / 2;
    if ((ts[now] as number) - since <= (ts[before] as number)) to[i - 1] = from[i] as number;
  }
  return { from: from.map(Math.floor), to: to.map(Math.floor) };
}

function laneOf(rows: readonly number[], of: SampleColumns, stacks: Stacks, names: Names): Lane {
  const { from, to } = halfway(rows, of);
  const nameOf = (i: number) => stacks.get(of.stack[i] as number)?.called ?? 'unknown stack';
  const category = (i: number) => (of.state[i] === 'running' ? SAMPLES.running : SAMPLES.waiting);
  return {
    length: rows.length,
    from,
    to,
    name: Int32Array.from(rows, (i) => names.number(nameOf(i), category(i))),
    count: new Float64Array(rows.length).fill(1),
    busy: Float64Array.from(to, (end, i) => end - (from[i] as number)),
    slice: Float64Array.from(rows, (i) => of.stack[i] as number),
  };
}

/** A tile of one lane for each thread; a slice's number is that of its stack. */
export function sampleTiles(
  of: SampleColumns,
  stacks: Stacks,
  window: TileWindow,
  names: Names,
): Map<number, Tile> {
  const rows = new Map<number, number[]>();
  for (let i = 0; i < of.length; ++i) {
    const track = of.track[i] as number;
    const list = rows.get(track);
    if (list === undefined) rows.set(track, [i]);
    else list.push(i);
  }
  const tiles = new Map<number, Tile>();
  for (const [track, list] of rows) {
    list.sort((a, b) => (of.ts[a] as number) - (of.ts[b] as number));
    const apart = list.filter((row, i) => i === 0 || of.ts[row] !== of.ts[list[i - 1] as number]);
    tiles.set(track, { window, lanes: [laneOf(apart, of, stacks, names)] });
  }
  return tiles;
}
