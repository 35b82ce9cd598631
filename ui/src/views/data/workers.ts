// SPDX-License-Identifier: Apache-2.0
// What the workers of a data loader did with their time, from their slices.
import type { Columns } from '../../api/arrow';
import type { Source } from '../../api/source';
import type { TimeRange } from '../../base/time';

export const WORKER_STAGES = ['getitem', 'collate', 'put', 'waiting'] as const;
export type WorkerStage = (typeof WORKER_STAGES)[number];

export interface Worker {
  readonly track: number;
  readonly name: string;
  readonly pid: number | null;
  readonly rank: number;
  readonly from: number;
  readonly to: number;
  readonly batches: number;
  /** ns by stage; they sum to `to - from`. `waiting`: between its batches, for work or for room. */
  readonly stages: Readonly<Record<WorkerStage, number>>;
  /** Of getitem and collate: ran, could have run but had no core, blocked. */
  readonly ran: number;
  readonly starved: number;
  readonly blocked: number;
}

export interface WorkerSlice {
  readonly track: number;
  readonly ts: number;
  readonly dur: number;
  readonly name: string;
  readonly args: string;
}

export interface WorkerTrack {
  readonly track: number;
  readonly name: string;
  readonly pid: number | null;
  readonly rank: number;
}

const LIMIT = 200_000;

/** Slices of workers, and whose they are. `cut`: there were more than the server sends at once. */
export async function loadWorkers(
  source: Source,
  run: string,
  chosen: TimeRange | null,
  signal: AbortSignal,
): Promise<{ workers: Worker[]; cut: boolean }> {
  const within = chosen ? ` and ts_ns >= ${chosen.from} and ts_ns < ${chosen.to}` : '';
  const [slices, tracks] = await Promise.all([
    source.table(
      run,
      'slices',
      {
        columns: ['track', 'ts_ns', 'dur_ns', 'name', 'args'],
        where: `category = 'worker'${within}`,
        limit: LIMIT,
      },
      signal,
    ),
    source.table(
      run,
      'tracks',
      { columns: ['track', 'name', 'pid', 'rank'], where: "kind = 'thread'" },
      signal,
    ),
  ]);
  return { workers: workersOf(slicesOf(slices), tracksOf(tracks)), cut: slices.length >= LIMIT };
}

function slicesOf(columns: Columns): WorkerSlice[] {
  return columns.rows().map((row) => ({
    track: Number(row.track),
    ts: Number(row.ts_ns),
    dur: Number(row.dur_ns),
    name: String(row.name),
    args: String(row.args ?? ''),
  }));
}

function tracksOf(columns: Columns): WorkerTrack[] {
  return columns.rows().map((row) => ({
    track: Number(row.track),
    name: String(row.name),
    pid: row.pid === null ? null : Number(row.pid),
    rank: Number(row.rank),
  }));
}

/** Workers by begin. A fetch holds the dataset's work and, nested in it, collate. */
export function workersOf(
  slices: readonly WorkerSlice[],
  tracks: readonly WorkerTrack[],
): Worker[] {
  const byTrack = new Map<number, WorkerSlice[]>();
  for (const slice of slices) {
    const list = byTrack.get(slice.track);
    if (list) list.push(slice);
    else byTrack.set(slice.track, [slice]);
  }
  // The training's own process has slices of the kind too (it makes the iterators), and no work of a worker.
  const workers = [...byTrack]
    .map(([track, own]) => workerOf(tracks.find((t) => t.track === track) ?? nameless(track), own))
    .filter((w) => w.stages.getitem + w.stages.collate + w.stages.put > 0);
  return workers.sort((a, b) => a.from - b.from);
}

const nameless = (track: number): WorkerTrack => ({
  track,
  name: `worker on track ${track}`,
  pid: null,
  rank: -1,
});

function workerOf(track: WorkerTrack, slices: readonly WorkerSlice[]): Worker {
  let from = Infinity;
  let to = -Infinity;
  for (const s of slices) {
    from = Math.min(from, s.ts);
    to = Math.max(to, s.ts + s.dur);
  }
  const sum = (name: string) =>
    slices.reduce((total, s) => (s.name === name ? total + s.dur : total), 0);
  const fetches = slices.filter((s) => s.name === 'fetch');
  const [fetch, collate, put] = [sum('fetch'), sum('collate'), sum('put')];
  const times = fetches.map((s) => threadTimes(s));
  const add = (pick: (t: { ran: number; starved: number }) => number) =>
    times.reduce((total, t) => total + pick(t), 0);
  const [ran, starved] = [add((t) => t.ran), add((t) => t.starved)];
  const loading = fetch > 0 ? Math.max(0, fetch - collate) : sum('getitem');
  const busy = loading + collate + put;
  return {
    ...track,
    from,
    to,
    batches: fetches.length,
    stages: { getitem: loading, collate, put, waiting: Math.max(0, to - from - busy) },
    ran,
    starved,
    blocked: Math.max(0, fetch - ran - starved),
  };
}

/** What a fetch's own figures say of its thread; what is not there is 0. */
function threadTimes(slice: WorkerSlice): { ran: number; starved: number } {
  try {
    const args = JSON.parse(slice.args || '{}') as { cpu_ns?: unknown; run_queue_ns?: unknown };
    const figure = (value: unknown) => (typeof value === 'number' && value > 0 ? value : 0);
    return { ran: figure(args.cpu_ns), starved: figure(args.run_queue_ns) };
  } catch {
    return { ran: 0, starved: 0 };
  }
}
