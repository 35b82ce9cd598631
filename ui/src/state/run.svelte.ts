// SPDX-License-Identifier: Apache-2.0
// The run that is looked at, and the time range of it that was chosen. Every view gets this and nothing else.
import type { Report, RunCard, RunStatus } from '../api/report';
import type { RunEvent, Source } from '../api/source';
import { ns, timeRange, type Ns, type TimeRange } from '../base/time';
import { resource, type Loaded } from './resource.svelte';
import { formatRoute, withParams, type Query } from './route';
import { router } from './router.svelte';

/** Where to go in a run: a view, with the time range that is chosen now unless another is named. */
export interface RunTarget {
  readonly view: string;
  readonly timeRange?: TimeRange | null;
  readonly params?: Query;
}

/** What the run is doing, told by the server while it goes on. */
export type Live =
  | { readonly kind: 'closed' }
  | { readonly kind: 'growing' }
  | { readonly kind: 'quiet'; readonly since: Ns }
  | { readonly kind: 'unconnected'; readonly since_utc: string };

/** The time range that an address names; null: the whole run. What is no time range is none. */
export function timeRangeOf(query: Query): TimeRange | null {
  const from = Number(query.from_ns || NaN);
  const to = Number(query.to_ns || NaN);
  return Number.isSafeInteger(from) && Number.isSafeInteger(to) && from < to
    ? { from: ns(from), to: ns(to) }
    : null;
}

/** Made in a component's initialisation: its resources live as long as that component. */
export class RunContext {
  // By way of text: an address that changes elsewhere makes no new time range, so nothing is asked again.
  private readonly address = $derived(
    `${router.route.query.from_ns ?? ''} ${router.route.query.to_ns ?? ''}`,
  );
  readonly timeRange: TimeRange | null = $derived.by(() => {
    const [from_ns = '', to_ns = ''] = this.address.split(' ');
    // A one-file report holds the whole run alone.
    return this.source.kind === 'page' ? null : timeRangeOf({ from_ns, to_ns });
  });
  /** Of the whole run. */
  readonly report: Loaded<Report>;
  private readonly inTimeRange: Loaded<Report>;
  private event = $state.raw<RunEvent | null>(null);
  /** Since when the server tells nothing of the run. */
  private lost = $state.raw<string | null>(null);
  /** The server was away; what it tells next is the first of a new connection. */
  private back = false;
  private grown = $state(0);
  readonly live: Live = $derived.by(() => {
    const { current } = this.report;
    const status = current.state === 'ready' ? current.value.run.status : null;
    return liveOf(this.event, this.lost, status);
  });

  /** What the run is; null: its report is not there yet. */
  get card(): RunCard | null {
    const { current } = this.report;
    return current.state === 'ready' ? current.value.run_card : null;
  }

  constructor(
    readonly source: Source,
    readonly id: string,
    readonly editorUrl: string,
  ) {
    this.report = resource((signal) => {
      void this.generation;
      return source.report(id, null, signal);
    });
    this.inTimeRange = resource(
      (signal) => {
        void this.generation;
        // Without a time range nobody reads it.
        return this.timeRange
          ? source.report(id, this.timeRange, signal)
          : new Promise(() => undefined);
      },
      () => this.timeRange,
    );
    $effect(() =>
      source.watchRun(
        id,
        (event) => {
          if (isNews(event, this.event, this.back)) this.grown += 1;
          this.back = false;
          this.event = event;
        },
        (since_utc) => {
          this.lost = since_utc;
          this.back ||= since_utc === null;
        },
      ),
    );
  }

  /** Grows whenever an earlier answer is out of date: read it where data is asked for. */
  get generation(): number {
    return this.grown;
  }

  /** Of the steps in the chosen time range; the whole run's where none is chosen. */
  get chosen(): Loaded<Report> {
    return this.timeRange ? this.inTimeRange : this.report;
  }

  /**
   * A section of the report, of what begins in the chosen time range (docs/reference/http.md): of the run's
   * generation and time range at the call, so a resource that calls it follows both. A page holds the whole
   * run's alone.
   */
  section<T>(name: string, signal: AbortSignal): Promise<T> {
    void this.generation;
    const { timeRange: within, source, id } = this;
    if (source.kind === 'page')
      return source.report(id, null, signal) as Promise<unknown> as Promise<T>;
    const params = within ? { from_ns: within.from, to_ns: within.to } : {};
    return source.json<T>(id, `section/${name}`, params, signal);
  }

  /** `choose` where there are reports of time ranges: for `onchoose`. */
  get choosing(): ((chosen: TimeRange) => void) | undefined {
    return this.source.kind === 'page' ? undefined : (chosen) => this.choose(chosen);
  }

  choose(chosen: TimeRange | null): void {
    const whole = chosen && timeRange(chosen.from, chosen.to);
    this.navigate(router.route.query, whole);
  }

  /** Where another view of this run is, for `href`: a page holds no timeline, and of each view the whole run alone. */
  link(target: RunTarget): string | undefined {
    const page = this.source.kind === 'page';
    if (page && target.view === 'timeline') return undefined;
    const query = withParams(target.params ?? {}, this.bounds(page ? null : target.timeRange));
    return formatRoute({ kind: 'run', run: this.id, view: target.view, query });
  }

  go(target: RunTarget): void {
    const link = this.link(target);
    if (link !== undefined) location.hash = link;
  }

  /** What leads from a row to its calls or its moment in the timeline, where there is one: for `onopen`. */
  opening<Row>(target: (row: Row) => Omit<RunTarget, 'view'>): ((row: Row) => void) | undefined {
    return this.source.kind === 'page'
      ? undefined
      : (row) => this.go({ ...target(row), view: 'timeline' });
  }

  /** What the address says for a view's own parameter. */
  param(name: string): string | null {
    return router.param(name);
  }

  /** Writes a view's own parameters into the address; null removes one. */
  refine(changes: Readonly<Record<string, string | null>>): void {
    router.refine(changes);
  }

  private navigate(query: Query, chosen: TimeRange | null): void {
    const { route } = router;
    if (route.kind !== 'run') return;
    router.go({ ...route, query: withParams(query, this.bounds(chosen)) });
  }

  private bounds(chosen: TimeRange | null | undefined): Record<string, string | null> {
    const s = chosen === undefined ? this.timeRange : chosen;
    return { from_ns: s ? String(s.from) : null, to_ns: s ? String(s.to) : null };
  }
}

/**
 * Whether earlier answers are out of date. Of the first event they are not: what was asked for on opening is
 * no older. Each connection counts its generations anew.
 */
export function isNews(event: RunEvent, before: RunEvent | null, back: boolean): boolean {
  return back || (before !== null && before.generation !== event.generation);
}

/** How a run that did not end well ended; empty: it did, or nobody knows. */
export function endOf({ status, exit_code, signal }: Report['run']): string {
  if (status !== 'failed' && status !== 'stopped') return '';
  if (signal != null && signal > 0) return `signal ${signal}`;
  return exit_code != null && exit_code !== 0 ? `exit code ${exit_code}` : '';
}

/** `status`: as the report says, for a stream that never told anything. */
export function liveOf(
  event: RunEvent | null,
  lost: string | null,
  status: RunStatus | null,
): Live {
  if ((event?.status ?? status) !== 'in_progress') return { kind: 'closed' };
  if (lost !== null) return { kind: 'unconnected', since_utc: lost };
  if (event === null) return { kind: 'closed' };
  if (event.stopped_since_ns === null) return { kind: 'growing' };
  return { kind: 'quiet', since: event.stopped_since_ns };
}
