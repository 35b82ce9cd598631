// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { advised, settingsOf } from './settings';
import { workersOf, type WorkerSlice } from './workers';

const slice = (track: number, name: string, ts: number, dur: number, args = ''): WorkerSlice => ({
  track,
  name,
  ts,
  dur,
  args,
});

it("a worker's time is loading, collating, putting and waiting, and sums", () => {
  const slices = [
    slice(7, 'fetch', 0, 100, '{"cpu_ns":40,"run_queue_ns":50}'),
    slice(7, 'collate', 90, 10),
    slice(7, 'put', 100, 5),
    slice(7, 'fetch', 125, 75, 'not json'),
  ];
  const tracks = [{ track: 7, name: 'worker 0', pid: 42, rank: 0 }];
  const [worker] = workersOf(slices, tracks);
  expect(worker).toMatchObject({ name: 'worker 0', batches: 2, from: 0, to: 200 });
  expect(worker?.stages).toEqual({ getitem: 165, collate: 10, put: 5, waiting: 20 });
  expect([worker?.ran, worker?.starved, worker?.blocked]).toEqual([40, 50, 85]);
});

it('a worker whose track is missing is shown all the same', () => {
  expect(workersOf([slice(3, 'fetch', 5, 1)], [])[0]?.name).toBe('worker on track 3');
  expect(workersOf([slice(3, 'loader_iter', 5, 1)], [])).toEqual([]); // not a worker's work
});

it('settings say what to change them to', () => {
  const said = { figures: [], id: '', kind: 'data.more_workers', subject: {}, values: {} };
  const advice = [
    {
      ...said,
      text: 'more workers',
      setting: 'DataLoader.num_workers',
      current: '2',
      proposed: '8',
    },
    { ...said, text: 'cheaper', setting: '', current: '', proposed: '' },
  ];
  const rows = settingsOf({ workers: 2, pin_memory: false, dataset: 'a.B', length: null }, advice);
  expect(rows.find((r) => r.name === 'num_workers')).toEqual({
    name: 'num_workers',
    value: '2',
    proposed: '8',
    why: 'more workers',
  });
  expect(rows.find((r) => r.name === 'pin_memory')?.proposed).toBe('');
  expect(rows[0]?.name).toBe('num_workers'); // what is to be changed stands first
  expect(advised(advice).map((a) => a.text)).toEqual(['cheaper']);
});
