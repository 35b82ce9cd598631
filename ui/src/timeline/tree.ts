// SPDX-License-Identifier: Apache-2.0
// The tree of tracks: node, rank, host threads and workers, devices with their streams, counters.
// The server tells tracks with parents; nodes and ranks that no track stands for are made here.
// All passes are linear, for a run may hold 10^6 tracks.
import { metricTitle } from '../api/metric_title';

export interface Track {
  track: number;
  parent: number | null;
  kind: string;
  node: number;
  rank: number;
  device: number | null;
  stream: number | null;
  pid: number | null;
  tid: number | null;
  name: string;
  lanes: number;
  slices: number;
  first_ns: number | null;
  last_ns: number | null;
  values: number;
  /** Whether there are samples of its stacks, where it holds nothing else. */
  sampled?: boolean;
}

export type NodeKind = 'node' | 'rank' | 'group' | 'slices' | 'counter';

export interface TreeNode {
  /** Stable over reloads: of the run's own numbers. */
  readonly key: string;
  readonly kind: NodeKind;
  /** Of a row that stands for a rank alone. */
  readonly rank?: number;
  name: string;
  readonly track: Track | null;
  readonly depth: number;
  readonly children: TreeNode[];
  /** Slices and values below and on it. */
  events: number;
}

const CATEGORY_ORDER: Record<string, number> = {
  thread: 0,
  worker: 1,
  process: 2,
  device: 3,
  stream: 4,
  counter: 5,
};

/** A process without a number is a profiler's own book-keeping: it comes last. */
const isNote = (track: Track): boolean => track.kind === 'process' && track.pid === null;

/** What the profiler tells of itself comes after what it tells of the training. */
const isOwn = (track: Track): boolean =>
  track.kind === 'counter' && track.name.startsWith('agent.');

const order = (track: Track): number =>
  isNote(track) ? 9 : isOwn(track) ? 8 : (CATEGORY_ORDER[track.kind] ?? 2);

/** Threads before workers before devices before counters; then as people count them. */
function compare(a: Track, b: Track): number {
  if (order(a) !== order(b)) return order(a) - order(b);
  if (a.device !== b.device) return (a.device ?? -1) - (b.device ?? -1);
  if (a.stream !== b.stream) return (a.stream ?? -1) - (b.stream ?? -1);
  // The main thread has its process's number; it leads, and then those with most to show.
  const main = (t: Track) => (t.tid !== null && t.tid === t.pid ? 0 : 1);
  if (main(a) !== main(b)) return main(a) - main(b);
  if (a.kind === 'counter' || b.kind === 'counter') return a.name < b.name ? -1 : 1;
  return b.slices - a.slices || a.track - b.track;
}

/** Processes of one command have one name: their numbers tell them apart. */
const numberOf = ({ kind, pid }: Track): string =>
  kind === 'process' && pid !== null ? ` ${pid}` : '';

/** Threads of one name below each other get their numbers, but for the main one. */
function apart(nodes: readonly TreeNode[]): void {
  const times = new Map<string, number>();
  for (const { name } of nodes) times.set(name, (times.get(name) ?? 0) + 1);
  for (const node of nodes) {
    const { kind, pid = null, tid = null } = node.track ?? {};
    if (kind === 'thread' && tid !== null && tid !== pid && (times.get(node.name) ?? 0) > 1)
      node.name += ` ${tid}`;
  }
}

export function nameOf(track: Track): string {
  const told = track.name.trim();
  if (track.kind === 'device') {
    const device = `GPU ${track.device ?? '?'}`;
    return told === '' ? device : `${device} · ${told}`;
  }
  if (track.kind === 'stream') {
    if (told === '' || told === String(track.stream)) return `stream ${track.stream ?? '?'}`;
    return told;
  }
  if (track.kind === 'counter' && told !== '') return metricTitle(told, track.device ?? track.pid);
  // Its command is the training's own; hangs and waits for data name it by its number, too.
  if (track.kind === 'worker' && track.tid === null && track.pid !== null)
    return `worker ${track.pid}`;
  if (told !== '') return told + numberOf(track);
  if (track.kind === 'process') return track.pid === null ? 'process' : `process ${track.pid}`;
  if (track.tid !== null) return `${track.kind} ${track.tid}`;
  return `${track.kind} ${track.track}`;
}

interface Draft {
  track: Track;
  children: Draft[];
  events: number;
}

function drafts(tracks: readonly Track[]): Draft[] {
  const byId = new Map<number, Draft>();
  for (const track of tracks) byId.set(track.track, { track, children: [], events: 0 });
  const roots: Draft[] = [];
  for (const draft of byId.values()) {
    const { parent } = draft.track;
    const above = parent === null ? undefined : byId.get(parent);
    // A track that is its own ancestor would never be reached: it goes to the top.
    if (above === undefined || leadsTo(above, draft, byId)) roots.push(draft);
    else above.children.push(draft);
  }
  for (const root of roots) count(root);
  return roots;
}

function leadsTo(from: Draft, to: Draft, byId: Map<number, Draft>): boolean {
  let at: Draft | undefined = from;
  for (let steps = 0; at !== undefined && steps < 16; ++steps) {
    if (at === to) return true;
    at = at.track.parent === null ? undefined : byId.get(at.track.parent);
  }
  return at !== undefined;
}

function count(draft: Draft): number {
  draft.events = draft.track.slices + draft.track.values + (draft.track.sampled ? 1 : 0);
  for (const child of draft.children) draft.events += count(child);
  return draft.events;
}

const keyOf = (track: Track): string => `t${track.track}`;

