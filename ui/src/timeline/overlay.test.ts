// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { OverlayPainter } from './overlay';
import type { Overlay, Scene } from './scene';

/** What is drawn, as [kind, left, width]; the view shows a nanosecond a pixel. */
function drawn(matches: readonly [from: number, to: number][]): [string, number, number][] {
  const marks: [string, number, number][] = [];
  const context = {
    setTransform() {},
    clearRect() {},
    strokeRect: (x: number, _y: number, width: number) => marks.push(['frame', x, width]),
    fillRect: (x: number, _y: number, width: number) => marks.push(['line', x, width]),
  };
  const row = { node: { track: { track: 1 } }, top: 0, laneHeight: 17, height: 17, pinned: false };
  const scene = {
    rows: [row],
    view: { fromNs: 0, toNs: 100 },
    width: 100,
    scroll: 0,
    dpr: 1,
    layout: { pinnedHeight: 0 },
    look: {},
  };
  const overlay = {
    timeRange: null,
    matches: matches.map(([fromNs, toNs]) => ({ track: 1, lane: 0, fromNs, toNs })),
    arrows: [],
    correlated: [],
    match: null,
    hover: null,
    selection: null,
    marks: [],
    cursorNs: null,
  };
  new OverlayPainter(context as unknown as CanvasRenderingContext2D).paint(
    scene as unknown as Scene,
    overlay as unknown as Overlay,
  );
  return marks;
}

it('matches are framed, and where frames would hide the slices they are underlined', () => {
  expect(drawn([[10, 40]])).toEqual([['frame', 10, 30]]);
  expect(
    drawn([
      [10, 12],
      [12, 13],
    ]),
  ).toEqual([
    ['line', 10, 2],
    ['line', 12, 1],
  ]);
});

it('what lies outside the view is not drawn', () => {
  expect(drawn([[-50, -48]])).toEqual([]);
});
