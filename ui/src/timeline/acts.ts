// SPDX-License-Identifier: Apache-2.0
// What keys do to the timeline.
import { besides, type Seek } from './beside';
import { REACH_PX } from './hit';
import type { Action } from './keys';
import type { TimelineStage } from './stage.svelte';
import { marked } from './state';
import { at as stepAt } from './steps';
import type { Span } from './viewport';
import { around, lengthNs, pan, reveal, toTime } from './viewport';

const LANES_A_SCROLL = 18;

/** Does what a key says. False: nothing was there to do, so the key is left to the page. */
export function act(stage: TimelineStage, action: Action): boolean {
  const middle = stage.cursor?.x ?? stage.width / 2;
  switch (action.kind) {
    case 'zoom':
      stage.zoomAt(middle, action.factor);
      return true;
    case 'pan':
      stage.show(pan(stage.view, action.share, stage.bounds));
      return true;
    case 'scroll':
      stage.scrollBy(action.lanes * LANES_A_SCROLL);
      return true;
    case 'fit':
      stage.fit();
      return true;
    case 'fitSelection':
      return fitSelection(stage);
    case 'mark':
      mark(stage, toTime(middle, stage.view, stage.width));
      return true;
    case 'neighbour':
      return neighbour(stage, action.direction);
    case 'lane':
      return go(stage, { by: action.by, lanes: true });
    case 'step': {
      const { fromNs, toNs } = stage.view;
      const index = stepAt(stage.band, (fromNs + toNs) / 2) + action.by;
      const step = stage.band[Math.min(Math.max(index, 0), stage.band.length - 1)];
      return step !== undefined && stage.goToStep(step.step);
    }
    case 'match':
      stage.nextMatch(action.by);
      return stage.finder.matches.length > 0;
    case 'draw':
      draw(stage, action.share, toTime(middle, stage.view, stage.width));
      return true;
    case 'take':
      if (stage.drawn === null || lengthNs(stage.drawn) < 1) return false;
      stage.choose(stage.drawn);
      return true;
    case 'stretch':
      stage.choose(telling(stage));
      return true;
    case 'clear':
      return clear(stage);
    case 'search':
      return false;
  }
}

function clear(stage: TimelineStage): boolean {
  if (stage.drawing !== null) {
    stage.drawing = null;
    return true;
  }
  if (stage.selection.details.state === 'none') return false;
  stage.deselect();
  return true;
}

function fitSelection(stage: TimelineStage): boolean {
  const { selected, timeRange, bounds } = stage;
  if (selected !== null) {
    const { ts_ns: from, dur_ns: length } = selected;
    stage.glide(around({ fromNs: from, toNs: from + length }, bounds));
  } else if (timeRange !== null) stage.glide(stage.withMargin(timeRange));
  else stage.fit();
  return true;
}

function neighbour(stage: TimelineStage, direction: 'previous' | 'next' | 'parent'): boolean {
  if (stage.selected === null) {
    return direction !== 'parent' && go(stage, { by: direction === 'next' ? 1 : -1, lanes: false });
  }
  if (stage.selected[direction] === null) return false;
  if (stage.selected.track < 0) {
    const piece = stage.derived.beside(stage.selected, direction === 'next' ? 1 : -1);
    if (piece !== null) void stage.select(piece.slice, true, piece);
    return piece !== null;
  }
  void stage.follow((from) => from[direction]);
  return true;
}

/** To another lane's slice, or where none is selected to the first or the last in sight. */
function go(stage: TimelineStage, seek: Seek): boolean {
  const { selected, view, names, rows } = stage;
  const found = besides({ rows, view, names, tile: (track) => stage.tile(track) }, selected, seek);
  if (found === null) return false;
  stage.tab = 'selection';
  void stage.select(found.slice, true, { ...found.place, name: found.name });
  return true;
}

function mark(stage: TimelineStage, at: number): void {
  const reach = (lengthNs(stage.view) / stage.width) * REACH_PX;
  stage.marks = marked(stage.marks, at, reach);
}

/** Moves one end of a time range; the other stays where the first of these keys found the cursor. */
function draw(stage: TimelineStage, share: number, at: number): void {
  const { fromNs, toNs } = stage.bounds;
  const { fixedNs, movingNs } = stage.drawing ?? { fixedNs: at, movingNs: at };
  const moved = Math.min(Math.max(movingNs + share * lengthNs(stage.view), fromNs), toNs);
  stage.drawing = { fixedNs, movingNs: moved };
  const seen = reveal(stage.view, { fromNs: moved, toNs: moved }, stage.bounds);
  if (seen !== stage.view) stage.show(seen);
}

/** What a time range is most likely wanted of. */
function telling(stage: TimelineStage): Span {
  const { selected, marks, view, bounds } = stage;
  if (selected !== null) {
    const { ts_ns, dur_ns } = selected;
    return { fromNs: ts_ns, toNs: ts_ns + Math.max(dur_ns, 1) };
  }
  const [first, second] = marks;
  if (marks.length === 2 && first !== undefined && second !== undefined)
    return { fromNs: first, toNs: second };
  return { fromNs: Math.max(view.fromNs, bounds.fromNs), toNs: Math.min(view.toNs, bounds.toNs) };
}
