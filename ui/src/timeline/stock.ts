// SPDX-License-Identifier: Apache-2.0
// What is drawn of the run's slices and counters: asked for as the view moves, kept as it comes.
import type { TimelineData } from './data';
import { MAX_TRACKS } from './data';
import { phaseSources } from './derived';
import { DerivedRows, type Events } from './derived_rows.svelte';
import { TileLoader } from './loader';
import type { TrackRow } from './rows';
import type { CounterSeries } from './series';
import type { Names, Tile } from './tile';
import type { Span } from './viewport';
import { windowFor } from './window';

const METRICS_AT_ONCE = 32;

export class Stock {
  readonly derived: DerivedRows;
  private readonly tiles: TileLoader<number, Tile>;
  private readonly counters: TileLoader<string, ReadonlyMap<number, CounterSeries>>;

  constructor(data: TimelineData, names: Names, on: Events) {
    this.derived = new DerivedRows(data, names, on);
    this.tiles = new TileLoader<number, Tile>({
      fetch: (window, keys, signal) => data.tiles(window, keys, names, signal),
      batch: MAX_TRACKS,
      ...on,
    });
    this.counters = new TileLoader<string, ReadonlyMap<number, CounterSeries>>({
      fetch: async (window, keys, signal) => {
        const all = await data.series(window, keys, signal);
        return new Map(keys.map((key) => [key, all]));
      },
      batch: METRICS_AT_ONCE,
      ...on,
    });
  }

  /** Asks for what is in view and not there. */
  want(view: Span, width: number, bounds: Span, rows: readonly TrackRow[]): void {
    const window = windowFor(view, width, bounds);
    const tracks: number[] = [];
    const metrics = new Set<string>();
    for (const { node } of rows) {
      if (node.track === null) continue;
      if (node.kind === 'slices' && node.track.track >= 0) tracks.push(node.track.track);
      if (node.kind === 'counter') metrics.add(node.track.name);
    }
    if (tracks.length > 0) this.tiles.want(window, [...new Set(tracks)]);
    if (metrics.size > 0) this.counters.want(window, [...metrics]);
    this.derived.want(view, width, bounds, phaseSources(rows.map(({ node }) => node)));
  }

  tile(track: number, view: Span): Tile | undefined {
    return track < 0 ? this.derived.tile(track, view) : this.tiles.get(track, view);
  }

  series(track: number, metric: string, view: Span): CounterSeries | undefined {
    return this.counters.get(metric, view)?.get(track);
  }

  get busy(): boolean {
    return [this.tiles, this.counters, this.derived].some(({ busy }) => busy);
  }

  /** The run has grown, or what failed is to be tried again. */
  refresh(): void {
    for (const of of [this.tiles, this.counters, this.derived]) of.refresh();
  }

  stop(): void {
    for (const of of [this.tiles, this.counters, this.derived]) of.stop();
  }
}
