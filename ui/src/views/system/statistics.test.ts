// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import type { SystemRow } from '../../api/report';
import { filterRows, parseSort, sortRows, toTsv } from '../../widgets/table';
import { columnsFor, ownLast } from './statistics';

const row = (metric: string, sparkline: number[], more: Partial<SystemRow> = {}): SystemRow => ({
  node: 0,
  device: null,
  metric,
  unit: '',
  max: 9,
  p99: 9,
  p95: 9,
  p50: 5,
  min: 1,
  mean: 5,
  samples: 3,
  sparkline,
  ...more,
});
const rows = [
  row('cpu.busy', [1, 21, 4]),
  row('cpu1.busy', [200, 9, 210]),
  row('disk.read', []),
  row('cpu.wait', [9, 1, 8]),
];
const columns = columnsFor(rows);
const names = (of: readonly SystemRow[]) => of.map((r) => r.metric).join(' ');

it('a filter is looked for in names, not in the digits of a curve', () => {
  expect(names(filterRows(rows, columns, 'cpu 1'))).toBe('cpu1.busy');
});

it('a curve sorts by how much it rose, what has none last', () => {
  const sorted = (by: string) => names(sortRows(rows, columns, parseSort(by)));
  expect(sorted('-over')).toBe('cpu1.busy cpu.busy cpu.wait disk.read');
  expect(sorted('over')).toBe('cpu.wait cpu.busy cpu1.busy disk.read');
});

it('what the profiler tells of itself comes last', () => {
  const all = [row('agent.rss_bytes', []), row('cpu.busy', []), row('agent.cpu_cores', [])];
  expect(names(ownLast(all))).toBe('cpu.busy agent.rss_bytes agent.cpu_cores');
});

it('a curve is copied as it is, and told in words', () => {
  const over = columns.filter((c) => c.id === 'over');
  expect(toTsv(rows.slice(0, 1), over)).toBe('Over the run\n1 21 4');
  expect(over[0]?.format?.(rows[3] ?? row('', []))).toEqual({
    text: '',
    exact: 'means of 3 equal parts: 9; 1; 8',
  });
});

it('nodes and devices are columns where there are several, or any', () => {
  const ids = (of: readonly SystemRow[]) => columnsFor(of).map((c) => c.id);
  expect(ids(rows)).not.toContain('node');
  expect(ids(rows)).not.toContain('device');
  expect(ids([...rows, row('x', [], { node: 1, device: 2 })])).toEqual(
    expect.arrayContaining(['node', 'device']),
  );
});
