// SPDX-License-Identifier: Apache-2.0
/* eslint-disable svelte/prefer-svelte-reactivity -- the collections here are made anew, not watched */
// What the derived rows show: asked for beside the slices, and made of what comes.
import type { Details, TimelineData } from './data';
import { MAX_TRACKS } from './data';
import { derivedFrom } from './derived';
import { TileLoader } from './loader';
import { phasesOf } from './phases';
import type { Place } from './place';
import { framesOf, sampleTiles, type Stacks } from './samples';
import type { SliceName } from './slice_name';
import { hashOf } from './slice_name';
import { inView, stepsByRank, type Step } from './steps';
import type { Names, Tile } from './tile';
import { firstEndingAfter } from './tile';
import { lengthNs, type Span } from './viewport';
import { MAX_WIDTH, powerOfTwo, windowFor, type TileWindow } from './window';

interface Piece extends Place {
  /** Of a sample the number of its stack; of a recorded phase its slice; -1: of neither. */
  slice: number;
  name: string;
  category: string;
}

export interface Events {
  onLoad: () => void;
  onError: (thrown: unknown) => void;
  /** There are rows now that were not known before. */
  onRows: () => void;
}

/** What is made here is not among the run's slices. */
const UNNUMBERED = -1;

export class DerivedRows {
  /** Tracks of which samples have been seen. */
  sampled = $state.raw<ReadonlySet<number>>(new Set());
  /** The run holds more samples than are asked for at once. */
  private many = $state(false);
  /** Whether the run recorded its phases: of a profile they are told by other means, if at all. */
  private recorded = false;
  private byRank = $state.raw<ReadonlyMap<number, readonly Step[]>>(new Map());
  private rankOf: ReadonlyMap<number, number> = new Map();
  private stacks: Stacks = new Map();
  private made = new WeakMap<Tile, Tile>();
  private readonly phases: TileLoader<number, Tile>;
  private readonly samples: TileLoader<'all', ReadonlyMap<number, Tile>>;

  constructor(
    private readonly data: TimelineData,
    private readonly names: Names,
    private readonly on: Events,
  ) {
    const { onLoad, onError } = on;
    this.phases = new TileLoader<number, Tile>({
      fetch: (window, tracks, signal) => data.tiles(window, tracks, names, signal),
      batch: MAX_TRACKS,
      onLoad,
      onError,
    });
    this.samples = new TileLoader<'all', ReadonlyMap<number, Tile>>({
      fetch: async (window, _, signal) => new Map([['all', await this.sample(window, signal)]]),
      batch: 1,
      onLoad,
      // They are an extra, which a damaged file or an older server lacks: the slices are still told.
      onError: () => undefined,
    });
  }

  get ranks(): ReadonlySet<number> {
    return new Set(this.recorded ? this.byRank.keys() : []);
  }

  /** Whose run it is, once that is known. */
  takeOrigin(recorded: boolean): void {
    if (recorded === this.recorded) return;
    this.recorded = recorded;
    this.on.onRows();
  }

  /** The steps that the run recorded; those that a profile tells have no phases. */
  take(steps: readonly Step[]): void {
    this.byRank = stepsByRank(steps.filter(({ forwardNs }) => forwardNs !== null));
    this.made = new WeakMap();
    this.on.onRows();
  }

  /** Asks for what is in view. `sources`: the rank of each track that phases are derived from. */
  want(view: Span, width: number, bounds: Span, sources: ReadonlyMap<number, number>): void {
    this.rankOf = sources;
    this.samples.want(this.many ? windowFor(view, width, bounds) : windowFor(bounds, 1, bounds), [
      'all',
    ]);
    const window = this.wholeSteps(view, width, sources.values());
    if (window !== null) this.phases.want(window, [...sources.keys()]);
  }

