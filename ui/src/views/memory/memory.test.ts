// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import {
  atPeak,
  firstOf,
  heightOf,
  linesOf,
  mostOf,
  mostText,
  pile,
  type MemoryBlock,
  type MemoryDevice,
} from './section';

const block = (
  allocated_ns: number | null,
  released_ns: number | null,
  bytes: number,
): MemoryBlock => ({
  operator: 'op',
  caller: null,
  bytes,
  allocated_ns,
  released_ns,
  released_by_ns: released_ns,
  duration_ns: null,
});

describe('allocations', () => {
  it('live allocations stack and fill gaps of freed ones', () => {
    const placed = pile([block(0, 10, 4), block(1, 3, 2), block(2, 9, 1), block(4, 8, 2)], 0, 20);
    expect(placed.map((p) => [p.fromNs, p.toNs, p.bottom])).toEqual([
      [0, 10, 0],
      [1, 3, 4],
      [2, 9, 6],
      [4, 8, 4],
    ]);
    expect(heightOf(placed)).toBe(7);
  });

  it('reach to the ends of the profile where a side is missing', () => {
    const placed = pile([block(null, 5, 1), block(7, null, 1), block(9, 9, 1)], 0, 20);
    expect(placed.map((p) => [p.fromNs, p.toNs])).toEqual([
      [0, 5],
      [7, 20],
    ]);
  });

  it('end where their address was allocated again, though nobody saw them released', () => {
    const unseen = { ...block(0, null, 4), released_by_ns: 6 };
    const placed = pile([unseen, block(6, null, 4)], 0, 20);
    expect(placed.map((p) => [p.fromNs, p.toNs, p.bottom])).toEqual([
      [0, 6, 0],
      [6, 20, 0],
    ]);
    expect(heightOf(placed)).toBe(4);
  });

  it('never overlap', () => {
    const random = (n: number) => Math.floor(Math.random() * n);
    const blocks = Array.from({ length: 300 }, () => {
      const from = random(1000);
      return block(from, from + 1 + random(200), 1 + random(50));
    });
    const placed = pile(blocks, 0, 2000);
    for (const a of placed) {
      for (const b of placed) {
        if (a === b || a.toNs <= b.fromNs || b.toNs <= a.fromNs) continue;
        const apart = a.bottom + a.block.bytes <= b.bottom || b.bottom + b.block.bytes <= a.bottom;
        if (!apart) expect([a, b]).toBeNull();
      }
    }
  });
});

it('what lived at the peak is told whole: the most by name, the rest together', () => {
  const holders = Array.from({ length: 15 }, (_, i) => ({
    operator: i === 3 ? null : `op${i}`,
    blocks: 1,
    bytes: i + 1,
  }));
  const parts = atPeak(holders);
  expect(parts.map((p) => p.title)).toHaveLength(13);
  expect([parts[0]?.title, parts.at(-1)?.title]).toEqual(['op14', '3 others']);
  expect(parts.reduce((sum, p) => sum + p.value, 0)).toBe(120);
  expect(atPeak(holders.slice(0, 4)).map((p) => p.title)).toEqual([
    '(in no operator)',
    'op2',
    'op1',
    'op0',
  ]);
});

it('the fullest GPU is shown first, host memory last', () => {
  const device = (number: number, allocated_bytes: number) =>
    ({ rank: 0, device: number, peak: { allocated_bytes } }) as unknown as MemoryDevice;
  expect(firstOf([device(-1, 99), device(0, 5), device(1, 7)])?.device).toBe(1);
  expect(firstOf([device(-1, 99)])?.device).toBe(-1);
  expect(firstOf([])).toBeUndefined();
});

it('what a device held at most is never less than what was there when its curve began', () => {
  const of = (allocated_bytes: number, curve_from_zero: boolean) => {
    const peak = { ts_ns: 1, allocated_bytes, reserved_bytes: 0, peak_reserved_bytes: 0 };
    const device = { peak, curve_from_zero };
    return [mostOf(device), mostText(device).replaceAll('\u00a0', ' ')];
  };
  expect(of(-18 * 2 ** 20, true)).toEqual([0, ', never more than at its beginning']);
  expect(of(2 ** 20, true)).toEqual([2 ** 20, ', at most 1 MiB more than at its beginning']);
  expect(of(2 ** 20, false)).toEqual([2 ** 20, ', at most 1 MiB']);
  expect(mostText({ peak: null, curve_from_zero: true })).toBe('');
});

describe('the curve', () => {
  const point = (ts_ns: number, allocated_bytes: number, reserved_bytes: number) => ({
    ts_ns,
    allocated_bytes,
    reserved_bytes,
  });

  it('is level between two records: nothing says that it rose before the second', () => {
    const lines = linesOf([point(0, 0, 8), point(10, 4, 8)]);
    expect(lines.map((line) => [line.name, line.held])).toEqual([
      ['allocated', true],
      ['reserved', true],
    ]);
  });

  it('tells what is reserved only where the profile does', () => {
    expect(linesOf([point(0, 1, 0), point(1, 2, 0)]).map((line) => line.name)).toEqual([
      'allocated',
    ]);
  });
});
