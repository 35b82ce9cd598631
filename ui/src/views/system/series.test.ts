// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { Columns } from '../../api/arrow';
import { aligned, chartsOf, heatRows, lineName, processes, seenFor, seriesOf } from './series';

// metric, node, track, device, bucket, mean
const ROWS: [string, number, number, number | null, number, number][] = [
  ['cpu.busy_share', 0, 1, -1, 0, 0.5],
  ['cpu.busy_share', 0, 1, -1, 10, 0.6],
  ['core.busy_share', 0, 2, 1, 0, 0.1],
  ['core.busy_share', 0, 3, 0, 10, 0.9],
  ['process.cpu_cores', 0, 4, null, 0, 1.5],
  ['process.cpu_cores', 0, 4, null, 20, 0.5],
];

function series() {
  const names = ['metric', 'node', 'track', 'device', 'bucket_ns', 'mean'] as const;
  const columns = Object.fromEntries(names.map((n, c) => [n, ROWS.map((r) => r[c] ?? null)]));
  const mean = ROWS.map((r) => r[5]);
  const count = ROWS.map((_, i) => (i === ROWS.length - 1 ? 3 : 1));
  const seen = { first_ns: ROWS.map((r) => r[4] + 1), last_ns: ROWS.map((r) => r[4] + 2) };
  return seriesOf(Columns.of({ ...columns, ...seen, min: mean, max: mean, count }));
}

it('makes one series a track', () => {
  expect(series().map((s) => [s.metric, s.device, s.at.length])).toEqual([
    ['cpu.busy_share', null, 2],
    ['core.busy_share', 1, 1],
    ['core.busy_share', 0, 1],
    ['process.cpu_cores', null, 2],
  ]);
});

it('puts series on one axis, with gaps', () => {
  const { x, values } = aligned(series().slice(0, 2));
  expect(x).toEqual([0, 10]);
  expect(values).toEqual([
    [0.5, 0.6],
    [0.1, NaN],
  ]);
});

it('a heat map has a row a device, in their order', () => {
  const cores = series().filter((s) => s.metric === 'core.busy_share');
  const rows = heatRows(cores, 0, 40, 4);
  expect(rows.map((r) => r.name)).toEqual(['core 0', 'core 1']);
  // What was read once holds for two readings' usual distance, here the cell's own width.
  expect(Array.from(rows[0]?.values ?? [])).toEqual([NaN, 0.9, 0.9, 0.9]);
});

it('offers the charts that there is something for', () => {
  const titles = (metric: string | null) =>
    chartsOf(series(), metric === null ? null : { metric, unit: 'cores' }).map((c) => c.title);
  expect(titles(null)).toEqual(['CPU']);
  expect(titles('process.cpu_cores')).toEqual(['process.cpu_cores', 'CPU']);
  expect(titles('cpu.busy_share')).toEqual(['CPU']); // a chart holds it already
  expect(titles('not.there')).toEqual(['CPU']);
});

it('names lines apart', () => {
  const memory = { title: 'Memory', unit: 'bytes', metrics: ['memory.used_bytes'], max: null };
  expect(lineName('memory.used_bytes', memory)).toBe('used');
  expect(lineName('swap.used_bytes', memory)).toBe('swap used');
});

it('sums up a process from its tracks', () => {
  const rows = processes(series(), new Map([[4, 42]]), new Map([[42, 'python']]));
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({
    pid: 42,
    name: 'python',
    cpuMean: 0.75, // of one reading and of three
    cpuMax: 1.5,
    from: 1, // of its readings, not of the time ranges that they lie in
    to: 22,
  });
  const [row] = rows as [(typeof rows)[number]];
  expect(seenFor(row).exact).toBe('21 ns');
  expect(seenFor({ ...row, from: 22 }).text).toBe('a moment'); // not 0 ns: it was there
});
