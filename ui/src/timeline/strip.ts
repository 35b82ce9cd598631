// SPDX-License-Identifier: Apache-2.0
// Slices of one lane as one line of pixels. The line is stretched to the lane's height when it is
// drawn, so a slice costs its pixels and not a call: 141 k slices take 6 ms a frame.
import type { Packed } from './colour';
import type { Lane } from './tile';
import { firstEndingAfter } from './tile';
import type { Span } from './viewport';

/** Faintest that a pixel with anything in it gets: it must be seen. */
const FAINTEST = 0.3;
/** Where a slice has at least so many pixels, its last is paler: neighbours of one name stay two. */
const EDGE_FROM_PX = 4;
const EDGE_ALPHA = 0.5;

const withAlpha = (colour: Packed, alpha: number): Packed =>
  ((colour & 0xffffff) | (Math.round(((colour >>> 24) & 255) * alpha) << 24)) >>> 0;

/** How much of a pixel is covered, as opacity. */
const opacity = (share: number): number => FAINTEST + (1 - FAINTEST) * Math.min(share, 1);

/**
 * Draws what of `lane` lies in `view` into `pixels[offset … offset + width)`, which must be clear.
 * A pixel that holds several slices gets the colour of the one with most of it, as opaque as all of
 * them together cover it. `colours` is indexed by a slice's name. Slices of `wideFromPx` or more are
 * added to `wide`: those that get a label. Returns how many were drawn.
 */
export function drawStrip(
  lane: Lane,
  view: Span,
  pixels: Uint32Array,
  offset: number,
  width: number,
  colours: Uint32Array,
  wide: number[] = [],
  wideFromPx = Infinity,
): number {
  const scale = width / (view.toNs - view.fromNs);
  let at = -1;
  let covered = 0;
  let most = 0;
  let winner = 0;
  const flush = (): void => {
    if (at < 0 || at >= width) return;
    pixels[offset + at] = withAlpha(winner, opacity(covered));
  };
  let i = firstEndingAfter(lane, view.fromNs);
  const first = i;
  for (; i < lane.length; ++i) {
    const from = lane.from[i] as number;
    if (from >= view.toNs) break;
    const to = lane.to[i] as number;
    const x0 = (from - view.fromNs) * scale;
    const x1 = (to - view.fromNs) * scale;
    const share =
      (lane.count[i] as number) > 1 && to > from ? (lane.busy[i] as number) / (to - from) : 1;
    const colour = colours[lane.name[i] as number] as number;
    const left = Math.floor(x0);
    if (x1 - x0 < 1) {
      // Thinner than a pixel: gathered with its neighbours by the pixel in which it begins.
      const cover = (x1 - x0) * share;
      const x = Math.max(left, 0);
      if (x !== at) {
        flush();
        at = x;
        covered = cover;
        most = cover;
        winner = colour;
      } else {
        covered += cover;
        if (cover > most) {
          most = cover;
          winner = colour;
        }
      }
      continue;
    }
    flush();
    at = -1;
    if (x1 - x0 >= wideFromPx) wide.push(i);
    const start = Math.min(Math.max(Math.round(x0), 0), width);
    const end = Math.min(Math.max(Math.round(x1), start + 1), width);
    const filled = share < 1 ? withAlpha(colour, opacity(share)) : colour;
    for (let x = start; x < end; ++x) pixels[offset + x] = filled;
    if (end - start >= EDGE_FROM_PX && end < width) {
      pixels[offset + end - 1] = withAlpha(filled, EDGE_ALPHA);
    }
  }
  flush();
  return i - first;
}
