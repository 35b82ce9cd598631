// SPDX-License-Identifier: Apache-2.0
// The timeline's requests (docs/reference/http.md), as the rest of this folder wants their answers.
import type { Columns } from '../api/arrow';
import type { Source } from '../api/source';
import type { Flow } from './flows';
import type { Place } from './place';
import type { SampleColumns, StackFrame, Stacks } from './samples';
import type { CounterSeries } from './series';
import type { SliceName } from './slice_name';
import { hashOf, isName } from './slice_name';
import type { Step } from './steps';
import type { Names, Tile, ViewColumns } from './tile';
import { tilesOf } from './tile';
import type { Track } from './tree';
import type { Span } from './viewport';
import type { TileWindow } from './window';

export interface Tree {
  from_ns: number;
  to_ns: number;
  /** How many more there are: no tree holds more than the server tells at once. */
  left_out: number;
  /** Files that cannot be read, with the rows that they hold, the cause and what to do. */
  damaged?: { table: string; file: string; rows: number; why: string }[];
  tracks: Track[];
}

export interface Match {
  slice: number;
  track: number;
  lane: number;
  ts_ns: number;
  dur_ns: number;
  name: string;
}

export interface Correlated {
  slice: number;
  track: number;
  ts_ns: number;
  dur_ns: number;
  name: string;
  relation: string;
}

/** One slice, whole. */
export interface Details {
  slice: number;
  track: number;
  lane: number;
  depth: number;
  ts_ns: number;
  dur_ns: number;
  self_ns: number | null;
  name: string;
  category: string;
  step: number | null;
  args: Record<string, unknown>;
  operator: unknown;
  stack: unknown[];
  correlated: Correlated[];
  previous: number | null;
  next: number | null;
  parent: number | null;
}

/** A slice where it was seen, maybe before the run grew; lane -1: not known. */
export interface SeenSlice extends Place {
  name: string;
}

export function placeOf(of: Omit<Match, 'slice'>): Place {
  return { track: of.track, lane: of.lane, fromNs: of.ts_ns, toNs: of.ts_ns + of.dur_ns };
}

export const seenAs = (of: Omit<Match, 'slice'>): SeenSlice => ({ ...placeOf(of), name: of.name });

export interface LabelStatistic {
  name: string;
  category: string;
  count: number;
  total_ns: number;
  self_ns: number;
  min_ns: number;
  max_ns: number;
}

/** The server's limits on one request. */
export const MAX_TRACKS = 512;
export const MAX_POINTS = 4096;
const MAX_MATCHES = 1000;
const MAX_FLOWS = 2000;
/** Samples of one answer: over it, a pixel holds a hundred of them. */
const MAX_SAMPLES = 100_000;

const listed = (tracks: Iterable<number>): string => [...tracks].join(',');

function viewColumns(columns: Columns): ViewColumns {
  return {
    length: columns.length,
    track: columns.numbers('track'),
    lane: columns.numbers('lane'),
    ts_ns: columns.numbers('ts_ns'),
    dur_ns: columns.numbers('dur_ns'),
    name: columns.strings('name'),
    category: columns.strings('category'),
    count: columns.numbers('count'),
    busy_ns: columns.numbers('busy_ns'),
    slice: columns.numbers('slice'),
  };
}

function seriesByTrack(columns: Columns): Map<number, CounterSeries> {
  const track = columns.numbers('track');
  const lists = new Map<number, number[]>();
  for (let i = 0; i < columns.length; ++i) {
    const number = track[i] as number;
    const list = lists.get(number);
    if (list === undefined) lists.set(number, [i]);
    else list.push(i);
  }
  const bucket = columns.numbers('bucket_ns');
  const [min, mean, max] = ['min', 'mean', 'max'].map((name) => columns.numbers(name)) as [
    ArrayLike<number>,
    ArrayLike<number>,
    ArrayLike<number>,
  ];
  const pick = (from: ArrayLike<number>, list: number[]) =>
    Float64Array.from(list, (i) => from[i] as number);
  const made = new Map<number, CounterSeries>();
  for (const [number, list] of lists) {
    list.sort((a, b) => (bucket[a] as number) - (bucket[b] as number));
    made.set(number, {
      ts: pick(bucket, list),
      min: pick(min, list),
      mean: pick(mean, list),
      max: pick(max, list),
    });
  }
  return made;
}

