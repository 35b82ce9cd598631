// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { Columns } from '../../api/arrow';
import { byStep, leastUsed, linesBy, sampled, type LinesBy } from './over_time';
import type { Device } from './section';

const columns = (
  rows: [metric: string, node: number, device: number, at: number, mean: number][],
): Columns =>
  Columns.of({
    metric: rows.map((r) => r[0]),
    node: rows.map((r) => r[1]),
    track: rows.map((r) => 10 * r[1] + r[2]),
    device: rows.map((r) => r[2]),
    bucket_ns: rows.map((r) => r[3]),
    mean: rows.map((r) => r[4]),
  });

describe('utilisation over time, as it is sampled', () => {
  const rows = columns([
    ['g', 0, 0, 0, 0.2],
    ['g', 0, 1, 1, 0.4],
    ['g', 0, 0, 100, 1],
    ['c', 0, -1, 50, 9],
    ['g', 1, 0, 0, 0.5],
  ]);
  const told = (by: LinesBy) => sampled(rows, 'g', by, 2).map((l) => [l.name, ...l.values]);

  it('is a line a device, a node, or one', () => {
    expect(told('device')).toEqual([
      ['node 0 · GPU 0', 0.2, 1],
      ['node 0 · GPU 1', 0.4, 0.4],
      ['node 1 · GPU 0', 0.5, 0.5],
    ]);
    expect(told('node')).toEqual([
      ['node 0', (0.2 + 0.4) / 2, 1],
      ['node 1', 0.5, 0.5],
    ]);
    expect(told('all')).toEqual([['all', (0.2 + 0.4 + 0.5) / 3, 1]]);
  });
});

describe('utilisation of a profile', () => {
  const step = (n: number, ts_ns: number, busy_ns: number) => ({
    step: n,
    ts_ns,
    span_ns: 10,
    busy_ns,
  });
  const device = (node: number, rank: number, number: number, steps: unknown[]) =>
    ({ node, rank, device: number, steps }) as unknown as Device;
  const devices = [
    device(0, 0, 0, [step(1, 10, 5), step(0, 0, 10)]),
    device(0, 0, 1, [step(1, 11, 10)]),
    device(1, 1, 0, [step(0, 2, 1), step(1, 12, 2)]),
  ];
  const told = (by: LinesBy) => byStep(devices, by).map((l) => [l.name, ...l.values]);

  it('is that of its steps, a line a device, a node, or one', () => {
    expect(told('device')).toEqual([
      ['node 0 · rank 0 · GPU 0', 1, 0.5],
      ['node 0 · rank 0 · GPU 1', NaN, 1],
      ['node 1 · rank 1 · GPU 0', 0.1, 0.2],
    ]);
    expect(told('node')).toEqual([
      ['node 0', 1, 0.75],
      ['node 1', 0.1, 0.2],
    ]);
    expect(told('all')).toEqual([['all', 1.1 / 2, (0.5 + 1 + 0.2) / 3]]);
    expect(byStep(devices, 'device').map((l) => l.at)).toEqual([
      [0, 10],
      [0, 10],
      [0, 10],
    ]);
    expect(byStep([], 'device')).toEqual([]);
  });

  it('draws as many lines as there are colours, and counts the others', () => {
    const lines = Array.from({ length: 11 }, (_, i) => ({
      name: `${i}`,
      at: [0],
      values: [1 - i / 20],
    }));
    const { drawn, leftOut } = leastUsed(lines);
    expect([drawn.map((l) => l.name).join(' '), leftOut]).toEqual(['3 4 5 6 7 8 9 10', 3]);
    expect(leastUsed(lines.slice(0, 8)).leftOut).toBe(0);
    expect([linesBy(null, 8), linesBy(null, 9), linesBy('all', 1)]).toEqual([
      'device',
      'node',
      'all',
    ]);
  });
});
