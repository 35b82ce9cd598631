// SPDX-License-Identifier: Apache-2.0
// The search among slices, as one types.
import { ApiError } from '../api/error';
import type { Match, TimelineData } from './data';
import type { Loadable } from './selection.svelte';

const PAUSE_MS = 120;

const isSame = (a: Match, b: Match): boolean =>
  a.track === b.track && a.lane === b.lane && a.ts_ns === b.ts_ns && a.dur_ns === b.dur_ns;

export class Finder {
  query = $state('');
  found = $state.raw<Loadable<{ total: number; matches: Match[] }>>({ state: 'none' });
  /** The match that is shown; -1: none yet. */
  index = $state(-1);
  readonly matches: readonly Match[] = $derived.by(() =>
    this.found.state === 'ready' ? this.found.value.matches : [],
  );
  private abort: AbortController | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly data: TimelineData) {}

  search(query: string): void {
    this.query = query;
    this.index = -1;
    this.stop();
    if (query === '') {
      this.found = { state: 'none' };
      return;
    }
    this.found = { state: 'loading' };
    this.timer = setTimeout(() => void this.ask(query), PAUSE_MS);
  }

  /** The run has grown: what was found stays until there is more; the match that is shown goes on. */
  again(): void {
    if (this.query === '' || this.found.state === 'loading') return;
    this.stop();
    void this.ask(this.query);
  }

  /** The match after the one shown, or before it; round at the ends. -1: there is none. */
  neighbour(by: 1 | -1, shown = this.index): number {
    const { length } = this.matches;
    if (length === 0) return -1;
    const from = shown < 0 && by < 0 ? 0 : shown;
    return (from + by + length) % length;
  }

  stop(): void {
    clearTimeout(this.timer);
    this.abort?.abort();
  }

  private async ask(query: string): Promise<void> {
    const abort = new AbortController();
    this.abort = abort;
    try {
      const value = await this.data.search(query, abort.signal);
      if (abort.signal.aborted) return;
      const shown = this.matches[this.index];
      this.found = { state: 'ready', value };
      if (shown !== undefined) this.index = value.matches.findIndex((m) => isSame(m, shown));
    } catch (thrown) {
      if (abort.signal.aborted) return;
      this.found = { state: 'failed', error: ApiError.of(thrown, 'the search') };
    }
  }
}
