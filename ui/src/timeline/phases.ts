// SPDX-License-Identifier: Apache-2.0
// The phases of a rank's steps without a gap: those that were recorded on the training thread, innermost first,
// and between them forward and other. What lies before a backward is forward, as steps are derived
// (src/analyze/derive/loop_time.cc); the step's own sum says whether it is.
import { BETWEEN } from './derived';
import type { Step } from './steps';
import type { Lane, Names, Tile } from './tile';
import { firstEndingAfter } from './tile';
import type { Span } from './viewport';

const FORWARD = 'forward';
const OTHER = 'other';
const UNSURE = 'forward or other';
/** Parts of others, which begin and end none: what comes before and after them is one. */
const ASIDE = new Set(['gc', 'compile', 'capture', 'logging', 'communication']);

interface Piece {
  fromNs: number;
  toNs: number;
  name: string;
  category: string;
  slice: number;
  count: number;
}

const isPhase = (category: string): boolean => category === 'phase' || category === 'communication';

/** Recorded phases, those around others first. */
function recorded(tile: Tile, names: Names, { fromNs, toNs }: Span): Piece[] {
  const found: Piece[] = [];
  for (const lane of tile.lanes) {
    if (lane === undefined) continue;
    for (let i = firstEndingAfter(lane, fromNs); i < lane.length; ++i) {
      if ((lane.from[i] as number) >= toNs) break;
      const number = lane.name[i] as number;
      const category = names.category(number);
      if (!isPhase(category)) continue;
      found.push({
        fromNs: lane.from[i] as number,
        toNs: lane.to[i] as number,
        name: names.name(number),
        category,
        slice: lane.slice[i] as number,
        count: lane.count[i] as number,
      });
    }
  }
  return found.sort((a, b) => a.fromNs - b.fromNs || b.toNs - a.toNs);
}

/** One piece at each moment: of phases within each other the innermost; an evaluation is all that is in it. */
function flattened(phases: readonly Piece[]): Piece[] {
  const flat: Piece[] = [];
  const open: Piece[] = [];
  let at = -Infinity;
  const told = () => open.find((p) => p.name === 'evaluation') ?? open.at(-1);
  const advance = (to: number): void => {
    const piece = told();
    if (piece === undefined || to <= at) return;
    const last = flat.at(-1);
    if (last?.slice === piece.slice && last.toNs === at) last.toNs = to;
    else flat.push({ ...piece, fromNs: Math.max(at, piece.fromNs), toNs: to });
    at = to;
  };
  const close = (until: number): void => {
    for (let top = open.at(-1); top !== undefined && top.toNs <= until; top = open.at(-1)) {
      advance(top.toNs);
      open.pop();
    }
  };
  for (const piece of phases) {
    close(piece.fromNs);
    advance(piece.fromNs);
    at = Math.max(at, piece.fromNs);
    open.push(piece);
  }
  close(Infinity);
  return flat;
}

/** The pieces of one step with what lies between them. */
function filled(step: Step, phases: readonly Piece[]): Piece[] {
  const pieces: Piece[] = [];
  let waiting: Piece[] = [];
  let at = step.fromNs;
  let forwardSeen = false;
  const gap = (toNs: number): void => {
    if (toNs <= at) return;
    const piece = { fromNs: at, toNs, name: OTHER, category: BETWEEN, slice: -1, count: 1 };
    pieces.push(piece);
    waiting.push(piece);
  };
  for (const phase of phases) {
    const [fromNs, toNs] = [Math.max(phase.fromNs, at), Math.min(phase.toNs, step.toNs)];
    if (toNs <= fromNs) continue;
    gap(fromNs);
    if (phase.name === 'backward') for (const piece of waiting) piece.name = FORWARD;
    if (phase.category === 'phase' && !ASIDE.has(phase.name)) {
      // With a framework's own word for forward, what lies before the first is not forward.
      if (phase.name !== FORWARD || !forwardSeen) waiting = [];
      forwardSeen = phase.name === FORWARD;
    }
    pieces.push({ ...phase, fromNs, toNs });
    at = toNs;
  }
  gap(step.toNs);
  return checked(step, pieces);
}

/** Where the step's own sum of forward is another, what lies between its phases is one of the two. */
function checked(step: Step, pieces: Piece[]): Piece[] {
  if (step.forwardNs === null || pieces.some(({ count }) => count > 1)) return pieces;
  const sum = pieces
    .filter(({ name }) => name === FORWARD)
    .reduce((ns, { fromNs, toNs }) => ns + toNs - fromNs, 0);
  if (sum === step.forwardNs) return pieces;
  for (const piece of pieces) if (piece.category === BETWEEN) piece.name = UNSURE;
  return pieces;
}

function laneOf(pieces: readonly Piece[], names: Names): Lane {
  const length = pieces.length;
  const column = (of: (piece: Piece) => number) => Float64Array.from(pieces, of);
  return {
    length,
    from: column((p) => p.fromNs),
    to: column((p) => p.toNs),
    name: Int32Array.from(pieces, (p) => names.number(p.name, p.category)),
    count: column((p) => p.count),
    busy: column((p) => p.toNs - p.fromNs),
    slice: column((p) => p.slice),
  };
}

/** The steps' phases as a tile of one lane; `steps` by begin, of one rank, `tile` of its training thread. */
export function phasesOf(tile: Tile, steps: readonly Step[], names: Names): Tile {
  const { window } = tile;
  const flat = flattened(recorded(tile, names, window));
  const pieces: Piece[] = [];
  let next = 0;
  for (const step of steps) {
    while (next < flat.length && (flat[next] as Piece).toNs <= step.fromNs) ++next;
    let end = next;
    while (end < flat.length && (flat[end] as Piece).fromNs < step.toNs) ++end;
    pieces.push(...filled(step, flat.slice(next, end)));
  }
  return { window, lanes: [laneOf(pieces, names)] };
}
