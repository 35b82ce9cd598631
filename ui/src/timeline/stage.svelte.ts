// SPDX-License-Identifier: Apache-2.0
/* eslint-disable svelte/prefer-svelte-reactivity -- the collections here are made anew, not watched */
// The timeline's state and what changes it. Components read it and call it; drawing reads it a frame.
import { ApiError } from '../api/error';
import { ns, type TimeRange } from '../base/time';
import type { RunContext } from '../state/run.svelte';
import { theme } from '../state/theme.svelte';
import type { Anchor } from './anchor';
import { anchorOf, scrollOf } from './anchor';
import type { Details, SeenSlice, Tree } from './data';
import { placeOf, seenAs, TimelineData } from './data';
import { rowsOf } from './derived';
import { DerivedSelection } from './derived_selection';
import { Finder } from './finder.svelte';
import type { Arrow } from './flows';
import { arrows, laneOf } from './flows';
import { hit, type Hovered } from './hit';
import { lookOf } from './look';
import { Palette } from './palette';
import type { Place } from './place';
import { layout, scrollToSee, visibleRows, type Layout, type TrackRow } from './rows';
import type { Overlay, Scene } from './scene';
import type { CounterSeries } from './series';
import { Selection } from './selection.svelte';
import type { Tab, TimelineState } from './state';
import { decode, encode, sliceParam } from './state';
import { bandOf, byNumber, type Step } from './steps';
import { Stock } from './stock';
import { Names, type Tile } from './tile';
import type { TreeNode } from './tree';
import { byTrack, foldedAtFirst, nameWithRank, newlyFolded, pathTo } from './tree';
import type { Span } from './viewport';
import { between, clamp, fit, openingOf, reveal, toTime, zoom, zoomedOn } from './viewport';

const ANIMATION_MS = 160;

const reducedMotion = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches;

export class TimelineStage {
  readonly data: TimelineData;
  readonly selection: Selection;
  readonly finder: Finder;
  readonly names = new Names();
  private readonly palette = new Palette(this.names);
  nodes = $state.raw<TreeNode[]>([]);
  bounds = $state.raw<Span>({ fromNs: 0, toNs: 0 });
  private opening: Span = { fromNs: 0, toNs: 0 };
  private foldedFirst = $state.raw(new Set<string>());
  private byTrack = $state.raw(new Map<number, TreeNode>());

  view = $state.raw<Span>({ fromNs: 0, toNs: 1 });
  /** Whether the view is the whole run and grows with it. */
  whole = $state(true);
  toggled = $state.raw<string[]>([]);
  pinned = $state.raw<string[]>([]);
  rowFilter = $state('');
  /** Rows without anything in view are left out: yes, no, or (null) where a time range is selected. */
  busyRows = $state<boolean | null>(null);
  tab = $state<Tab>('selection');
  /** The details: open, closed, or (null) open as soon as there is something to tell. */
  opened = $state<boolean | null>(null);
  detailsHeight = $state<number | null>(null);
  /** Statistics of the rows in sight alone. */
  inSight = $state(false);
  marks = $state.raw<number[]>([]);
  scroll = $state(0);
  width = $state(1);
  height = $state(1);
  dpr = $state(1);
  steps = $state.raw<Step[]>([]);
  hovered = $state.raw<Hovered | null>(null);
  cursor = $state.raw<{ x: number; y: number } | null>(null);
  /** The row whose name has the focus by keys: its value is told whole, as below a pointer. */
  focused = $state.raw<Pick<TrackRow, 'node' | 'pinned'> | null>(null);
  /** The ends of a time range that is being drawn, by pointer or keys: it is not chosen yet. */
  drawing = $state.raw<{ readonly fixedNs: number; readonly movingNs: number } | null>(null);
  problem = $state.raw<ApiError | null>(null);
  /** Grows with every answer: what is drawn depends on it. */
  loaded = $state(0);

  readonly folded = $derived.by(() => {
    const set = new Set(this.foldedFirst);
    for (const key of this.toggled) if (!set.delete(key)) set.add(key);
    return set;
  });
  readonly hidesIdle: boolean = $derived.by(() => this.busyRows ?? this.run.timeRange !== null);
  readonly layout: Layout = $derived.by(() =>
    layout(this.nodes, {
      folded: this.folded,
      pinned: this.pinned,
      filter: this.rowFilter,
      within: this.hidesIdle ? this.view : null,
    }),
  );
  readonly rows: TrackRow[] = $derived(visibleRows(this.layout, this.scroll, this.height));
  readonly band: Step[] = $derived(bandOf(this.steps));
  readonly drawn: Span | null = $derived.by(() => {
    if (this.drawing === null) return null;
    const { fixedNs, movingNs } = this.drawing;
    return { fromNs: Math.min(fixedNs, movingNs), toNs: Math.max(fixedNs, movingNs) };
  });
  readonly timeRange: Span | null = $derived.by(
    () =>
      this.drawn ??
      (this.run.timeRange && { fromNs: this.run.timeRange.from, toNs: this.run.timeRange.to }),
  );
  readonly selected: Details | null = $derived.by(() => {
    const { details } = this.selection;
    return details.state === 'ready' ? details.value : null;
  });
  readonly detailsOpen: boolean = $derived.by(
    () => this.opened ?? (this.tab !== 'selection' || this.selection.details.state !== 'none'),
  );

