// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import type { Flame } from '../../timeline/flame';
import { pathsOf, treeOf, type Module } from './section';

const module = (name: string, parent: number | null, device: number, backward = 0): Module => ({
  rank: 0,
  name,
  module: name,
  parent,
  depth: 0,
  source: 'ranges',
  occurrences: 1,
  operators: 1,
  host_total_ns: 0,
  host_self_ns: 0,
  device_total_ns: device,
  device_self_ns: 0,
  backward: backward > 0 ? { host_total_ns: 0, device_total_ns: backward } : null,
  per_step: null,
});

const drawn = (flame: Flame): string[] => [
  `${'  '.repeat(flame.depth)}${flame.name} ${flame.from}+${flame.value}`,
  ...flame.children.flatMap(drawn),
];

const modules = [
  module('net', null, 60, 60),
  module('conv', 0, 10, 20),
  module('fc', 0, 40, 10),
  module('loose', 0, 0),
  module('odd', 99, 5),
];

describe('modules', () => {
  it('are a tree with forward and backward together', () => {
    expect(drawn(treeOf(modules, 'device'))).toEqual([
      'all 0+125',
      '  net 0+120',
      '    fc 0+50',
      '    conv 50+30',
      '    loose 80+0',
      '  odd 120+5',
    ]);
  });

  it('shows how often each module ran, where known', () => {
    const [known] = treeOf([{ ...module('a', null, 1), occurrences: 8 }], 'device').children;
    const [unknown] = treeOf([{ ...module('a', null, 1), occurrences: null }], 'device').children;
    expect([known?.count, unknown?.count]).toEqual([8, undefined]);
  });

  it('widen what is narrower than what is in it', () => {
    expect(drawn(treeOf([module('a', null, 1), module('b', 0, 7)], 'device'))[1]).toBe('  a 0+7');
  });

  it('shows where each module is in the tree', () => {
    expect(pathsOf(modules).slice(0, 3)).toEqual(['net', 'net / conv', 'net / fc']);
  });
});
