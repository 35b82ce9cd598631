// SPDX-License-Identifier: Apache-2.0
// Rows that no track of the run stands for: the phases of a rank's steps, and the samples of a thread's stacks.
// Their tracks have negative numbers, so that tiles, rows and addresses know them as they know all others.
import { buildTree, type Track, type TreeNode } from './tree';

/** Categories of what the rows hold: time between recorded phases, and samples of a thread that runs or waits. */
export const BETWEEN = 'between phases';
export const SAMPLES = { running: 'sample, running', waiting: 'sample, waiting' } as const;

export type Derived = 'phases' | 'samples';

export const derivedTrack = (kind: Derived, of: number): number =>
  -1 - 2 * of - (kind === 'samples' ? 1 : 0);

/** What a negative number stands for, and the track it is derived from. */
export const derivedFrom = (track: number): { kind: Derived; of: number } => ({
  kind: -track % 2 === 1 ? 'phases' : 'samples',
  of: Math.floor((-track - 1) / 2),
});

function row(kind: Derived, of: TreeNode, track: Track, depth: number): TreeNode {
  const alone = track.slices > 0 ? {} : { slices: 1, first_ns: null, last_ns: null };
  const whole = kind === 'phases' ? 'phases' : `${of.name} stacks`;
  return {
    key: `${kind === 'phases' ? 'p' : 's'}${track.track}`,
    kind: 'slices',
    name: kind === 'samples' && track.slices > 0 ? 'stacks' : whole,
    track: {
      ...track,
      ...alone,
      track: derivedTrack(kind, track.track),
      kind,
      name: whole,
      lanes: 1,
    },
    depth,
    children: [],
    events: of.events,
  };
}

const isThread = ({ kind }: Track): boolean => kind === 'thread' || kind === 'worker';

/** The thread that runs the loop: a process's main thread, which has its number; it leads among its rank's. */
function trainingThread(node: TreeNode): TreeNode | null {
  const { track } = node;
  if (track !== null && track.kind === 'thread' && track.tid === track.pid && track.slices > 0)
    return node;
  for (const child of node.children) {
    const found = trainingThread(child);
    if (found !== null) return found;
  }
  return null;
}

export interface Known {
  /** Ranks whose steps the run recorded. */
  readonly ranks: ReadonlySet<number>;
  /** Tracks of which there are samples. */
  readonly sampled: ReadonlySet<number>;
}

/** Adds the rows to the tree: the phases above a rank's threads, the samples below each thread. */
function addDerived(nodes: readonly TreeNode[], { ranks, sampled }: Known): void {
  for (const node of nodes) {
    addDerived(node.children, { ranks, sampled });
    for (const [i, child] of node.children.entries()) {
      const { track } = child;
      if (track === null || !isThread(track) || !sampled.has(track.track)) continue;
      // A thread of which there is nothing else is one row.
      if (track.slices > 0 || child.children.length > 0)
        child.children.unshift(row('samples', child, track, child.depth + 1));
      else node.children[i] = row('samples', child, track, child.depth);
    }
    const { rank } = node;
    const thread = rank !== undefined && ranks.has(rank) ? trainingThread(node) : null;
    if (thread?.track) node.children.unshift(row('phases', thread, thread.track, node.depth + 1));
  }
}

/** The tree of tracks with these rows. */
export function rowsOf(tracks: readonly Track[], { ranks, sampled }: Known): TreeNode[] {
  const nodes = buildTree(
    tracks.map((track) => (sampled.has(track.track) ? { ...track, sampled: true } : track)),
  );
  addDerived(nodes, { ranks, sampled });
  return nodes;
}

/** The rank of each track that the phases among some rows are derived from. */
export function phaseSources(nodes: readonly TreeNode[]): Map<number, number> {
  const sources = new Map<number, number>();
  for (const { track } of nodes)
    if (track?.kind === 'phases') sources.set(derivedFrom(track.track).of, track.rank);
  return sources;
}