  /** The match that is shown: the one gone to, else the one that is selected, as after a reload. */
  readonly matchIndex: number = $derived.by(() => {
    const { index, matches } = this.finder;
    if (index >= 0 || this.selected === null) return index;
    const { track, lane, ts_ns, dur_ns } = this.selected;
    return matches.findIndex(
      (m) => m.track === track && m.lane === lane && m.ts_ns === ts_ns && m.dur_ns === dur_ns,
    );
  });

  readonly stock: Stock;
  readonly derived: DerivedSelection;
  private animation = 0;
  /** The selected slice as the address has it. */
  private told: string | null = null;
  /** The row that stays at the top, however rows come and go, until the reader scrolls. */
  private held = $state.raw<Anchor | null>(null);

  constructor(
    readonly run: RunContext,
    private tree: Tree,
  ) {
    this.data = new TimelineData(run.source, run.id);
    this.selection = new Selection(this.data);
    this.finder = new Finder(this.data);
    this.stock = new Stock(this.data, this.names, {
      onLoad: () => {
        ++this.loaded;
        this.derived.look();
      },
      onError: (thrown) => (this.problem = ApiError.of(thrown, 'the timeline')),
      onRows: () => this.replant(),
    });
    this.derived = new DerivedSelection(this.stock.derived, this.selection);
    this.plant(tree);
  }

  private plant(tree: Tree): void {
    this.tree = tree;
    this.nodes = rowsOf(tree.tracks, this.stock.derived);
    this.bounds = { fromNs: tree.from_ns, toNs: tree.to_ns };
    this.opening = openingOf(tree);
    this.foldedFirst = foldedAtFirst(this.nodes);
    this.byTrack = byTrack(this.nodes);
  }

  /** The same tree, with rows that are known now. */
  private replant(): void {
    const top = this.top;
    this.plant(this.tree);
    this.hold(top);
  }

  /** A live run's newer tree; all that the reader chose stays, and the old is drawn until the new comes. */
  grow(tree: Tree): void {
    if (tree === this.tree) return;
    const [nodes, folded] = [this.nodes, this.foldedFirst];
    const top = this.top;
    this.plant(tree);
    // What the rule folds now and did not then, or the reverse, stays as it is seen.
    const changed = new Set(newlyFolded(nodes, folded, this.foldedFirst));
    this.toggled = [...this.toggled.filter((key) => !changed.delete(key)), ...changed];
    if (this.whole) {
      cancelAnimationFrame(this.animation);
      this.view = fit(this.opening);
    }
    this.hold(top);
    this.retry();
    this.finder.again();
    void this.selection.again();
  }

  // -- the address ------------------------------------------------------------------------------

  /** Takes what the address says; selections are fetched if they are not the ones shown. */
  adopt(query: Readonly<Record<string, string | undefined>>): void {
    const told = decode(query);
    this.toggled = told.toggled;
    this.pinned = told.pinned;
    this.rowFilter = told.rows;
    this.busyRows = told.busyRows;
    this.tab = told.tab;
    this.marks = told.marks;
    this.opened = told.open;
    this.detailsHeight = told.height;
    this.inSight = told.inSight;
    this.hold(told.top);
    const { timeRange } = this.run;
    const first = timeRange && this.withMargin({ fromNs: timeRange.from, toNs: timeRange.to });
    this.whole = told.view === null && first === null;
    this.view = told.view ? clamp(told.view, this.bounds) : (first ?? fit(this.opening));
    if (told.query !== this.finder.query) this.finder.search(told.query);
    // What has been selected since it was written is not in it yet.
    const slice = sliceParam(told.slice);
    if (slice === this.told) return;
    this.told = slice;
    this.derived.forget();
    if (told.slice === null) return this.deselect();
    if (slice === sliceParam(this.selection.name)) return;
    if (typeof told.slice === 'object' && told.slice.track < 0)
      return this.derived.recall(told.slice);
    const go = told.view === null;
    void this.selection.recall(told.slice, (d) => go && this.goTo(placeOf(d)));
  }

