// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import type { RunRow } from '../../api/source';
import { ns } from '../../base/time';
import { chosenRuns, formatPicked, parsePicked, pick, verdictOf, verdictText } from './runs';

const NOW = Date.parse('2026-01-10T12:00:00Z');

const run = (id: string, status: RunRow['status'], started_utc: string): RunRow => ({
  id,
  name: id,
  status,
  command: ['python', 'train.py'],
  imported_as: null,
  started_utc,
  duration_ns: ns(1),
  nodes: 1,
  ranks: 1,
  steps: 0,
  verdict: null,
  cost: null,
  bytes: 0,
});
const runs = [
  run('now', 'in_progress', '2026-01-10T11:30:00Z'),
  run('yesterday', 'failed', '2026-01-09T13:00:00Z'),
  run('old', 'completed', '2025-06-01T00:00:00Z'),
];
const ids = (status: string | null, since: string | null) =>
  chosenRuns(runs, status, since, NOW)
    .map((r) => r.id)
    .join(' ');

it('lists by status and time; what is no choice lists all', () => {
  expect(ids(null, null)).toBe('now yesterday old');
  expect(ids('failed', null)).toBe('yesterday');
  expect(ids(null, 'hour')).toBe('now');
  expect(ids(null, 'day')).toBe('now yesterday');
  expect(ids('failed', 'hour')).toBe('');
  expect(ids('nonsense', 'nonsense')).toBe('now yesterday old');
});

it('two at most are picked, in the order of picking', () => {
  expect(pick(['a'], 'b')).toEqual(['a', 'b']);
  expect(pick(['a', 'b'], 'a')).toEqual(['b']);
  expect(pick(['a', 'b'], 'c')).toEqual(['b', 'c']);
  expect(parsePicked(formatPicked(['a,b', '% c']))).toEqual(['a,b', '% c']);
  expect(parsePicked('%')).toEqual([]);
});

it('says each verdict', () => {
  const verdict = {
    suspect: '' as const,
    reason: null,
    sub_stage: '',
    share: 0,
    at_most_speedup: null,
  };
  expect(verdictText(null).text).toBe('–');
  expect(verdictText({ ...verdict, status: 'cannot_tell', reason: 'no_steps' }).text).toBe(
    'no steps',
  );
  const added = { ...verdict, status: 'of_a_newer_version' as 'found' };
  expect(verdictText(added).text).toBe('–');
  const found = { ...verdict, status: 'found' as const, suspect: 'data_pipeline' as const };
  expect(verdictText({ ...found, share: 0.5, sub_stage: 'getitem' })).toEqual({
    text: 'data pipeline 50\u00a0%',
    exact: 'data pipeline 50\u00a0% (dataset __getitem__)',
  });
  const headline = 'loop code in hashlib.sha256, 77 % of the step';
  expect(verdictText({ ...found, share: 0.5, headline })).toEqual({
    text: 'data pipeline 50\u00a0%',
    exact: headline,
  });
  const other = { ...found, suspect: 'other_work' as const, sub_stage: 'loop_code', headline };
  expect(verdictText(other)).toEqual({ text: headline, exact: headline });
});

it('a run whose report is being made says so, and keeps the verdict that it had', () => {
  const verdict = {
    status: 'cannot_tell',
    reason: 'no_steps',
    suspect: '',
    sub_stage: '',
    share: 0,
  } as const;
  expect(verdictOf({ verdict: null, pending: true }).text).toBe('being analysed …');
  expect(verdictOf({ verdict: null }).text).toBe('–');
  const known = { ...verdict, at_most_speedup: null };
  expect(verdictOf({ verdict: known, pending: true }).text).toBe('no steps');
});
