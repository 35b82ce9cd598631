// SPDX-License-Identifier: Apache-2.0
// All that one frame is drawn from: plain values, so that drawing has no state of its own.
import type { Arrow } from './flows';
import type { Look } from './look';
import type { Place } from './place';
import type { Layout, TrackRow } from './rows';
import type { CounterSeries } from './series';
import type { Step } from './steps';
import type { Names, Tile } from './tile';
import type { Span } from './viewport';

export interface Scene {
  view: Span;
  /** CSS pixels. */
  width: number;
  height: number;
  dpr: number;
  scroll: number;
  layout: Layout;
  rows: readonly TrackRow[];
  tile: (track: number) => Tile | undefined;
  series: (track: number) => CounterSeries | undefined;
  names: Names;
  /** By number of `names`, for the theme; faded where a search does not match. */
  colours: Uint32Array;
  look: Look;
  steps: readonly Step[];
}

export interface Overlay {
  hover: Place | null;
  selection: Place | null;
  correlated: readonly Place[];
  arrows: readonly Arrow[];
  matches: readonly Place[];
  match: Place | null;
  timeRange: Span | null;
  marks: readonly number[];
  cursorNs: number | null;
}

/** The top of a row in the canvas. Pinned rows do not scroll. */
export const rowTop = (row: TrackRow, scroll: number): number =>
  row.pinned ? row.top : row.top - scroll;