  withMargin(span: Span): Span {
    const margin = (span.toNs - span.fromNs) * 0.1;
    return clamp({ fromNs: span.fromNs - margin, toNs: span.toNs + margin }, this.bounds);
  }

  /** What the address is to say. */
  address(): Record<string, string | null> {
    const state: TimelineState = {
      view: this.whole ? null : this.view,
      toggled: this.toggled,
      pinned: this.pinned,
      slice: this.selection.name,
      marks: this.marks,
      query: this.finder.query,
      rows: this.rowFilter,
      busyRows: this.busyRows,
      tab: this.tab,
      top: this.top,
      open: this.opened,
      height: this.detailsHeight,
      inSight: this.inSight,
    };
    return encode(state);
  }

  /** Tells the address. */
  write(): void {
    this.told = sliceParam(this.selection.name);
    this.run.refine(this.address());
  }

  // -- data -------------------------------------------------------------------------------------

  request(): void {
    this.stock.want(this.view, this.width, this.bounds, this.rows);
  }

  retry(): void {
    this.problem = null;
    this.stock.refresh();
  }

  dispose(): void {
    this.stock.stop();
    this.selection.stop();
    this.finder.stop();
    cancelAnimationFrame(this.animation);
  }

  get busy(): boolean {
    void this.loaded;
    return this.stock.busy;
  }

  tile(track: number): Tile | undefined {
    return this.stock.tile(track, this.view);
  }

  seriesOf(track: number): CounterSeries | undefined {
    const name = this.byTrack.get(track)?.track?.name;
    return name === undefined ? undefined : this.stock.series(track, name, this.view);
  }

  async loadSteps(signal: AbortSignal): Promise<void> {
    const steps = await this.data.steps(signal).catch(() => null);
    if (steps === null || signal.aborted) return;
    this.steps = steps;
    this.stock.derived.take(steps);
  }

  // -- frames -----------------------------------------------------------------------------------

  scene(): Scene {
    const look = lookOf(theme.dark ? 'dark' : 'light', (name) => theme.color(name));
    return {
      view: this.view,
      width: this.width,
      height: this.height,
      dpr: this.dpr,
      scroll: this.scroll,
      layout: this.layout,
      rows: this.rows,
      tile: (track) => this.tile(track),
      series: (track) => this.seriesOf(track),
      names: this.names,
      colours: this.palette.for(look.theme, this.finder.query),
      look,
      steps: this.band,
    };
  }

  overlay(): Overlay {
    const chosen = this.selected;
    const match = this.finder.matches[this.matchIndex];
    return {
      hover: this.hovered?.place ?? null,
      selection: chosen === null ? null : placeOf(chosen),
      correlated: (chosen?.correlated ?? []).map((c) => ({
        track: c.track,
        lane: laneOf(this.selection.flows, c.track, c.ts_ns),
        fromNs: c.ts_ns,
        toNs: c.ts_ns + c.dur_ns,
      })),
      arrows: this.arrows(),
      matches: this.finder.matches.map(placeOf),
      match: match === undefined ? null : placeOf(match),
      timeRange: this.timeRange,
      marks: this.marks,
      cursorNs: this.cursor === null ? null : toTime(this.cursor.x, this.view, this.width),
    };
  }

  private arrows(): Arrow[] {
    if (this.selection.flows.length === 0) return [];
    const rows = new Map<number, TrackRow>();
    for (const row of this.layout.rows) {
      const number = row.node.track?.track;
      if (number !== undefined && !rows.has(number)) rows.set(number, row);
    }
    return arrows(
      this.selection.flows,
      (track) => rows.get(track),
      this.view,
      this.width,
      this.scroll,
    );
  }

  // -- pointer ----------------------------------------------------------------------------------

  hit(x: number, y: number): Hovered | null {
    const { layout, scroll, view, width, names } = this;
    return hit({ layout, scroll, view, width, names, tile: (track) => this.tile(track) }, x, y);
  }

  // -- moving -----------------------------------------------------------------------------------

  show(view: Span): void {
    cancelAnimationFrame(this.animation);
    this.whole = false;
    this.view = clamp(view, this.bounds);
  }

  /** Moves there so that the eye can follow; at once for those who want no motion. */
  glide(target: Span): void {
    const from = this.view;
    const to = clamp(target, this.bounds);
    if (reducedMotion()) return this.show(to);
    const began = performance.now();
    this.whole = false;
    cancelAnimationFrame(this.animation);
    const frame = (now: number) => {
      const t = Math.min((now - began) / ANIMATION_MS, 1);
      this.view = t === 1 ? to : between(from, to, t * (2 - t));
      if (t < 1) this.animation = requestAnimationFrame(frame);
    };
    this.animation = requestAnimationFrame(frame);
  }

