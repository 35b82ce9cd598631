// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import type { RunEvent } from '../api/source';
import { ns } from '../base/time';
import { endOf, isNews, liveOf } from './run.svelte';

const event = (status: RunEvent['status'], stopped: number | null = null): RunEvent => ({
  status,
  generation: 1,
  steps: 1,
  to_ns: ns(9),
  stopped_since_ns: stopped === null ? null : ns(stopped),
});
const utc = '2026-01-01T10:00:00Z';

it('the first event triggers no reload, unless the server was away before', () => {
  const [one, two] = [event('in_progress'), { ...event('in_progress'), generation: 2 }];
  expect(isNews(one, null, false)).toBe(false);
  expect(isNews(one, one, false)).toBe(false);
  expect(isNews(two, one, false)).toBe(true);
  expect(isNews(one, one, true)).toBe(true);
  expect(isNews(one, null, true)).toBe(true);
});

it('a run that goes on is live while the server tells of it, and one that ended needs no server', () => {
  expect(liveOf(null, null, 'in_progress')).toEqual({ kind: 'closed' });
  expect(liveOf(event('in_progress'), null, null)).toEqual({ kind: 'growing' });
  expect(liveOf(event('in_progress', 5), null, null)).toEqual({ kind: 'quiet', since: 5 });
  expect(liveOf(event('in_progress', 5), utc, null)).toMatchObject({ kind: 'unconnected' });
  expect(liveOf(null, utc, 'in_progress')).toEqual({ kind: 'unconnected', since_utc: utc });
  expect(liveOf(event('completed'), utc, 'in_progress')).toEqual({ kind: 'closed' });
  expect(liveOf(null, utc, null)).toEqual({ kind: 'closed' });
});

it('a run that failed says how it ended', () => {
  const run = (status: RunEvent['status'], exit_code: number | null, signal: number | null) =>
    endOf({ status, exit_code, signal } as Parameters<typeof endOf>[0]);
  expect(run('failed', 3, null)).toBe('exit code 3');
  expect(run('failed', null, 9)).toBe('signal 9');
  expect(run('failed', null, null)).toBe('');
  expect(run('completed', 0, null)).toBe('');
});