export class TimelineData {
  constructor(
    private readonly source: Source,
    private readonly run: string,
  ) {}

  tree(signal: AbortSignal): Promise<Tree> {
    return this.source.json(this.run, 'timeline/tree', {}, signal);
  }

  async tiles(
    window: TileWindow,
    tracks: readonly number[],
    names: Names,
    signal: AbortSignal,
  ): Promise<Map<number, Tile>> {
    const columns = await this.source.arrow(
      this.run,
      'timeline/view',
      {
        from_ns: window.fromNs,
        to_ns: window.toNs,
        width: window.width,
        tracks: listed(tracks),
      },
      signal,
    );
    return tilesOf(viewColumns(columns), tracks, window, names);
  }

  async series(
    window: TileWindow,
    metrics: readonly string[],
    signal: AbortSignal,
  ): Promise<Map<number, CounterSeries>> {
    const columns = await this.source.arrow(
      this.run,
      'series',
      {
        metric: metrics,
        from_ns: window.fromNs,
        to_ns: window.toNs,
        points: Math.min(Math.max(window.width >> 1, 16), MAX_POINTS),
      },
      signal,
    );
    return seriesByTrack(columns);
  }

  /** Samples of all threads within a time range; null: more than anybody could be shown. */
  async samples({ fromNs, toNs }: Span, signal: AbortSignal): Promise<SampleColumns | null> {
    const columns = ['ts_ns', 'track', 'stack', 'interval_ns', 'state'] as const;
    const where = `ts_ns >= ${Math.floor(fromNs)} and ts_ns < ${Math.ceil(toNs)}`;
    const query = { columns, where, limit: MAX_SAMPLES + 1 };
    const table = await this.source.table(this.run, 'samples', query, signal);
    if (table.length > MAX_SAMPLES) return null;
    return {
      length: table.length,
      ts: table.numbers('ts_ns'),
      track: table.numbers('track'),
      stack: table.numbers('stack'),
      interval: table.numbers('interval_ns'),
      state: table.strings('state'),
    };
  }

  /** Every stack that samples name, by its number. */
  async stacks(signal: AbortSignal): Promise<Stacks> {
    const columns = ['stack', 'parent', 'function', 'file', 'line'] as const;
    const table = await this.source.table(this.run, 'stacks', { columns }, signal);
    const [stack, parent, line] = (['stack', 'parent', 'line'] as const).map((name) =>
      table.numbers(name),
    );
    const [called, file] = [table.strings('function'), table.strings('file')];
    const stacks = new Map<number, StackFrame>();
    for (let i = 0; i < table.length; ++i)
      stacks.set(stack?.[i] ?? NaN, {
        parent: parent?.[i] ?? NaN,
        called: called[i] ?? '',
        file: file[i] ?? '',
        line: line?.[i] ?? 0,
      });
    return stacks;
  }

  details(slice: number, signal?: AbortSignal): Promise<Details> {
    return this.source.json(this.run, `timeline/slice/${slice}`, {}, signal);
  }

  /**
   * The number that a slice has now: of the one that lies exactly there, else of one of the lane that
   * begins within that time range. Null: there is none.
   */
  async find(seen: SeenSlice, signal: AbortSignal): Promise<number | null> {
    const { track, fromNs } = seen;
    const toNs = Math.max(seen.toNs, fromNs + 1);
    // The time range is one pixel, so a slice of its length is a row by itself.
    const params = { from_ns: fromNs, to_ns: toNs, width: 1, tracks: listed([track]) };
    const columns = await this.source.arrow(this.run, 'timeline/view', params, signal);
    const { length, ts_ns: ts, dur_ns: dur, lane, slice, name } = viewColumns(columns);
    const rows = Array.from({ length }, (_, i) => i).filter(
      (i) => (ts[i] as number) >= fromNs && (ts[i] as number) < toNs,
    );
    const inLane = rows.filter((i) => lane[i] === seen.lane);
    const exact = (i: number) =>
      ts[i] === fromNs && dur[i] === toNs - fromNs && isName(name[i] ?? '', seen.name);
    const found = inLane.find(exact) ?? rows.find(exact) ?? inLane[0];
    return found === undefined ? null : (slice[found] ?? null);
  }

