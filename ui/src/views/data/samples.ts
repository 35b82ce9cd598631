// SPDX-License-Identifier: Apache-2.0
// Samples of the threads' stacks (`/api/runs/{run}/samples`) as a flame graph and as functions.
import { settle, type Flame } from '../../timeline/flame';
import type { SourcePlace } from '../../timeline/source';

export interface SampledFrame {
  /** Its caller's place among the frames, before its own; -1: none. */
  parent: number;
  kind: string;
  function: string;
  file: string;
  line: number;
  /** With all that it called. */
  running_ns: number;
  waiting_ns: number;
  self_running_ns: number;
  self_waiting_ns: number;
  /** That were in it or in what it called; absent from servers of older versions. */
  running_samples?: number;
  waiting_samples?: number;
}

export interface Samples {
  kinds: {
    kind: string;
    threads: number;
    samples: number;
    running_ns: number;
    waiting_ns: number;
  }[];
  ranks: number[];
  unknown: Counted;
  nodes: SampledFrame[];
}

type Counted = Pick<
  SampledFrame,
  'running_ns' | 'waiting_ns' | 'running_samples' | 'waiting_samples'
>;

export const STATES = [
  { id: 'both', title: 'Running and waiting' },
  { id: 'running', title: 'Running' },
  { id: 'waiting', title: 'Waiting' },
] as const;
export type State = (typeof STATES)[number]['id'];

export const KIND_TITLE: Readonly<Record<string, string>> = {
  training: 'Training thread',
  worker: 'Workers',
  other: 'Other threads',
};

type Times = Pick<SampledFrame, 'running_ns' | 'waiting_ns'>;

function timeOf(times: Times, state: State): number {
  switch (state) {
    case 'running':
      return times.running_ns;
    case 'waiting':
      return times.waiting_ns;
    case 'both':
      return times.running_ns + times.waiting_ns;
  }
}

/** `count` of a box, where the server tells it. */
function counted(of: Counted, state: State): { count?: number } {
  const { running_samples: running, waiting_samples: waiting } = of;
  if (running === undefined || waiting === undefined) return {};
  return { count: timeOf({ running_ns: running, waiting_ns: waiting }, state) };
}

const own = (frame: SampledFrame, state: State): number =>
  timeOf({ running_ns: frame.self_running_ns, waiting_ns: frame.self_waiting_ns }, state);

/** Line 0 is none that is known; of native code the file is a library, which no editor shows. */
export const placeOfFrame = (frame: SampledFrame): SourcePlace | null =>
  frame.kind === 'python' && frame.line > 0 && frame.file.startsWith('/')
    ? { file: frame.file, line: frame.line }
    : null;

const base = (file: string): string => file.slice(file.lastIndexOf('/') + 1);

/** `/job/data.py(41): decode`, and in a box `decode · data.py:41`. */
function namesOf(frame: SampledFrame): Pick<Flame, 'name' | 'short'> {
  const name = frame.function || '(no name)';
  const file = base(frame.file);
  if (frame.file === '') return { name };
  if (frame.line <= 0) return { name: `${name} (${file})` };
  return {
    name: `${frame.file}(${frame.line}): ${name}`,
    short: `${name} · ${file}:${frame.line}`,
  };
}

/** What a function stays known by: the line with most time is another as a run grows. */
const functionKey = ({ kind, file, function: name }: SampledFrame): string =>
  `${kind}\n${file}\n${name}`;

/** Whose code it is: a package of site-packages, the standard library, or the user's own file. */
export function packageOf(frame: SampledFrame): string {
  const { file } = frame;
  const installed = /\/(?:site|dist)-packages\/([^/]+)/.exec(file)?.[1];
  if (installed !== undefined) return installed.replace(/\.py$/, '');
  const standard = /\/python3(?:\.\d+)?\/([^/]+)/.exec(file)?.[1];
  if (standard !== undefined) return standard.replace(/\.py$/, '');
  return frame.kind === 'python' ? file : base(file);
}

export function flameOf(samples: Samples, state: State): Flame {
  const root: Flame = { name: 'all', value: 0, depth: 0, from: 0, children: [] };
  const top = (box: Flame) => {
    root.children.push(box);
    root.value += box.value;
    if (box.count !== undefined) root.count = (root.count ?? 0) + box.count;
  };
  const boxes: Flame[] = [];
  const under = (parent: number): Flame => boxes[parent] ?? root;
  for (const frame of samples.nodes) {
    const above = under(frame.parent);
    const box: Flame = {
      ...namesOf(frame),
      key: functionKey(frame),
      place: placeOfFrame(frame),
      tint: packageOf(frame),
      value: timeOf(frame, state),
      ...counted(frame, state),
      depth: above.depth + 1,
      from: 0,
      children: [],
    };
    boxes.push(box);
    if (box.value <= 0) continue;
    if (above === root) top(box);
    else above.children.push(box);
  }
  const unknown = timeOf(samples.unknown, state);
  if (unknown > 0) {
    const name = '(a stack that the run does not hold)';
    const count = counted(samples.unknown, state);
    top({ name, value: unknown, ...count, depth: 1, from: 0, children: [] });
  }
  settle(root);
  return root;
}

export interface SampledFunction {
  readonly key: string;
  readonly name: string;
  readonly package: string;
  readonly place: SourcePlace | null;
  readonly file: string;
  readonly line: number;
  /** In the function itself. */
  readonly own_ns: number;
  /** With what it called; a function that calls itself counts once. */
  readonly total_ns: number;
}

/** Functions with any time, whoever called them. Where one was seen at many lines, at the one with most time. */
export function functionsOf(samples: Samples, state: State): SampledFunction[] {
  const { nodes } = samples;
  const keys = nodes.map(functionKey);
  const rows = new Map<string, { frame: SampledFrame; own: number; total: number; most: number }>();
  nodes.forEach((frame, i) => {
    const key = keys[i] ?? '';
    let row = rows.get(key);
    if (row === undefined) rows.set(key, (row = { frame, own: 0, total: 0, most: -1 }));
    const time = timeOf(frame, state);
    row.own += own(frame, state);
    if (!calledByItself(nodes, keys, i)) row.total += time;
    if (time > row.most) [row.most, row.frame] = [time, frame];
  });
  return [...rows]
    .filter(([, row]) => row.total > 0)
    .map(([key, { frame, own: own_ns, total: total_ns }]) => ({
      key,
      name: frame.function || '(no name)',
      package: packageOf(frame),
      place: placeOfFrame(frame),
      file: frame.file,
      line: frame.line,
      own_ns,
      total_ns,
    }));
}

function calledByItself(nodes: readonly SampledFrame[], keys: readonly string[], i: number) {
  for (let at = nodes[i]?.parent ?? -1; at >= 0 && at < i; at = nodes[at]?.parent ?? -1)
    if (keys[at] === keys[i]) return true;
  return false;
}

/** The kind that is shown: the one that was asked for where it has samples, else the most telling. */
export function kindShown(samples: Samples, asked: string | null): string | null {
  const there = samples.kinds.map((k) => k.kind);
  if (asked !== null && there.includes(asked)) return asked;
  return ['worker', 'training', 'other'].find((k) => there.includes(k)) ?? null;
}
