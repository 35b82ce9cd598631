// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { canFold, layout, LANE_HEIGHT, rowAt, visibleRows } from './rows';
import type { Track, TreeNode } from './tree';
import { buildTree, everyNode, foldedAtFirst, nameOf, pathTo } from './tree';

const track = (number: number, more: Partial<Track>): Track => ({
  track: number,
  parent: null,
  kind: 'thread',
  node: 0,
  rank: 0,
  device: null,
  stream: null,
  pid: null,
  tid: null,
  name: '',
  lanes: 0,
  slices: 0,
  first_ns: null,
  last_ns: null,
  values: 0,
  ...more,
});

/** The tree as indented lines: what a reader would see on the left of the timeline. */
const drawn = (nodes: TreeNode[]): string[] =>
  [...everyNode(nodes)].map((n) => `${'  '.repeat(n.depth)}${n.name}`);

const profile = [
  track(0, { kind: 'process', pid: 5, name: 'python' }),
  track(1, { parent: 0, pid: 5, tid: 9, name: 'autograd', slices: 9, lanes: 2 }),
  track(2, { parent: 0, pid: 5, tid: 5, name: 'main', slices: 3, lanes: 4 }),
  track(3, { kind: 'device', device: 0, name: 'V100' }),
  track(4, { parent: 3, kind: 'stream', device: 0, stream: 20, slices: 1, lanes: 1 }),
  track(5, { parent: 3, kind: 'stream', device: 0, stream: 7, name: '7', slices: 1, lanes: 2 }),
  track(6, { kind: 'process', name: 'empty' }),
  track(7, { parent: 6, tid: 1, name: 'empty too' }),
  track(8, { kind: 'counter', name: 'memory', values: 5 }),
];

