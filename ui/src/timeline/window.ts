// SPDX-License-Identifier: Apache-2.0
// Which time range to ask the server for. A view of up to 2^k ns is asked for as the three blocks of
// 2^k ns around it, so that panning within a block costs nothing, moving to the next one asks for
// a time range of which two thirds are already drawn, and equal requests have equal addresses.
import type { Span } from './viewport';
import { lengthNs } from './viewport';

export interface TileWindow extends Span {
  /** Pixels that the server divides the time range into. */
  readonly width: number;
}

/** The server's limit on `width`. */
export const MAX_WIDTH = 8192;
const BLOCKS = 3;
const MAX_BLOCK_WIDTH = Math.floor(MAX_WIDTH / BLOCKS);

/** The shortest power of two that holds `value`, which is at least 1. */
export const powerOfTwo = (value: number): number => 2 ** Math.ceil(Math.log2(Math.max(value, 1)));

/** The time range for a view, drawn `pixels` CSS pixels wide, of a run that lies within `bounds`. */
export function windowFor(view: Span, pixels: number, bounds: Span): TileWindow {
  const block = powerOfTwo(lengthNs(view));
  const blockWidth = Math.min(powerOfTwo(pixels), MAX_BLOCK_WIDTH, block);
  const at = Math.floor(view.fromNs / block);
  // Blocks in which nothing of the run lies are left out.
  const first = Math.floor(bounds.fromNs / block);
  const last = Math.floor(bounds.toNs / block);
  const from = Math.min(Math.max(at - 1, first), last);
  const to = Math.max(Math.min(at + BLOCKS - 1, last + 1), from + 1);
  return { fromNs: from * block, toNs: to * block, width: (to - from) * blockWidth };
}

export const sameWindow = (a: TileWindow, b: TileWindow): boolean =>
  a.fromNs === b.fromNs && a.toNs === b.toNs && a.width === b.width;
