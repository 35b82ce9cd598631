// SPDX-License-Identifier: Apache-2.0
// The way from slice to slice without a pointer, among the rows in sight.
import type { Details } from './data';
import { hovered, type Hovered } from './hit';
import type { TrackRow } from './rows';
import type { Lane, Names, Tile } from './tile';
import { firstEndingAfter } from './tile';
import type { Span } from './viewport';

export interface Sight {
  rows: readonly TrackRow[];
  view: Span;
  names: Names;
  tile: (track: number) => Tile | undefined;
}

/** `lanes`: in a lane below (1) or above (-1); else in one that has any, forwards or backwards in time. */
export interface Seek {
  by: 1 | -1;
  lanes: boolean;
}

interface Strip {
  track: number;
  number: number;
  lane: Lane;
}

/** Every lane in sight that holds a slice of the time in view, from the top. */
function strips({ rows, tile, view }: Sight): Strip[] {
  const list: Strip[] = [];
  for (const { node, laneHeight } of rows) {
    const track = node.kind === 'slices' && laneHeight > 0 ? node.track?.track : undefined;
    if (track === undefined) continue;
    for (const [number, lane] of (tile(track)?.lanes ?? []).entries())
      if (lane !== undefined && nearest(lane, view.fromNs, view) >= 0)
        list.push({ track, number, lane });
  }
  return list;
}

/** Of a lane's slices in view the one nearest to a moment of the view; -1: none is in view. */
function nearest(lane: Lane, at: number, view: Span): number {
  // Slices of a lane do not overlap: what lies beyond these two is further off.
  const after = firstEndingAfter(lane, at);
  const before = after - 1;
  const isAfter = after < lane.length && (lane.from[after] as number) < view.toNs;
  const isBefore = before >= 0 && (lane.to[before] as number) > view.fromNs;
  if (!isAfter || !isBefore) return isAfter ? after : isBefore ? before : -1;
  const wait = (lane.from[after] as number) - at;
  return wait <= at - (lane.to[before] as number) ? after : before;
}

const isOf = (strip: Strip, of: Pick<Details, 'track' | 'lane'>): boolean =>
  strip.track === of.track && strip.number === of.lane;

export function besides(sight: Sight, from: Details | null, { by, lanes }: Seek): Hovered | null {
  const all = strips(sight);
  const { view } = sight;
  const here = from === null ? -1 : all.findIndex((strip) => isOf(strip, from));
  // Nothing selected, or out of sight: from the edge on that the key comes from.
  const first = lanes && by < 0 ? all.length - 1 : 0;
  const strip = all[here < 0 ? first : here + by];
  if (strip === undefined) return null;
  const middle = from === null ? (view.fromNs + view.toNs) / 2 : from.ts_ns + from.dur_ns / 2;
  const within = Math.min(Math.max(middle, view.fromNs), view.toNs);
  const at = lanes ? within : by > 0 ? view.fromNs : view.toNs;
  const index = nearest(strip.lane, at, view);
  if (index < 0) return null;
  return hovered(sight.names, strip.track, strip.number, strip.lane, index);
}
