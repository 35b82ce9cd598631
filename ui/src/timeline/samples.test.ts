// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { SAMPLES } from './derived';
import { framesOf, sampleTiles, type StackFrame } from './samples';
import { Names } from './tile';

const frame = (called: string, parent = NaN, file = '', line = 0): StackFrame => ({
  called,
  parent,
  file,
  line,
});
const stacks = new Map([
  [0, frame('<module>', NaN, '/src/train.py', 3)],
  [1, frame('step', 0, '/src/train.py', 21)],
  [2, frame('sleep', 1)],
  [3, frame('loop', 4)],
  [4, frame('loop', 3)],
]);

it('a stack is listed from innermost to outermost, and ends', () => {
  expect(framesOf(stacks, 2)).toEqual([
    'sleep',
    '/src/train.py:21 step',
    '/src/train.py:3 <module>',
  ]);
  expect(framesOf(stacks, 99)).toEqual([]);
  expect(framesOf(stacks, 3).length).toBe(512);
});

it('a sample is a slice that reaches halfway to its neighbours, by the function that ran', () => {
  const names = new Names();
  const columns = {
    length: 4,
    ts: [300, 100, 150, 100],
    track: [7, 7, 7, 8],
    stack: [2, 1, 99, 0],
    interval: [50, 100, 80, 10],
    state: ['waiting', 'running', 'running', 'running'],
  };
  const tiles = sampleTiles(columns, stacks, { fromNs: 0, toNs: 1000, width: 10 }, names);
  const lane = tiles.get(7)?.lanes[0];
  const told = Array.from({ length: lane?.length ?? 0 }, (_, i) => [
    names.name(lane?.name[i] ?? 0),
    names.category(lane?.name[i] ?? 0),
    lane?.from[i],
    lane?.to[i],
    lane?.slice[i],
  ]);
  expect(told).toEqual([
    ['step', SAMPLES.running, 50, 125, 1],
    ['unknown stack', SAMPLES.running, 125, 190, 99],
    ['sleep', SAMPLES.waiting, 275, 325, 2],
  ]);
  expect(tiles.get(8)?.lanes[0]?.length).toBe(1);
});
