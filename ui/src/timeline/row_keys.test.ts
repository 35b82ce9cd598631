// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { isRowKey, rowAct } from './row_keys';
import type { TrackRow } from './rows';

const row = (name: string, depth: number, more: object = {}): TrackRow =>
  ({ node: { key: name, kind: 'rank', children: [{}], track: null }, depth, ...more }) as TrackRow;
const leaf = { node: { key: 'leaf', kind: 'slices', children: [], track: { lanes: 1 } } };

const rows = [
  row('pinned', 0, { pinned: true, ...leaf }),
  row('node', 0),
  row('rank 0', 1, { folded: true }),
  row('rank 1', 1),
  row('thread', 2, leaf),
];

it.each([
  ['ArrowDown', 4, { kind: 'go', to: 4 }],
  ['ArrowUp', 0, { kind: 'go', to: 0 }],
  ['ArrowUp', 3, { kind: 'go', to: 2 }],
  ['Home', 3, { kind: 'go', to: 0 }],
  ['End', 0, { kind: 'go', to: 4 }],
  ['ArrowRight', 2, { kind: 'toggle' }],
  ['ArrowRight', 3, { kind: 'go', to: 4 }],
  ['ArrowLeft', 3, { kind: 'toggle' }],
  ['ArrowLeft', 4, { kind: 'go', to: 3 }],
  ['ArrowLeft', 2, { kind: 'go', to: 1 }],
  ['ArrowLeft', 0, { kind: 'go', to: 0 }],
  ['Enter', 2, { kind: 'toggle' }],
  [' ', 4, null],
  ['p', 4, { kind: 'pin' }],
  ['p', 3, null],
  ['w', 3, null],
])('%s on row %i', (key, at, act) => {
  expect(rowAct(key, at, rows)).toEqual(act);
});

it('letters but one stay the timeline’s', () => {
  expect(['w', 'a', 'm', 'PageDown', 'p', 'Home'].filter(isRowKey)).toEqual(['p', 'Home']);
});
