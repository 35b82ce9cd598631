// SPDX-License-Identifier: Apache-2.0
// Arrows from a launch to what it launched, and between the parts of one collective.
import type { TrackRow } from './rows';
import type { Span } from './viewport';
import { toPixel } from './viewport';

export interface Flow {
  fromTrack: number;
  fromLane: number;
  fromNs: number;
  toTrack: number;
  toLane: number;
  toNs: number;
  kind: string;
}

export interface Arrow {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
  kind: string;
}

/** The middle of a lane in the canvas, in CSS pixels. `scroll`: that of the unpinned rows. */
export function laneMiddle(row: TrackRow, lane: number, scroll: number): number {
  const top = row.pinned ? row.top : row.top - scroll;
  return top + Math.min(lane, Math.max(row.lanes - 1, 0)) * row.laneHeight + row.laneHeight / 2;
}

/**
 * Arrows of which at least one end lies on a row that is drawn. The other end is that of the row
 * nearest to it in the list, so that an arrow points to where scrolling would lead.
 */
export function arrows(
  flows: readonly Flow[],
  rowOf: (track: number) => TrackRow | undefined,
  view: Span,
  width: number,
  scroll: number,
): Arrow[] {
  const list: Arrow[] = [];
  for (const flow of flows) {
    const from = rowOf(flow.fromTrack);
    const to = rowOf(flow.toTrack);
    if (from === undefined || to === undefined) continue;
    if (Math.max(flow.fromNs, flow.toNs) < view.fromNs) continue;
    if (Math.min(flow.fromNs, flow.toNs) > view.toNs) continue;
    list.push({
      x0: toPixel(flow.fromNs, view, width),
      y0: laneMiddle(from, flow.fromLane, scroll),
      x1: toPixel(flow.toNs, view, width),
      y1: laneMiddle(to, flow.toLane, scroll),
      kind: flow.kind,
    });
  }
  return list;
}

/** The lane of a slice that begins then, if an arrow ends at it. */
export function laneOf(flows: readonly Flow[], track: number, at: number): number {
  const flow = flows.find(
    (f) => (f.toTrack === track && f.toNs === at) || (f.fromTrack === track && f.fromNs === at),
  );
  return flow === undefined ? 0 : flow.toTrack === track ? flow.toLane : flow.fromLane;
}
