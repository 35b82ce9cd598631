// SPDX-License-Identifier: Apache-2.0
// What the server told of a time range, by track and lane, in typed arrays that the drawing reads.
import type { TileWindow } from './window';

/** Columns of `timeline/view`, in the server's names and units. */
export interface ViewColumns {
  length: number;
  track: ArrayLike<number>;
  lane: ArrayLike<number>;
  ts_ns: ArrayLike<number>;
  dur_ns: ArrayLike<number>;
  name: ArrayLike<string | null>;
  category: ArrayLike<string | null>;
  count: ArrayLike<number>;
  busy_ns: ArrayLike<number>;
  slice: ArrayLike<number>;
}

/** Slices of one lane, by begin; none overlaps the next. */
export interface Lane {
  readonly length: number;
  readonly from: Float64Array;
  readonly to: Float64Array;
  /** Numbers of `Names`. */
  readonly name: Int32Array;
  /** Number of slices that a row stands for; 1: the slice itself. */
  readonly count: Float64Array;
  readonly busy: Float64Array;
  readonly slice: Float64Array;
}

export interface Tile {
  readonly window: TileWindow;
  readonly lanes: readonly (Lane | undefined)[];
}

/** Gives each pair of name and category a number, so that the drawing looks up numbers alone. */
export class Names {
  private readonly numbers = new Map<string, Map<string, number>>();
  private readonly names: string[] = [];
  private readonly categories: string[] = [];

  number(name: string, category: string): number {
    let ofCategory = this.numbers.get(category);
    if (ofCategory === undefined) this.numbers.set(category, (ofCategory = new Map()));
    const known = ofCategory.get(name);
    if (known !== undefined) return known;
    const next = this.names.length;
    ofCategory.set(name, next);
    this.names.push(name);
    this.categories.push(category);
    return next;
  }

  name(number: number): string {
    return this.names[number] ?? '';
  }

  category(number: number): string {
    return this.categories[number] ?? '';
  }

  get size(): number {
    return this.names.length;
  }
}

function lane(columns: ViewColumns, rows: Int32Array, names: Names): Lane {
  const length = rows.length;
  const made = {
    length,
    from: new Float64Array(length),
    to: new Float64Array(length),
    name: new Int32Array(length),
    count: new Float64Array(length),
    busy: new Float64Array(length),
    slice: new Float64Array(length),
  };
  for (let i = 0; i < length; ++i) {
    const row = rows[i] as number;
    const from = columns.ts_ns[row] as number;
    made.from[i] = from;
    made.to[i] = from + (columns.dur_ns[row] as number);
    made.name[i] = names.number(columns.name[row] ?? '', columns.category[row] ?? '');
    made.count[i] = columns.count[row] as number;
    made.busy[i] = columns.busy_ns[row] as number;
    made.slice[i] = columns.slice[row] as number;
  }
  return made;
}

function isSorted(rows: Int32Array, ts: ArrayLike<number>): boolean {
  for (let i = 1; i < rows.length; ++i) {
    if ((ts[rows[i - 1] as number] as number) > (ts[rows[i] as number] as number)) return false;
  }
  return true;
}

/**
 * Tiles of the tracks that were asked for; one without slices has a tile without lanes, so that it
 * is not asked for again.
 */
export function tilesOf(
  columns: ViewColumns,
  asked: Iterable<number>,
  window: TileWindow,
  names: Names,
): Map<number, Tile> {
  const groups = new Map<number, number[][]>();
  for (const track of asked) groups.set(track, []);
  for (let i = 0; i < columns.length; ++i) {
    const lanes = groups.get(columns.track[i] as number);
    if (lanes === undefined) continue;
    const number = columns.lane[i] as number;
    (lanes[number] ??= []).push(i);
  }
  const tiles = new Map<number, Tile>();
  for (const [track, lanes] of groups) {
    const made: (Lane | undefined)[] = [];
    lanes.forEach((list, number) => {
      const rows = Int32Array.from(list);
      const ts = columns.ts_ns;
      if (!isSorted(rows, ts)) rows.sort((a, b) => (ts[a] as number) - (ts[b] as number));
      made[number] = lane(columns, rows, names);
    });
    tiles.set(track, { window, lanes: made });
  }
  return tiles;
}

/** The first slice of the lane that ends after `ns`; its length if none does. */
export function firstEndingAfter(lane: Lane, ns: number): number {
  let low = 0;
  let high = lane.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lane.to[middle] as number) <= ns) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The slice at `ns`, or the nearest one no further off than `slack` ns, so that what is thinner
 * than a pixel can be hit; -1 if there is none.
 */
export function sliceAt(lane: Lane, ns: number, slack: number): number {
  const at = firstEndingAfter(lane, ns);
  let best = -1;
  let distance = slack;
  for (let i = Math.max(at - 1, 0); i <= at && i < lane.length; ++i) {
    const from = lane.from[i] as number;
    const to = lane.to[i] as number;
    const off = ns < from ? from - ns : ns >= to ? ns - to : 0;
    if (off < distance || (off === 0 && best < 0) || (off === distance && best < 0)) {
      best = i;
      distance = off;
    }
  }
  return best;
}
