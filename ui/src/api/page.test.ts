// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { ns } from '../base/time';
import { ApiError } from './error';
import { CHECKPOINTS, pageSource, readPage, swapped, type Page } from './page';
import type { Said } from './report';
import type { Comparison } from './source';
import { REPORT_SCHEMA } from './report_types';

const ALIKE = {
  hardware: { hosts: 1, cpus: null, devices: [] },
  world_size: 1,
  batch_size: 1,
  precision: null,
  versions: [],
  throttling: { cpu: null, gpu: null },
  settings: [],
};
const said = (text: string): Said => ({
  text,
  figures: [],
  id: '0',
  kind: 'legacy.text',
  subject: {},
  values: {},
});
const side = (value: number) => ({ ns: ns(value), share: 1, share_low: 1, share_high: 1 });
const comparison: Comparison = {
  runs: ['slow', 'fixed'],
  headline: said('The second run is 4.0x faster per step: 25 ns instead of 100 ns.'),
  notes: [said("Only the first run tells its dataset's stages: __getitem__ holds decode 9 ns.")],
  back: {
    headline: said('The first run is 4.0x faster per step: 25 ns instead of 100 ns.'),
    notes: [said("Only the second run tells its dataset's stages: __getitem__ holds decode 9 ns.")],
  },
  comparability: { a: ALIKE, b: { ...ALIKE, batch_size: 2 }, unlike: ['batch_size'] },
  operators: {
    measure: 'host',
    a_steps: 3,
    b_steps: 5,
    rows: [{ name: 'aten::mm', a_ns: ns(40), b_ns: ns(10), change_ns: ns(-30) }],
    left_out: 0,
  },
  rows: [
    {
      kind: 'step',
      name: 'step',
      a: side(100),
      b: side(25),
      change_ns: ns(-75),
      change_low_ns: ns(-80),
      change_high_ns: ns(-70),
    },
  ],
};
const report = (id: string, name = id) => ({ schema: REPORT_SCHEMA, run: { id, name } });

function page(data: unknown): Page {
  const read = readPage(JSON.stringify(data));
  if (!read) throw new Error('the page holds data');
  return read;
}
const two = (a: string, b: string) =>
  pageSource(page({ runs: [{ report: report(a) }, { report: report(b) }], comparison }));

describe('what a page may hold', () => {
  it('nothing, a report, and a report with its steps', async () => {
    expect(readPage('null')).toBeNull();
    expect(readPage('')).toBeNull();
    expect(page(report('a')).runs).toHaveLength(1);
    const source = pageSource(page({ report: report('a'), steps: { dur_ns: [1, 2] } }));
    expect(source.compared).toBeNull();
    expect((await source.server()).run).toBe('a');
    expect((await source.table('a', 'steps', {})).length).toBe(2);
  });

  it('two runs, each by its id', async () => {
    const source = two('slow', 'fixed');
    expect(source.compared).toEqual(['slow', 'fixed']);
    expect((await source.server()).run).toBeNull();
    expect((await source.report('fixed', null)).run.id).toBe('fixed');
    await expect(source.report('other', null)).rejects.toThrow(ApiError);
    expect(await source.compare('slow', 'fixed')).toEqual(comparison);
  });

  it.each([
    [{ schema: 'something/9' }],
    [{ schema: 'steptrace.report/1', run: { id: 'a' } }],
    [{ report: { run: {} } }],
    [{ report: null }],
    [{ runs: [{ report: report('a') }], comparison }],
    [{ runs: [{ report: report('a') }, { report: report('b') }] }],
    [{ runs: [{ report: report('a') }, {}], comparison }],
    [[]],
    [7],
  ])('what is none is refused with a next step: %j', (data) => {
    expect(() => readPage(JSON.stringify(data))).toThrow(ApiError);
  });
});

it('truncated page data is reported', () => {
  expect(() => readPage('{"report": {"schema"')).toThrow('was cut off or changed on its way');
});

it('the few means of each metric are its series', async () => {
  const row = (metric: string, device: number | null, sparkline: (number | null)[]) => ({
    metric,
    node: 0,
    device,
    sparkline,
  });
  const system = [
    row('cpu.busy_share', null, [0.5, null]),
    row('gpu.x', 1, [3]),
    row('disk', null, [7]),
  ];
  const run = { id: 'a', name: 'a', duration_ns: 100 };
  const source = pageSource(page({ ...report('a'), run, system: { rows: system } }));
  const found = await source.series('a', { metrics: ['cpu.busy_share', 'gpu.*'] });
  expect(found.strings('metric')).toEqual(['cpu.busy_share', 'cpu.busy_share', 'gpu.x']);
  expect(Array.from(found.numbers('bucket_ns'))).toEqual([0, 50, 0]);
  expect(Array.from(found.numbers('mean'))).toEqual([0.5, NaN, 3]);
  expect(Array.from(found.numbers('device'))).toEqual([-1, -1, 1]);
});

it('holds the moments of checkpoints, and no other slices', async () => {
  const checkpoints = { ts_ns: [5, 9], dur_ns: [1, 2] };
  const source = pageSource(page({ report: report('a'), checkpoints }));
  const found = await source.table('a', 'slices', { where: CHECKPOINTS });
  expect(Array.from(found.numbers('ts_ns'))).toEqual([5, 9]);
  await expect(source.table('a', 'slices', {})).rejects.toThrow(/not in a one-file report/);
  await expect(source.table('a', 'steps', {})).rejects.toThrow(/not in a one-file report/);
  const older = pageSource(page({ report: report('a') }));
  await expect(older.table('a', 'slices', { where: CHECKPOINTS })).rejects.toThrow();
});

it('a run and its copy are told apart', async () => {
  const source = two('run', 'run');
  const [a, b] = source.compared ?? [];
  expect(a).not.toBe(b);
  expect((await source.report(b ?? '', null)).run.id).toBe('run');
});

it('the other way round, what was won is lost', async () => {
  const back = await two('slow', 'fixed').compare('fixed', 'slow');
  expect(back).toEqual(swapped(comparison));
  expect(back.headline).toEqual(comparison.back.headline);
  expect(back.notes).toEqual(comparison.back.notes);
  expect(back.back.headline).toEqual(comparison.headline);
  expect(back.runs).toEqual(['fixed', 'slow']);
  expect(back.rows[0]).toMatchObject({
    a: side(25),
    b: side(100),
    change_ns: 75,
    change_low_ns: 70,
    change_high_ns: 80,
  });
});

it('two runs of one name are told apart by their place', async () => {
  const runs = ['one', 'two'].map((id) => ({ report: report(id, 'train.py') }));
  const source = pageSource(page({ runs, comparison }));
  expect((await source.compare('one', 'two')).headline.text).toMatch(/^The second run is/);
  expect((await source.compare('two', 'one')).headline.text).toMatch(/^The first run is/);
  expect((await source.compare('two', 'one')).notes[0]?.text).toMatch(/^Only the second run tells/);
});

it('texts of the page are inert', () => {
  const run = { id: 'i\u202e', name: 'n\u202e', command: ['c\u202e'] };
  expect(page({ schema: REPORT_SCHEMA, run }).runs[0].report.run).toEqual({
    ...run,
    name: 'n\\u202e',
  });
});

it('operators of a comparison are swapped, too', () => {
  const { operators } = swapped(comparison);
  expect([operators?.a_steps, operators?.b_steps]).toEqual([5, 3]);
  expect(operators?.rows).toEqual([{ name: 'aten::mm', a_ns: 10, b_ns: 40, change_ns: 30 }]);
});
