// SPDX-License-Identifier: Apache-2.0
// The critical path and what a change of it would gain, as the overview tells them.
import type { CriticalPath, PathCause, WhatIf } from '../../api/report_types';
import { formatTimes, words, type Figure } from '../../base/format';

/** The view that shows what such time is. */
const VIEWS: Partial<Record<PathCause, string>> = {
  data: 'data',
  compute: 'kernels',
  memory: 'kernels',
  communication: 'distributed',
  launch: 'devices',
  device_gap: 'devices',
  synchronisation: 'devices',
  host: 'operators',
};

export const viewOf = (cause: string): string => VIEWS[cause as PathCause] ?? 'devices';

/** As a part of the path, which is not the suspect of a like name. */
export const causeTitle = (cause: string): string =>
  cause === 'data' ? 'waiting for data' : words(cause);

export interface PathChange {
  readonly stage: string;
  /** "If communication were removed" */
  readonly title: string;
  /** null: nothing would be left, or it is not known. */
  readonly faster: Figure | null;
  /** The speed-up bound; null: none holds. */
  readonly atMost: Figure | null;
  /** What then takes most of the window. */
  readonly then: string;
}

const MOST = 6;

/** Replays of a stage without it, the most to gain first. */
export function changesOf(path: Pick<CriticalPath, 'what_if' | 'window'>): PathChange[] {
  const window = path.window?.dur_ns ?? 0;
  return (path.what_if ?? [])
    .filter((one) => one.change === 'removed')
    .sort((a, b) => a.window_ns - b.window_ns)
    .slice(0, MOST)
    .map((one) => ({
      stage: one.stage,
      title: `If ${causeTitle(one.stage)} were removed`,
      faster: one.speedup === null ? null : formatTimes(one.speedup),
      atMost: boundOf(one, window),
      then: one.causes[0] ? causeTitle(one.causes[0].cause) : '',
    }));
}

const boundOf = ({ at_most_ns }: WhatIf, window: number): Figure | null =>
  at_most_ns === null || at_most_ns <= 0 || window <= 0 ? null : formatTimes(window / at_most_ns);
