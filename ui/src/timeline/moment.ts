// SPDX-License-Identifier: Apache-2.0
import type { TimelineStage } from './stage.svelte';
import { toTime } from './viewport';

/** The moment that counters are read at: under the pointer, else where keys have drawn a time range to, else the view's end. */
export function momentOf({ cursor, drawing, view, width }: TimelineStage): number {
  if (cursor !== null) return toTime(cursor.x, view, width);
  return drawing?.movingNs ?? view.toNs;
}
