// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { boxOf, keyOf } from '../../timeline/flame';
import {
  flameOf,
  functionsOf,
  kindShown,
  packageOf,
  placeOfFrame,
  type SampledFrame,
  type Samples,
} from './samples';

const frame = (
  parent: number,
  name: string,
  [running, waiting, ownRunning, ownWaiting]: readonly [number, number, number, number],
  more: Partial<SampledFrame> = {},
): SampledFrame => ({
  parent,
  kind: 'python',
  function: name,
  file: `/job/${name}.py`,
  line: 7,
  running_ns: running,
  waiting_ns: waiting,
  self_running_ns: ownRunning,
  self_waiting_ns: ownWaiting,
  ...more,
});

const samples: Samples = {
  kinds: [
    { kind: 'training', threads: 1, samples: 3, running_ns: 3, waiting_ns: 0 },
    { kind: 'worker', threads: 2, samples: 9, running_ns: 70, waiting_ns: 30 },
  ],
  ranks: [0],
  unknown: { running_ns: 0, waiting_ns: 5 },
  nodes: [
    frame(-1, 'loop', [70, 25, 0, 5]),
    frame(0, 'decode', [60, 0, 50, 0]),
    frame(0, 'read', [10, 20, 10, 20]),
    frame(1, 'decode', [10, 0, 10, 0]), // it calls itself
  ],
};

describe('the flame graph', () => {
  const names = (state: 'both' | 'running' | 'waiting') =>
    flameOf(samples, state).children.map((c) => [c.name, c.value]);
  it('is as wide as all that was sampled, in the state that is chosen', () => {
    expect(flameOf(samples, 'both').value).toBe(100);
    expect(flameOf(samples, 'running').value).toBe(70);
    expect(names('waiting')).toEqual([
      ['/job/loop.py(7): loop', 25],
      ['(a stack that the run does not hold)', 5],
    ]);
  });
  it('leaves out what has no time in that state, and puts the largest first', () => {
    const [loop] = flameOf(samples, 'waiting').children;
    expect(loop?.children.map((c) => c.value)).toEqual([20]);
    const [both] = flameOf(samples, 'both').children;
    expect(both?.children.map((c) => [c.value, c.from])).toEqual([
      [60, 0],
      [30, 60],
    ]);
  });
  it('counts samples of the chosen state, where the server does', () => {
    expect(flameOf(samples, 'both').count).toBeUndefined();
    const times = { running_samples: 4, waiting_samples: 2 };
    const told: Samples = {
      ...samples,
      unknown: { ...samples.unknown, running_samples: 0, waiting_samples: 1 },
      nodes: samples.nodes.map((node) => ({ ...node, ...times })),
    };
    expect(flameOf(told, 'both').count).toBe(7);
    expect(flameOf(told, 'running').count).toBe(4);
    expect(flameOf(told, 'waiting').children.map((c) => c.count)).toEqual([2, 1]);
  });
  it('a box keeps its key where another line has most time as the run grows', () => {
    const before = flameOf(samples, 'both');
    const decode = before.children[0]?.children[0];
    expect(decode?.name).toBe('/job/decode.py(7): decode');
    const nodes = samples.nodes.map((node, i) => ({ ...node, line: 20 + i }));
    const grown = flameOf({ ...samples, nodes }, 'both');
    const found = boxOf(grown, keyOf(before, decode ?? before));
    expect(found.name).toBe('/job/decode.py(21): decode');
    // Of the same name in another file it is not the key.
    const moved = nodes.map((node) => ({ ...node, file: `/other${node.file}` }));
    const other = flameOf({ ...samples, nodes: moved }, 'both');
    expect(boxOf(other, keyOf(before, decode ?? before))).toBe(other);
  });
  it('flame graph of no samples is empty', () => {
    const none = { ...samples, nodes: [], unknown: { running_ns: 0, waiting_ns: 0 } };
    expect(flameOf(none, 'both')).toMatchObject({ value: 0, children: [] });
  });
});

it('functions: own times sum to all, one that calls itself counts once', () => {
  const rows = functionsOf(samples, 'both');
  expect(rows.map((r) => [r.name, r.own_ns, r.total_ns])).toEqual([
    ['loop', 5, 95],
    ['decode', 60, 60],
    ['read', 30, 30],
  ]);
  expect(functionsOf(samples, 'waiting').map((r) => r.name)).toEqual(['loop', 'read']);
});

it.each([
  [{ file: '/v/lib/python3.11/site-packages/PIL/Image.py' }, 'PIL'],
  [{ file: '/usr/lib/python3.11/json/decoder.py' }, 'json'],
  [{ file: '/usr/lib/python3.11/threading.py' }, 'threading'],
  [{ file: '/job/data.py' }, '/job/data.py'],
  [{ file: '/usr/lib/libc.so.6', kind: 'native' }, 'libc.so.6'],
])('whose code %o is', (more, name) => {
  expect(packageOf(frame(-1, 'f', [1, 0, 1, 0], more))).toBe(name);
});

it('a place to jump to only where there is one', () => {
  const at = (more: Partial<SampledFrame>) => placeOfFrame(frame(-1, 'f', [1, 0, 1, 0], more));
  expect(at({ file: '/a b/<c>.py' })).toEqual({ file: '/a b/<c>.py', line: 7 });
  expect(at({ line: 0 })).toBeNull();
  expect(at({ file: '<string>' })).toBeNull();
  expect(at({ kind: 'native' })).toBeNull();
});

it('a box names the function and its line, in whole with the path', () => {
  const boxOf = (name: string, more: Partial<SampledFrame>) =>
    flameOf({ ...samples, nodes: [frame(-1, name, [10, 0, 10, 0], more)] }, 'both').children[0];
  expect(boxOf('', { file: '/x/libc.so.6', line: 0 })?.name).toBe('(no name) (libc.so.6)');
  expect(boxOf('f', { file: '/job/data.py', line: 7 })).toMatchObject({
    name: '/job/data.py(7): f',
    short: 'f · data.py:7',
  });
});

it('the kind that is shown', () => {
  expect(kindShown(samples, null)).toBe('worker');
  expect(kindShown(samples, 'training')).toBe('training');
  expect(kindShown(samples, 'evil')).toBe('worker');
  expect(kindShown({ ...samples, kinds: [] }, 'worker')).toBeNull();
});