describe('tree', () => {
  it('orders host, device and counters, and leaves out what holds nothing', () => {
    expect(drawn(buildTree(profile))).toEqual([
      'node 0',
      '  rank 0',
      '    main',
      '    autograd',
      '    GPU 0 · V100',
      '      stream 7',
      '      stream 20',
      '    memory',
    ]);
  });

  it('puts cores and a node’s counters after the ranks, under the name of the node', () => {
    const nodes = buildTree([
      track(0, { kind: 'node', rank: -1, name: 'host-a' }),
      track(1, { parent: 0, kind: 'counter', rank: -1, name: 'cpu.total', values: 3 }),
      track(2, { parent: 0, kind: 'process', rank: 1, pid: 8 }),
      track(3, { parent: 2, rank: 1, tid: 8, pid: 8, slices: 2, lanes: 1 }),
      track(4, { parent: 0, kind: 'process', rank: 0, pid: 7 }),
      track(5, { parent: 4, rank: 0, tid: 7, pid: 7, slices: 2, lanes: 1 }),
    ]);
    expect(drawn(nodes)).toEqual([
      'host-a',
      '  rank 0',
      '    thread 7',
      '  rank 1',
      '    thread 8',
      '  cpu.total',
    ]);
  });

  it('keeps processes apart where a rank has several', () => {
    const nodes = buildTree([
      track(0, { kind: 'process', pid: 1, name: 'train' }),
      track(1, { parent: 0, slices: 1, lanes: 1, name: 'a' }),
      track(2, { kind: 'process', pid: 2, name: 'loader' }),
      track(3, { parent: 2, slices: 1, lanes: 1, name: 'b' }),
    ]);
    expect(drawn(nodes)).toEqual([
      'node 0',
      '  rank 0',
      '    train 1',
      '      a',
      '    loader 2',
      '      b',
    ]);
  });

  it('shows tracks whose parents are missing or lead in a circle', () => {
    const nodes = buildTree([
      track(1, { parent: 77, slices: 1, lanes: 1, name: 'orphan' }),
      track(2, { parent: 3, slices: 1, lanes: 1, name: 'a' }),
      track(3, { parent: 2, slices: 1, lanes: 1, name: 'b' }),
    ]);
    const names = drawn(nodes).map((line) => line.trim());
    expect(names).toEqual(expect.arrayContaining(['orphan', 'a', 'b']));
  });

  it('unnamed tracks are named by their ids', () => {
    expect(nameOf(track(1, { kind: 'stream', stream: 7 }))).toBe('stream 7');
    expect(nameOf(track(1, { kind: 'process', pid: 42 }))).toBe('process 42');
    expect(nameOf(track(1, { kind: 'thread' }))).toBe('thread 1');
  });

  it('tells processes and threads of one name apart by their numbers', () => {
    const name = 'python';
    expect(nameOf(track(1, { kind: 'process', pid: 40, name }))).toBe('python 40');
    expect(nameOf(track(1, { kind: 'worker', pid: 41, name }))).toBe('worker 41');
    const thread = (tid: number, of: string) =>
      track(tid, { parent: 1, pid: 41, tid, slices: 1, lanes: 1, name: of });
    const threads = [thread(41, name), thread(43, name), thread(44, 'autograd')];
    const tree = buildTree([track(1, { kind: 'worker', pid: 41, name }), ...threads]);
    expect(drawn(tree).slice(3)).toEqual([
      '      python', // the main one
      '      python 43',
      '      autograd',
    ]);
  });

  it('puts the counters of the profiler itself after those of the training', () => {
    const counter = (number: number, name: string) =>
      track(number, { kind: 'counter', name, values: 1 });
    const nodes = buildTree([counter(1, 'agent.rss_bytes'), counter(2, 'cpu.busy_share')]);
    expect(drawn(nodes).map((name) => name.trim())).toEqual([
      'node 0',
      'rank 0',
      'CPU busy',
      'profiler RSS',
    ]);
  });

  it('puts a profiler’s notes on itself last; folds them, deep threads and ranks beyond the eighth', () => {
    const nodes = buildTree([
      track(0, { kind: 'process', name: 'Spans' }),
      track(1, { parent: 0, slices: 1, lanes: 1, name: 'PyTorch Profiler' }),
      track(2, { kind: 'device', device: 0 }),
      track(3, { parent: 2, kind: 'stream', stream: 7, slices: 1, lanes: 1 }),
      ...Array.from({ length: 9 }, (_, i) =>
        track(10 + i, { rank: i + 1, slices: 1, lanes: i === 0 ? 17 : 16 }),
      ),
    ]);
    expect(drawn(nodes).slice(0, 6)).toEqual([
      'node 0',
      '  rank 0',
      '    GPU 0',
      '      stream 7',
      '    Spans',
      '      PyTorch Profiler',
    ]);
    expect([...foldedAtFirst(nodes)]).toEqual(['t0', 't10', 'n0r8', 'n0r9']);
  });

  it('finds the way to a track', () => {
    expect(pathTo(buildTree(profile), 5)).toEqual(['n0', 'n0r0', 't3', 't5']);
    expect(pathTo(buildTree(profile), 99)).toEqual([]);
  });

  it('holds 10^6 tracks', () => {
    const many = Array.from({ length: 1_000_000 }, (_, i) =>
      track(i, { rank: i >> 6, slices: 1, lanes: 1 }),
    );
    const nodes = buildTree(many);
    const all = layout(nodes, { folded: new Set(), pinned: [], filter: '', within: null });
    expect(all.rows.length).toBe(1_000_000 + 15_625 + 1);
    expect(visibleRows(all, 5_000_000, 800).length).toBeLessThan(60);
  }, 60_000);
});

