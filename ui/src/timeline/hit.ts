// SPDX-License-Identifier: Apache-2.0
// What lies under a point of the canvas.
import type { Layout, TrackRow } from './rows';
import { rowAt } from './rows';
import type { Place } from './place';
import { rowTop } from './scene';
import type { Lane, Names, Tile } from './tile';
import { sliceAt } from './tile';
import type { Span } from './viewport';
import { lengthNs, toTime } from './viewport';

/** How far off a pointer still hits what is thinner than it. */
export const REACH_PX = 4;

export interface Hovered {
  place: Place;
  slice: number;
  name: string;
  category: string;
  count: number;
  busyNs: number;
}

export interface HitTarget {
  layout: Layout;
  scroll: number;
  view: Span;
  width: number;
  names: Names;
  tile: (track: number) => Tile | undefined;
}

export function rowUnder(layout: Layout, scroll: number, y: number): TrackRow | null {
  const pinned = y < layout.pinnedHeight;
  const index = pinned ? rowAt(layout, y) : rowAt(layout, y + scroll, layout.pinnedCount);
  const row = layout.rows[index];
  return row !== undefined && row.pinned === pinned ? row : null;
}

/** The slice under a point, or the nearest of its lane within reach. */
export function hit(target: HitTarget, x: number, y: number): Hovered | null {
  const row = rowUnder(target.layout, target.scroll, y);
  const track = row?.node.kind === 'slices' ? row.node.track : null;
  if (row === null || track === null || row.laneHeight <= 0) return null;
  const number = Math.floor((y - rowTop(row, target.scroll)) / row.laneHeight);
  const lane = target.tile(track.track)?.lanes[number];
  if (lane === undefined) return null;
  const slack = (lengthNs(target.view) / target.width) * REACH_PX;
  const index = sliceAt(lane, toTime(x, target.view, target.width), slack);
  return index < 0 ? null : hovered(target.names, track.track, number, lane, index);
}

export function hovered(
  names: Names,
  track: number,
  number: number,
  lane: Lane,
  i: number,
): Hovered {
  const name = lane.name[i] as number;
  return {
    place: { track, lane: number, fromNs: lane.from[i] as number, toNs: lane.to[i] as number },
    slice: lane.slice[i] as number,
    name: names.name(name),
    category: names.category(name),
    count: lane.count[i] as number,
    busyNs: lane.busy[i] as number,
  };
}
