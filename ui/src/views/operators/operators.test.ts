// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { boxes, deepest, type Flame } from '../../timeline/flame';
import { flameOf } from './flame';
import { grouped, groupingsOf, shapesText, callerOf, type Operator, type Times } from './section';

const times = (calls: number, host: number, device: number): Times => ({
  calls,
  host_total_ns: host * 2,
  host_self_ns: host,
  device_total_ns: device * 2,
  device_self_ns: device,
  kernel_self_ns: device,
  tensor_core_self_ns: 0,
  tensor_core_eligible: false,
  host_self_in_steps_ns: host,
  device_self_in_steps_ns: device,
});

const operator = (rank: number, name: string, more: Partial<Operator>): Operator => ({
  ...times(1, 10, 5),
  rank,
  name,
  shapes: [],
  stacks: [],
  ...more,
});

it('is grouped by what the profile holds alone', () => {
  const ids = (of: readonly Operator[]) => groupingsOf(of).map(({ id }) => id);
  expect(ids([operator(0, 'mm', {})])).toEqual(['name']);
  const stacks = [{ ...times(1, 10, 5), call_stack: ['train.py(7): main'], user_frame: 0 }];
  expect(ids([operator(0, 'mm', { stacks })])).toEqual(['name', 'caller']);
  const shapes = [{ ...times(1, 10, 5), input_shapes: [[2, 3]] }];
  expect(ids([operator(0, 'mm', { shapes })])).toEqual(['name', 'shape']);
});

const two = [
  operator(0, 'mm', {
    ...times(3, 30, 60),
    shapes: [
      { ...times(1, 10, 20), input_shapes: [[2, 3], [3, 4], []] },
      { ...times(2, 20, 40), input_shapes: [[8, 8]] },
    ],
    stacks: [
      {
        ...times(2, 20, 50),
        call_stack: ['torch/nn/linear.py(1): forward', 'train.py(9): main'],
        user_frame: 1,
      },
      { ...times(1, 10, 10), call_stack: ['train.py(7): main'], user_frame: 0 },
    ],
  }),
  operator(1, 'mm', { ...times(1, 10, 20) }),
  operator(0, 'add', { ...times(1, 60, 20) }),
];

describe('operators', () => {
  it('add up over ranks by name, and shares of own times sum to 1', () => {
    const rows = grouped(two, 'name', null);
    expect(rows.map((r) => [r.name, r.calls, r.host_self_ns])).toEqual([
      ['mm', 4, 40],
      ['add', 1, 60],
    ]);
    expect(rows.reduce((s, r) => s + r.host_share, 0)).toBeCloseTo(1, 12);
    expect(rows.reduce((s, r) => s + r.device_share, 0)).toBeCloseTo(1, 12);
  });

  it('calls without a stack are a separate row where others have one', () => {
    const [mm] = two as [Operator];
    const some = grouped([{ ...mm, stacks: mm.stacks.slice(0, 1) }], 'caller', null);
    expect(some.map((r) => [r.detail, r.calls, r.host_self_ns, r.device_self_ns])).toEqual([
      ['train.py(9): main', 2, 20, 50],
      ['', 1, 10, 10],
    ]);
  });

  it('part by shapes and by caller without losing a call', () => {
    const calls = (by: 'shape' | 'caller') =>
      grouped(two, by, 0).reduce((sum, row) => sum + row.calls, 0);
    expect(grouped(two, 'shape', 0).map((r) => r.detail)).toEqual(['2×3, 3×4', '8×8', '']);
    expect(grouped(two, 'caller', 0).map((r) => r.detail)).toEqual([
      'train.py(9): main',
      'train.py(7): main',
      '',
    ]);
    expect([calls('shape'), calls('caller')]).toEqual([4, 4]);
  });

  it('shapes are formatted as in PyTorch', () => {
    expect(shapesText([[32, 3], [], [[1, 2], [3]]])).toBe('32×3, [1×2, 3]');
    expect(shapesText(null)).toBe('');
  });

  it('of a stack show the frame that the report calls the script’s own', () => {
    const call_stack = ['/x/site-packages/torch/a.py(1): f', '/x/site-packages/mine.py(3): g'];
    expect(callerOf({ call_stack, user_frame: 1 })).toBe('/x/site-packages/mine.py(3): g');
    expect(callerOf({ call_stack, user_frame: null })).toBe('/x/site-packages/torch/a.py(1): f');
    expect(callerOf({ call_stack: [], user_frame: null })).toBe('');
  });
});

/** A flame graph as lines: `main 60 | forward 50 | mm 50`. */
const drawn = (flame: Flame): string[] => [
  `${'  '.repeat(flame.depth)}${flame.name} ${flame.value}`,
  ...flame.children.flatMap(drawn),
];

describe('flame graph', () => {
  const root = flameOf(two, 'device', null);

  it('joins frames that share their callers, the widest first', () => {
    expect(drawn(root)).toEqual([
      'all 100',
      '  train.py(9): main 50',
      '    torch/nn/linear.py(1): forward 50',
      '      mm 50',
      '  (no call stack) 40',
      '    mm 20',
      '    add 20',
      '  train.py(7): main 10',
      '    mm 10',
    ]);
  });

  it('counts calls as it adds times', () => {
    const calls = two.reduce((sum, operator) => sum + operator.calls, 0);
    expect(root.count).toBe(calls);
    const [deepest] = root.children[0]?.children[0]?.children ?? [];
    expect([deepest?.name, deepest?.count]).toEqual(['mm', 2]);
  });

  it('fills the width with the focus and keeps its callers', () => {
    const focus = root.children[0];
    if (focus === undefined) throw new Error('no box');
    expect(boxes(root, focus, 0.001).map((b) => [b.flame.name, b.left, b.width])).toEqual([
      ['all', 0, 1],
      ['train.py(9): main', 0, 1],
      ['torch/nn/linear.py(1): forward', 0, 1],
      ['mm', 0, 1],
    ]);
    expect(deepest(root)).toBe(3);
  });

  it('leaves out what is too thin to see', () => {
    expect(boxes(root, root, 0.15).map((b) => b.flame.name)).not.toContain('train.py(7): main');
  });
});