  fit(): void {
    this.glide(fit(this.opening));
    this.whole = true;
  }

  zoomAt(x: number, factor: number): void {
    this.show(zoom(this.view, factor, toTime(x, this.view, this.width), this.bounds));
  }

  /** 0: as far as it was, where rows or the window's height have changed. */
  scrollBy(pixels: number): void {
    if (pixels !== 0) this.held = null;
    const from = (this.held && scrollOf(this.layout, this.held)) ?? this.scroll;
    const most = Math.max(this.layout.height - this.height, 0);
    this.scroll = Math.min(Math.max(from + pixels, 0), most);
  }

  /** The topmost row; what the address asked for, where the window is too high for it. */
  get top(): Anchor | null {
    return this.held ?? anchorOf(this.layout, this.scroll);
  }

  private hold(top: Anchor | null): void {
    this.held = top;
    if (top === null) this.scroll = 0;
    this.scrollBy(0);
  }

  /** Scrolls no further than it takes: the details that open below leave fewer rows. */
  keepInSight({ track, lane }: Pick<Place, 'track' | 'lane'>): void {
    this.scrollBy(scrollToSee(this.layout, track, lane, this.scroll, this.height) - this.scroll);
  }

  /** To a slice's place: its row opened and scrolled to, its time in view. */
  goTo(place: Place): void {
    for (const key of pathTo(this.nodes, place.track)) {
      if (this.folded.has(key)) this.toggle(key);
    }
    if (this.hidesIdle) this.show(reveal(this.view, place, this.bounds)); // now its row is there
    const row = this.layout.rows.find((r) => r.node.track?.track === place.track);
    if (row !== undefined && !row.pinned) {
      const top = row.top + place.lane * row.laneHeight;
      const room = this.layout.pinnedHeight;
      if (top - this.scroll < room + 10 || top + 20 - this.scroll > this.height) {
        this.scrollBy(top - room - (this.height - room) / 2 - this.scroll);
      }
    }
    const narrow = (place.toNs - place.fromNs) / (this.view.toNs - this.view.fromNs) < 0.002;
    this.glide(narrow ? zoomedOn(place, this.bounds) : reveal(this.view, place, this.bounds));
  }

  goToStep(number: number): boolean {
    const step = byNumber(this.band, number);
    if (step !== null) this.glide(this.withMargin({ fromNs: step.fromNs, toNs: step.toNs }));
    return step !== null;
  }

  // -- rows -------------------------------------------------------------------------------------

  toggle(key: string): void {
    const without = this.toggled.filter((k) => k !== key);
    this.toggled = without.length === this.toggled.length ? [...without, key] : without;
    this.scrollBy(0);
  }

  pin(key: string): void {
    const without = this.pinned.filter((k) => k !== key);
    this.pinned = without.length === this.pinned.length ? [...without, key] : without;
    this.scrollBy(0);
  }

  trackName(track: number): string {
    const node = this.byTrack.get(track);
    const name = track < 0 ? node?.track?.name : node?.name;
    return nameWithRank(this.nodes, track, name ?? `track ${track}`);
  }

  // -- selection --------------------------------------------------------------------------------

  select(slice: number, go = false, seen: SeenSlice | null = null): Promise<void> {
    const found = (details: Details) =>
      go ? this.goTo(placeOf(details)) : this.keepInSight(placeOf(details));
    if (seen !== null && seen.track < 0) return this.derived.select(seen, slice, found);
    this.derived.forget();
    return this.selection.select(slice, found, seen);
  }

  /** To a slice that the selected one tells of; while the run grows, by its numbers of now. */
  async follow(pick: (from: Details) => number | null): Promise<void> {
    if (this.run.live.kind !== 'closed' && !(await this.selection.again())) return;
    const slice = this.selected && pick(this.selected);
    if (slice !== null) await this.select(slice, true);
  }

  deselect(): void {
    this.derived.forget();
    this.selection.clear();
  }

  choose(span: Span | null): void {
    this.drawing = null;
    const chosen: TimeRange | null =
      span === null ? null : { from: ns(Math.floor(span.fromNs)), to: ns(Math.ceil(span.toNs)) };
    // The address is written now, or going there would bring back an older view.
    this.whole = false;
    this.write();
    this.run.choose(chosen);
  }

  nextMatch(by: 1 | -1): void {
    this.goToMatch(this.finder.neighbour(by, this.matchIndex));
  }

  goToMatch(index: number): void {
    const match = this.finder.matches[index];
    if (match === undefined) return;
    this.finder.index = index;
    this.goTo(placeOf(match));
    void this.select(match.slice, false, seenAs(match));
  }
}
