// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import type { WhatIf } from '../../api/report_types';
import { ns } from '../../base/time';
import { changesOf, viewOf } from './critical_path';

const change = (stage: string, window: number, more: Partial<WhatIf> = {}): WhatIf => ({
  stage,
  change: 'removed',
  window_ns: ns(window),
  at_most_ns: ns(window),
  causes: [{ cause: 'compute', ns: ns(window), share: 1 }],
  step_ns: null,
  step_at_most_ns: null,
  speedup: 100 / window,
  ...more,
});
const window = { ts_ns: ns(0), dur_ns: ns(100), causes: [] } as never;

it('the most to gain stands first, and halves are left out', () => {
  const found = changesOf({
    window,
    what_if: [
      change('memory', 90),
      change('communication', 50),
      change('communication', 75, { change: 'halved' }),
    ],
  });
  expect(found.map((one) => [one.title, one.faster?.text, one.then])).toEqual([
    ['If communication were removed', '2×', 'device computing'],
    ['If memory were removed', '1.11×', 'device computing'],
  ]);
});

it('no speed-up is shown where there is no bound', () => {
  const [one] = changesOf({ window, what_if: [change('data', 50, { at_most_ns: null })] });
  expect(one?.title).toBe('If waiting for data were removed');
  expect(one?.atMost).toBeNull();
  expect(one?.faster).not.toBeNull();
});

it('nothing is shown without a critical path', () => {
  expect(changesOf({})).toEqual([]);
  expect(viewOf('communication')).toBe('distributed');
  expect(viewOf('what a newer version has')).toBe('devices');
});