function grow(draft: Draft, depth: number): TreeNode {
  const { track } = draft;
  const drawn = draft.children
    .filter((c) => c.events > 0)
    .sort((a, b) => compare(a.track, b.track));
  const kind: NodeKind = track.values > 0 ? 'counter' : track.slices > 0 ? 'slices' : 'group';
  const node: TreeNode = {
    key: keyOf(track),
    kind,
    name: nameOf(track),
    track,
    depth,
    children: [],
    events: draft.events,
  };
  for (const child of drawn) node.children.push(grow(child, depth + 1));
  apart(node.children);
  return node;
}

/** A process alone in its rank tells nothing that the rank does not: its threads stand in its place. */
function withoutLoneProcesses(members: Draft[]): Draft[] {
  const processes = members.filter((d) => d.track.kind === 'process' && !isNote(d.track));
  if (processes.length !== 1) return members;
  const [lone] = processes;
  if (lone === undefined || lone.track.slices > 0) return members;
  return members.flatMap((d) => (d === lone ? d.children : [d]));
}

function branch(key: string, kind: NodeKind, name: string, depth: number): TreeNode {
  return { key, kind, name, track: null, depth, children: [], events: 0 };
}

function adopt(above: TreeNode, members: Draft[]): void {
  const drawn = members.filter((d) => d.events > 0).sort((a, b) => compare(a.track, b.track));
  for (const member of drawn) {
    above.children.push(grow(member, above.depth + 1));
    above.events += member.events;
  }
  apart(above.children);
}

function gather(into: Map<number, Draft[]>, key: number, draft: Draft): void {
  const list = into.get(key);
  if (list === undefined) into.set(key, [draft]);
  else list.push(draft);
}

/** Top-level rows: a node each, or what is in it where there is one node alone. */
export function buildTree(tracks: readonly Track[]): TreeNode[] {
  const nodeNames = new Map<number, string>();
  const byNode = new Map<number, Draft[]>();
  for (const root of drafts(tracks)) {
    const { track } = root;
    if (track.kind === 'node') nodeNames.set(track.node, track.name);
    for (const draft of track.kind === 'node' && root.children.length > 0
      ? root.children
      : [root]) {
      if (draft.events > 0) gather(byNode, track.node, draft);
    }
  }
  const nodes: TreeNode[] = [];
  for (const [number, members] of [...byNode].sort((a, b) => a[0] - b[0])) {
    const told = nodeNames.get(number) ?? '';
    const node = branch(`n${number}`, 'node', told === '' ? `node ${number}` : told, 0);
    const byRank = new Map<number, Draft[]>();
    for (const draft of members) gather(byRank, draft.track.rank, draft);
    for (const [rank, ofRank] of [...byRank].sort((a, b) => a[0] - b[0])) {
      if (rank < 0) continue;
      const below = { ...branch(`n${number}r${rank}`, 'rank', `rank ${rank}`, 1), rank };
      adopt(below, withoutLoneProcesses(ofRank));
      node.children.push(below);
      node.events += below.events;
    }
    // What belongs to no rank (cores, the node's counters) comes after the ranks.
    adopt(node, byRank.get(-1) ?? []);
    nodes.push(node);
  }
  return nodes;
}

/** Visits every row of the tree, top to bottom. */
export function* everyNode(nodes: readonly TreeNode[]): Generator<TreeNode> {
  for (const node of nodes) {
    yield node;
    yield* everyNode(node.children);
  }
}

export function byTrack(nodes: readonly TreeNode[]): Map<number, TreeNode> {
  const found = new Map<number, TreeNode>();
  for (const node of everyNode(nodes)) {
    if (node.track !== null) found.set(node.track.track, node);
  }
  return found;
}

/** The keys from the top down to the row of `track`, itself last; empty where there is none. */
export function pathTo(nodes: readonly TreeNode[], track: number): string[] {
  for (const node of nodes) {
    if (node.track?.track === track) return [node.key];
    const below = pathTo(node.children, track);
    if (below.length > 0) return [node.key, ...below];
  }
  return [];
}

/** A row's name with its rank's, for where the tree is not seen. */
export function nameWithRank(nodes: readonly TreeNode[], track: number, name: string): string {
  const rows = nodes.flatMap((node) => [node, ...node.children]);
  const above = rows.find(
    (row) => row.rank !== undefined && pathTo(row.children, track).length > 0,
  );
  return above?.rank === undefined ? name : `rank ${above.rank} · ${name}`;
}

/** Ranks that are open at first: what fits a screen; more are folded, each a click away. */
const OPEN_RANKS = 8;

/** A thread deeper than this (Python's stacks) would push the devices out of sight. */
const OPEN_LANES = 16;

/** Folded at first: ranks beyond the first few, deep threads, and profilers' notes on themselves. */
export function foldedAtFirst(nodes: readonly TreeNode[]): Set<string> {
  const folded = new Set<string>();
  let ranks = 0;
  for (const node of everyNode(nodes)) {
    if (node.kind === 'rank' && ++ranks > OPEN_RANKS) folded.add(node.key);
    const deep = node.kind === 'slices' && (node.track?.lanes ?? 0) > OPEN_LANES;
    const note = node.track !== null && isNote(node.track) && node.children.length > 0;
    if (deep || note) folded.add(node.key);
  }
  return folded;
}

/** Of the rows that there were, those that are folded at first in one of the two alone. */
export function newlyFolded(
  nodes: readonly TreeNode[],
  before: ReadonlySet<string>,
  now: ReadonlySet<string>,
): string[] {
  const changed: string[] = [];
  for (const { key } of everyNode(nodes)) {
    if (before.has(key) !== now.has(key)) changed.push(key);
  }
  return changed;
}
