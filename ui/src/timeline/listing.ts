// SPDX-License-Identifier: Apache-2.0
// What the canvas shows, as rows of a table.
import type { Place } from './place';
import type { Names, Tile } from './tile';
import { firstEndingAfter } from './tile';
import type { Track } from './tree';
import type { Span } from './viewport';

export interface Listed extends Place {
  slice: number;
  name: string;
  count: number;
}

/** More rows nobody reads, and a screen reader would be lost in. */
export const MAX_LISTED = 20_000;

export function listSlices(
  tracks: readonly Track[],
  tile: (track: number) => Tile | undefined,
  view: Span,
  names: Names,
): Listed[] {
  const rows: Listed[] = [];
  for (const { track } of tracks) {
    for (const [number, lane] of (tile(track)?.lanes ?? []).entries()) {
      if (lane === undefined) continue;
      for (let i = firstEndingAfter(lane, view.fromNs); i < lane.length; ++i) {
        const fromNs = lane.from[i] as number;
        if (fromNs >= view.toNs) break;
        if (rows.length >= MAX_LISTED) return rows;
        rows.push({
          track,
          lane: number,
          fromNs,
          toNs: lane.to[i] as number,
          slice: lane.slice[i] as number,
          name: names.name(lane.name[i] as number),
          count: lane.count[i] as number,
        });
      }
    }
  }
  return rows;
}