describe('rows', () => {
  const nodes = buildTree(profile);
  const show = (more: object) =>
    layout(nodes, { folded: new Set(), pinned: [], filter: '', within: null, ...more });
  const names = (l: ReturnType<typeof layout>) => l.rows.map((r) => r.node.name);

  it('gives a lane its height', () => {
    const main = show({}).rows.find((r) => r.node.name === 'main');
    expect(main?.height).toBe(4 * LANE_HEIGHT + 5);
  });

  it('folds a group to its line and a track to a strip', () => {
    expect(names(show({ folded: new Set(['n0r0']) }))).toEqual(['node 0', 'rank 0']);
    const folded = show({ folded: new Set(['t2']) }).rows.find((r) => r.node.name === 'main');
    expect(folded?.folded).toBe(true);
    expect(folded?.height).toBe(LANE_HEIGHT + 5);
  });

  it('puts pinned rows first, in the order of pinning, and keeps them in the tree', () => {
    const l = show({ pinned: ['t8', 't2', 'gone'] });
    expect(names(l).slice(0, 3)).toEqual(['memory', 'main', 'node 0']);
    expect(l.pinnedCount).toBe(2);
    expect(visibleRows(l, 1000, 100).map((r) => r.node.name)).toEqual(['memory', 'main']);
  });

  it('searches rows by a part of the name, with what is above and below them', () => {
    expect(names(show({ filter: 'STREAM 2' }))).toEqual([
      'node 0',
      'rank 0',
      'GPU 0 · V100',
      'stream 20',
    ]);
    expect(names(show({ filter: 'v100' }))).toEqual([
      'node 0',
      'rank 0',
      'GPU 0 · V100',
      'stream 7',
      'stream 20',
    ]);
    expect(names(show({ filter: 'nothing' }))).toEqual([]);
    const metric = buildTree([
      track(1, { kind: 'counter', name: 'cgroup.cpu_cores', rank: -1, values: 2 }),
    ]);
    for (const filter of ['group cpu', 'cpu_cores'])
      expect(
        names(layout(metric, { folded: new Set(), pinned: [], filter, within: null })),
      ).toContain('cgroup CPU');
  });

  it('leaves out what has no slices in the time in view, but for values and pinned rows', () => {
    const epochs = buildTree([
      track(0, { kind: 'process', pid: 5, name: 'python' }),
      track(1, { parent: 0, pid: 5, tid: 5, name: 'main', slices: 9, first_ns: 0, last_ns: 90 }),
      track(2, { kind: 'worker', pid: 6 }),
      track(3, { parent: 2, pid: 6, name: 'first', slices: 1, first_ns: 0, last_ns: 40 }),
      track(4, { kind: 'worker', pid: 7 }),
      track(5, { parent: 4, pid: 7, name: 'second', slices: 1, first_ns: 50, last_ns: 90 }),
      track(6, { kind: 'counter', name: 'memory', values: 5 }),
    ]);
    const within = (fromNs: number, toNs: number, more = {}) => {
      const state = { folded: new Set<string>(), pinned: [], filter: '', ...more };
      return names(layout(epochs, { ...state, within: { fromNs, toNs } })).slice(2);
    };
    expect(within(0, 45)).toEqual(['main', 'worker 6', 'first', 'memory']);
    expect(within(40, 50)).toEqual(['main', 'memory']); // ends and begins at the borders
    expect(within(49, 60)).toEqual(['main', 'worker 7', 'second', 'memory']);
    expect(within(0, 45, { filter: 'worker' })).toEqual(['worker 6', 'first']);
    expect(within(60, 70, { pinned: ['t3'] })[0]).toBe('rank 0'); // behind the pinned row
  });

  it('finds the row at a height', () => {
    const l = show({});
    expect(rowAt(l, 0)).toBe(0);
    expect(rowAt(l, 24)).toBe(1);
    expect(rowAt(l, 1e9)).toBe(l.rows.length);
  });

  it('folds only what has something to fold', () => {
    const all = [...everyNode(nodes)];
    expect(all.filter(canFold).map((n) => n.name)).toEqual([
      'node 0',
      'rank 0',
      'main',
      'autograd',
      'GPU 0 · V100',
      'stream 7',
    ]);
  });
});
