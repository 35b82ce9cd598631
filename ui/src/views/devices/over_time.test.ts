// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import type { Columns } from '../../api/arrow';
import { byNode, byStep } from './over_time';
import { rangeName, ranges } from './ranges';
import type { DevicesSection } from './section';

const columns = (rows: [metric: string, node: number, at: number, mean: number][]): Columns =>
  ({
    length: rows.length,
    strings: () => rows.map((r) => r[0]),
    numbers: (name: string) =>
      rows.map((r) => (name === 'node' || name === 'track' ? r[1] : name === 'mean' ? r[3] : r[2])),
  }) as unknown as Columns;

describe('utilisation over time', () => {
  it('is the mean of a node in each part', () => {
    const lines = byNode(
      columns([
        ['g', 0, 0, 0.2],
        ['g', 0, 1, 0.4],
        ['g', 0, 100, 1],
        ['c', 0, 50, 9],
        ['g', 1, 0, 0.5],
      ]),
      'g',
      2,
    );
    expect(lines.map((l) => l.node)).toEqual([0, 1]);
    expect(lines[0]?.values[0]).toBeCloseTo(0.3);
    expect(lines[0]?.values[1]).toBe(1);
    expect(lines[1]?.values).toEqual([0.5, 0.5]);
  });

  it('of a profile is that of its steps, mean over devices', () => {
    const step = (n: number, busy_ns: number) => ({ step: n, ts_ns: n * 10, span_ns: 10, busy_ns });
    const section = {
      devices: [{ steps: [step(1, 5), step(0, 10)] }, { steps: [step(1, 10)] }],
      roles: [],
    } as unknown as DevicesSection;
    expect(byStep(section)).toEqual({ at: [0, 10], values: [1, 0.75] });
  });
});

describe('ranges', () => {
  it('are counted without their numbers', () => {
    expect(['step_12', 'ProfilerStep#3', 'layer1', '42', 'Forward'].map(rangeName)).toEqual([
      'step',
      'ProfilerStep',
      'layer',
      '42',
      'Forward',
    ]);
    const [range] = ranges(['a#1', 'b', 'a#2'], [0, 5, 10], [3, 1, 7]);
    expect(range).toEqual({ name: 'a', durations: [3, 7], longest: { from: 10, to: 17 } });
  });
});
