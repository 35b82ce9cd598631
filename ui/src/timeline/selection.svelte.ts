// SPDX-License-Identifier: Apache-2.0
// The selected slice: its details and its arrows, fetched one after the other.
import { ApiError } from '../api/error';
import type { Details, TimelineData } from './data';
import type { Flow } from './flows';

export type Loadable<T> =
  | { state: 'none' }
  | { state: 'loading' }
  | { state: 'failed'; error: ApiError }
  | { state: 'ready'; value: T };

export class Selection {
  details = $state.raw<Loadable<Details>>({ state: 'none' });
  flows = $state.raw<Flow[]>([]);
  private abort: AbortController | null = null;

  constructor(private readonly data: TimelineData) {}

  /** Null where it failed or another slice was selected meanwhile. The old one stays until then. */
  async select(slice: number, found: (details: Details) => void): Promise<void> {
    this.stop();
    const abort = new AbortController();
    this.abort = abort;
    if (this.details.state !== 'ready') this.details = { state: 'loading' };
    try {
      const value = await this.data.details(slice, abort.signal);
      if (abort.signal.aborted) return;
      this.details = { state: 'ready', value };
      this.flows = [];
      found(value);
    } catch (thrown) {
      if (abort.signal.aborted) return;
      this.details = { state: 'failed', error: ApiError.of(thrown, 'the slice') };
      return;
    }
    // Arrows are an extra: without them the slice is still told.
    const flows = await this.data.flows(slice, abort.signal).catch(() => []);
    if (!abort.signal.aborted) this.flows = flows;
  }

  clear(): void {
    this.stop();
    this.details = { state: 'none' };
    this.flows = [];
  }

  stop(): void {
    this.abort?.abort();
  }
}
