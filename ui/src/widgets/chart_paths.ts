// SPDX-License-Identifier: Apache-2.0
// How uPlot draws what it has no paths of its own for. Canvas pixels.
import type uPlot from 'uplot';
import { FONT } from '../base/font';
import type { Spans } from './chart';

type Values = ArrayLike<number | null | undefined>;

export interface Level {
  readonly title: string;
  readonly at: number;
}

const RADIUS = 2.5;
const MARKED_RADIUS = 4;
const TITLE_ROOM = 14;

const alone = (parts: Partial<uPlot.Series.Paths>): uPlot.Series.Paths => ({
  stroke: null,
  fill: null,
  clip: null,
  band: null,
  gaps: [],
  flags: 0,
  ...parts,
});

/** A dot a value; of those that lie on one pixel one. */
export const dots: uPlot.Series.PathBuilder = (u, series, from, to) => {
  const path = new Path2D();
  const seen = new Set<number>();
  const radius = RADIUS * devicePixelRatio;
  const [x, values] = [u.data[0], u.data[series]];
  const scale = u.series[series]?.scale ?? 'y';
  for (let i = from; i <= to; ++i) {
    const value = values?.[i];
    if (value == null) continue;
    const left = Math.round(u.valToPos(x[i] ?? 0, 'x', true));
    const top = Math.round(u.valToPos(value, scale, true));
    const pixel = left * 65_536 + top;
    if (seen.has(pixel)) continue;
    seen.add(pixel);
    path.moveTo(left + radius, top);
    path.arc(left, top, radius, 0, 2 * Math.PI);
  }
  return alone({ fill: path });
};

/** Each value as wide as its span: filled down to the axis, or a line at it. */
export const spanned =
  (spans: Spans | null, filled: boolean): uPlot.Series.PathBuilder =>
  (u, series, from, to) => {
    const path = new Path2D();
    const scale = u.series[series]?.scale ?? 'y';
    const bottom = u.valToPos(0, scale, true);
    for (let i = from; i <= to; ++i) {
      const value = u.data[series]?.[i];
      if (value == null || !spans) continue;
      const left = u.valToPos(spans.from[i] ?? 0, 'x', true);
      const right = u.valToPos(spans.to[i] ?? 0, 'x', true);
      const gap = right - left > 4 * devicePixelRatio ? devicePixelRatio : 0;
      const wide = Math.max(right - left - gap, devicePixelRatio);
      const top = u.valToPos(value, scale, true);
      if (filled) path.rect(left, top, wide, bottom - top);
      else {
        path.moveTo(left, top);
        path.lineTo(left + wide, top);
      }
    }
    return alone(filled ? { fill: path } : { stroke: path });
  };

/** Dashed lines from left to right, their titles at the right; one title does not lie on another. */
export function drawLevels(u: uPlot, levels: readonly Level[], color: string): void {
  const { ctx, bbox } = u;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = color;
  ctx.font = FONT.replace(/\d+px/, (px) => `${parseInt(px) * devicePixelRatio}px`);
  ctx.textAlign = 'right';
  ctx.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
  let above = Infinity;
  for (const { title, at } of [...levels].sort((a, b) => a.at - b.at)) {
    const y = Math.round(u.valToPos(at, 'y', true)) + 0.5;
    if (y < bbox.top || y > bbox.top + bbox.height) continue;
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    if (above - y < TITLE_ROOM * devicePixelRatio) continue;
    above = y;
    ctx.fillText(title, bbox.left + bbox.width - 4, y - 3 * devicePixelRatio);
  }
  ctx.restore();
}

/** Some of the dots, larger. */
export function drawMarked(
  u: uPlot,
  x: ArrayLike<number>,
  values: Values,
  marked: readonly { readonly at: number; readonly color: string }[],
): void {
  for (const { at, color } of marked) {
    const value = values[at];
    if (value == null) continue;
    u.ctx.fillStyle = color;
    u.ctx.beginPath();
    const [left, top] = [u.valToPos(x[at] ?? 0, 'x', true), u.valToPos(value, 'y', true)];
    u.ctx.arc(left, top, MARKED_RADIUS * devicePixelRatio, 0, 2 * Math.PI);
    u.ctx.fill();
  }
}