  /** The number that a named slice has now; null: there is none of that name. */
  async named(name: SliceName, signal: AbortSignal): Promise<number | null> {
    // A pixel of 1 ns gathers nothing: each slice that covers it is a row by itself.
    const params = {
      from_ns: name.fromNs,
      to_ns: name.fromNs + 1,
      width: 1,
      tracks: listed([name.track]),
    };
    const columns = viewColumns(await this.source.arrow(this.run, 'timeline/view', params, signal));
    const rows = Array.from({ length: columns.length }, (_, i) => i).filter(
      (i) => columns.ts_ns[i] === name.fromNs && hashOf(columns.name[i] ?? '') === name.hash,
    );
    const found = rows.find((i) => columns.lane[i] === name.lane) ?? rows[0];
    return found === undefined ? null : (columns.slice[found] ?? null);
  }

  async flows(slice: number, signal: AbortSignal): Promise<Flow[]> {
    const columns = await this.source.arrow(
      this.run,
      'timeline/flows',
      { slice, limit: MAX_FLOWS },
      signal,
    );
    return columns.rows().map((row) => ({
      fromTrack: Number(row.from_track),
      fromLane: Number(row.from_lane),
      fromNs: Number(row.from_ns),
      toTrack: Number(row.to_track),
      toLane: Number(row.to_lane),
      toNs: Number(row.to_ns),
      kind: String(row.kind),
    }));
  }

  search(query: string, signal: AbortSignal): Promise<{ total: number; matches: Match[] }> {
    const params = { q: query, limit: MAX_MATCHES };
    return this.source.json(this.run, 'timeline/search', params, signal);
  }

  async statistics(
    span: Span,
    tracks: readonly number[],
    signal: AbortSignal,
  ): Promise<LabelStatistic[]> {
    const columns = await this.source.arrow(
      this.run,
      'timeline/statistics',
      {
        from_ns: Math.floor(span.fromNs),
        to_ns: Math.ceil(span.toNs),
        tracks: tracks.length > 0 ? listed(tracks.slice(0, MAX_TRACKS)) : null,
      },
      signal,
    );
    return columns.rows() as unknown as LabelStatistic[];
  }

  /** Steps as the run recorded them; of a profile, those that its section tells. */
  async steps(signal: AbortSignal): Promise<Step[]> {
    const recorded = await this.recordedSteps(signal).catch(() => []);
    if (recorded.length > 0) return recorded;
    const section = await this.source.json<{
      roles?: { rows: { rank: number; step: number; ts_ns: number; total_ns: number }[] };
    }>(this.run, 'section/devices', {}, signal);
    return (section.roles?.rows ?? []).map((r) => ({
      rank: r.rank,
      step: r.step,
      fromNs: r.ts_ns,
      toNs: r.ts_ns + r.total_ns,
      kind: 'train',
      forwardNs: null,
    }));
  }

  private async recordedSteps(signal: AbortSignal): Promise<Step[]> {
    const columns = ['rank', 'step', 'ts_ns', 'dur_ns', 'forward_ns', 'kind'] as const;
    const table = await this.source.table(this.run, 'steps', { columns, limit: 200_000 }, signal);
    const [rank, step, ts, dur, forward] = columns
      .slice(0, 5)
      .map((name) => table.numbers(name)) as [
      ArrayLike<number>,
      ArrayLike<number>,
      ArrayLike<number>,
      ArrayLike<number>,
      ArrayLike<number>,
    ];
    const kind = table.strings('kind');
    return kind.map((k, i) => ({
      rank: rank[i] as number,
      step: step[i] as number,
      fromNs: ts[i] as number,
      toNs: (ts[i] as number) + (dur[i] as number),
      kind: k,
      forwardNs: forward[i] as number,
    }));
  }
}