  /** The steps in view whole: what lies between two phases is known by both of its ends. */
  private wholeSteps(view: Span, width: number, ranks: Iterable<number>): TileWindow | null {
    let [fromNs, toNs] = [Infinity, -Infinity];
    for (const rank of ranks) {
      const steps = inView(this.byRank.get(rank) ?? [], view);
      fromNs = Math.min(fromNs, steps[0]?.fromNs ?? Infinity);
      toNs = Math.max(toNs, steps.at(-1)?.toNs ?? -Infinity);
    }
    if (fromNs >= toNs) return null;
    const pixels = Math.max((width * (toNs - fromNs)) / lengthNs(view), 1);
    return { fromNs, toNs, width: Math.min(powerOfTwo(pixels), MAX_WIDTH, toNs - fromNs) };
  }

  private async sample(
    window: TileWindow,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<number, Tile>> {
    const columns = await this.data.samples(window, signal);
    if (columns === null) {
      this.many = true;
      return new Map();
    }
    if (Array.from(columns.stack).some((stack) => !this.stacks.has(stack)))
      this.stacks = await this.data.stacks(signal);
    const tiles = sampleTiles(columns, this.stacks, window, this.names);
    if ([...tiles.keys()].some((track) => !this.sampled.has(track))) {
      this.sampled = new Set([...this.sampled, ...tiles.keys()]);
      this.on.onRows();
    }
    return tiles;
  }

  tile(track: number, view: Span): Tile | undefined {
    const { kind, of } = derivedFrom(track);
    if (kind === 'samples') return this.samples.get('all', view)?.get(of);
    const source = this.phases.get(of, view);
    if (source === undefined) return undefined;
    const known = this.made.get(source);
    if (known !== undefined) return known;
    const steps = inView(this.byRank.get(this.rankOf.get(of) ?? -1) ?? [], source.window);
    const tile = phasesOf(source, steps, this.names);
    this.made.set(source, tile);
    return tile;
  }

  /** The piece that an address names; null: it is not there, or not yet. */
  find(name: SliceName): Piece | null {
    const piece = this.at(name);
    return piece !== null && hashOf(piece.name) === name.hash ? piece : null;
  }

  /** A recorded phase is a slice by itself. */
  isRecorded = ({ track, slice }: Piece): boolean =>
    derivedFrom(track).kind === 'phases' && slice >= 0;

  at(place: Pick<Place, 'track' | 'fromNs'>): Piece | null {
    return this.beside(place, 0);
  }

  /** The piece so many after the one that begins there. */
  beside({ track, fromNs }: Pick<Place, 'track' | 'fromNs'>, by: number): Piece | null {
    const lane = this.tile(track, { fromNs, toNs: fromNs + 1 })?.lanes[0];
    const at = lane === undefined ? -1 : firstEndingAfter(lane, fromNs);
    const i = at + by;
    if (lane?.from[at] !== fromNs || i < 0 || i >= lane.length) return null;
    const number = lane.name[i] as number;
    return {
      track,
      lane: 0,
      fromNs: lane.from[i] as number,
      toNs: lane.to[i] as number,
      slice: lane.slice[i] as number,
      name: this.names.name(number),
      category: this.names.category(number),
    };
  }

  /** A piece as the details of a slice have it. */
  details({ track, fromNs, toNs, slice, name, category }: Piece): Details {
    const { kind, of } = derivedFrom(track);
    const rank = this.byRank.get(this.rankOf.get(of) ?? -1) ?? [];
    const sample = kind === 'samples';
    return {
      slice: UNNUMBERED,
      track,
      lane: 0,
      depth: 0,
      ts_ns: fromNs,
      dur_ns: toNs - fromNs,
      self_ns: null,
      name,
      category,
      step: sample ? null : (inView(rank, { fromNs, toNs })[0]?.step ?? null),
      args: {},
      operator: null,
      stack: sample ? framesOf(this.stacks, slice) : [],
      correlated: [],
      previous: this.beside({ track, fromNs }, -1) === null ? null : UNNUMBERED,
      next: this.beside({ track, fromNs }, 1) === null ? null : UNNUMBERED,
      parent: null,
    };
  }

  get busy(): boolean {
    return this.phases.busy || this.samples.busy;
  }

  refresh(): void {
    this.phases.refresh();
    this.samples.refresh();
  }

  stop(): void {
    this.phases.stop();
    this.samples.stop();
  }
}
