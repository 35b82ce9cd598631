// SPDX-License-Identifier: Apache-2.0
// A run in memory, for tests of the stage.
import { Columns } from '../api/arrow';
import type { Tree } from './data';
import type { Track } from './tree';

export interface Slice {
  track: number;
  lane: number;
  ts_ns: number;
  dur_ns: number;
  name: string;
}

export const slice = (track: number, ts_ns: number, name: string, dur_ns = 10): Slice => ({
  track,
  lane: 0,
  ts_ns,
  dur_ns,
  name,
});

/** A run whose slices are numbered by track and begin, as they are there at the time of a question. */
export class Run {
  slices: Slice[] = [];
  category = '';
  refined: Record<string, string | null> = {};
  readonly id = 'r';
  readonly timeRange = null;
  live = { kind: 'growing' };
  readonly refine = (changes: Record<string, string | null>) => {
    Object.assign(this.refined, changes);
  };
  readonly source = {
    json: (_run: string, path: string, params: Record<string, unknown>) => {
      const number = /slice\/(\d+)$/.exec(path)?.[1];
      return number === undefined
        ? Promise.resolve(this.found(String(params.q)))
        : this.details(Number(number));
    },
    arrow: (_run: string, path: string, params: Record<string, unknown>) =>
      Promise.resolve(
        Columns.of(path === 'timeline/view' ? this.view(params) : { from_track: [] as number[] }),
      ),
  };

  private numbered() {
    return [...this.slices]
      .sort((a, b) => a.track - b.track || a.lane - b.lane || a.ts_ns - b.ts_ns)
      .map((s, number) => ({ ...s, slice: number }));
  }

  private details(number: number) {
    const all = this.numbered();
    const of = all[number];
    if (!of) return Promise.reject(new Error('no such slice'));
    const beside = (by: number) => {
      const other = all[number + by];
      return other?.track === of.track ? other.slice : null;
    };
    return Promise.resolve({ ...of, previous: beside(-1), next: beside(1), correlated: [] });
  }

  private found(part: string) {
    const matches = this.numbered().filter((s) => s.name.includes(part));
    matches.sort((a, b) => a.ts_ns - b.ts_ns);
    return { total: matches.length, matches };
  }

  private view(params: Record<string, unknown>) {
    const [from, to] = [Number(params.from_ns), Number(params.to_ns)];
    const tracks = String(params.tracks).split(',').map(Number);
    const rows = this.numbered().filter(
      (s) => tracks.includes(s.track) && s.ts_ns < to && s.ts_ns + s.dur_ns > from,
    );
    const column = <T>(of: (s: Slice & { slice: number }) => T) => rows.map(of);
    return {
      track: column((s) => s.track),
      lane: column((s) => s.lane),
      ts_ns: column((s) => s.ts_ns),
      dur_ns: column((s) => s.dur_ns),
      name: column((s) => s.name),
      category: column(() => this.category),
      count: column(() => 1),
      busy_ns: column((s) => s.dur_ns),
      slice: column((s) => s.slice),
    };
  }
}

export const track = (number: number, over: Partial<Track> = {}): Track => ({
  track: number,
  parent: null,
  kind: 'thread',
  node: 0,
  rank: 0,
  device: null,
  stream: null,
  pid: 1,
  tid: number,
  name: `thread ${number}`,
  lanes: 1,
  slices: 100 - number,
  first_ns: 0,
  last_ns: 100,
  values: 0,
  ...over,
});

export const tree = (to_ns: number, ...tracks: Track[]): Tree => ({
  from_ns: 0,
  to_ns,
  left_out: 0,
  tracks,
});
