// SPDX-License-Identifier: Apache-2.0
// What is drawn now and what is asked for next. A time range that was asked for before and is no longer
// in view is aborted; until an answer comes, what is there of older answers is drawn.
import { ApiError } from '../api/error';
import type { Span } from './viewport';
import type { TileWindow } from './window';
import { sameWindow } from './window';

interface Kept<T> {
  window: TileWindow;
  value: T | undefined;
  /** False: the run has grown since; it is drawn until a newer one comes, and asked for again. */
  current: boolean;
}

/** Answers kept for one key: the time range in view, and a few to zoom or pan back to. */
const MAX_KEPT = 5;
/** While the view changes, so long passes between two requests. */
const PAUSE_MS = 50;
/** The status of an answer that would be larger than the server makes one. */
const TOO_MUCH = 413;

export type Fetch<K, T> = (
  window: TileWindow,
  keys: readonly K[],
  signal: AbortSignal,
) => Promise<Map<K, T>>;

export interface LoaderOptions<K, T> {
  fetch: Fetch<K, T>;
  /** Keys of one request. */
  batch: number;
  onLoad: () => void;
  onError: (thrown: unknown) => void;
  /** `setTimeout`, but for tests. */
  later?: (run: () => void, ms: number) => void;
}

export class TileLoader<K, T> {
  private readonly kept = new Map<K, Kept<T>[]>();
  private wanted: { window: TileWindow; keys: readonly K[] } | null = null;
  private abort: AbortController | null = null;
  private inFlight: { window: TileWindow; keys: Set<K> } | null = null;
  private scheduled = false;
  private failedAt: TileWindow | null = null;
  /** Where the server refused so many keys at once: how many it is asked for there. */
  private fewer: { window: TileWindow; keys: number } | null = null;
  /** How often the run grew: what was asked for before is out of date when it comes. */
  private grown = 0;

  constructor(private readonly options: LoaderOptions<K, T>) {}

  /** Says what is in view; asks for what is missing of it. Cheap when nothing is. */
  want(window: TileWindow, keys: readonly K[]): void {
    this.wanted = { window, keys };
    if (this.inFlight !== null && !sameWindow(this.inFlight.window, window)) this.stop();
    if (this.scheduled || this.inFlight !== null) return;
    if (this.missing().length === 0) return;
    if (this.failedAt !== null && sameWindow(this.failedAt, window)) return;
    this.scheduled = true;
    const later = this.options.later ?? ((run, ms) => void setTimeout(run, ms));
    later(
      () => {
        this.scheduled = false;
        void this.load();
      },
      this.kept.size === 0 ? 0 : PAUSE_MS,
    );
  }

  /** The best there is for `view`: the wanted time range, else what covers most of it, else finest. */
  get(key: K, view: Span): T | undefined {
    const list = this.kept.get(key);
    if (list === undefined) return undefined;
    const wanted = this.wanted?.window;
    let best: Kept<T> | undefined;
    let bestScore = -Infinity;
    for (const kept of list) {
      if (wanted !== undefined && sameWindow(kept.window, wanted)) return kept.value;
      const from = Math.max(kept.window.fromNs, view.fromNs);
      const to = Math.min(kept.window.toNs, view.toNs);
      const covers = Math.max(to - from, 0) / (view.toNs - view.fromNs);
      const pixel = (kept.window.toNs - kept.window.fromNs) / kept.window.width;
      const score = Math.round(covers * 20) - Math.log2(Math.max(pixel, 1)) / 1000;
      if (score > bestScore) {
        best = kept;
        bestScore = score;
      }
    }
    return best?.value;
  }

  get busy(): boolean {
    return this.inFlight !== null || this.scheduled;
  }

  /** The run has grown, or a failed request is to be tried again. */
  refresh(): void {
    this.failedAt = null;
    ++this.grown;
    for (const list of this.kept.values()) for (const kept of list) kept.current = false;
    if (this.wanted !== null) this.want(this.wanted.window, this.wanted.keys);
  }

  stop(): void {
    this.abort?.abort();
    this.abort = null;
    this.inFlight = null;
  }

  private has(key: K, window: TileWindow): boolean {
    const list = this.kept.get(key);
    return list !== undefined && list.some((k) => k.current && sameWindow(k.window, window));
  }

  private missing(): K[] {
    if (this.wanted === null) return [];
    const { window, keys } = this.wanted;
    return keys.filter((key) => !this.has(key, window));
  }

  private async load(): Promise<void> {
    if (this.wanted === null || this.inFlight !== null) return;
    const { window } = this.wanted;
    const { fewer } = this;
    const most = fewer !== null && sameWindow(fewer.window, window) ? fewer.keys : Infinity;
    const keys = this.missing().slice(0, Math.min(most, this.options.batch));
    if (keys.length === 0) return;
    const abort = new AbortController();
    const mine = { window, keys: new Set(keys) };
    const { grown } = this;
    this.abort = abort;
    this.inFlight = mine;
    try {
      const values = await this.options.fetch(window, keys, abort.signal);
      if (abort.signal.aborted) return;
      // A key without an answer has nothing there; it is not asked for again.
      for (const key of keys) this.keep(key, window, values.get(key), grown);
    } catch (thrown) {
      if (abort.signal.aborted) return;
      if (thrown instanceof ApiError && thrown.status === TOO_MUCH && keys.length > 1) {
        this.fewer = { window, keys: keys.length >> 1 };
        return;
      }
      // One that is too much by itself does not keep the others.
      if (thrown instanceof ApiError && thrown.status === TOO_MUCH) {
        for (const key of keys) this.keep(key, window, undefined, grown);
        this.options.onError(thrown);
        return;
      }
      // Asked again only when the view moves on or somebody says so: a broken server is not flooded.
      this.failedAt = window;
      this.options.onError(thrown);
    } finally {
      if (this.inFlight === mine) {
        this.inFlight = null;
        this.options.onLoad();
        if (this.wanted !== null) this.want(this.wanted.window, this.wanted.keys);
      }
    }
  }

  private keep(key: K, window: TileWindow, value: T | undefined, grown: number): void {
    const list = (this.kept.get(key) ?? []).filter((k) => !sameWindow(k.window, window));
    list.unshift({ window, value, current: grown === this.grown });
    this.kept.set(key, list.slice(0, MAX_KEPT));
  }
}
