// SPDX-License-Identifier: Apache-2.0
// Which runs are listed, and what is said of each.
import type { ListedStatus } from '../../api/report';
import type { RunRow } from '../../api/source';
import { formatShare, words, type Figure } from '../../base/format';
import { inert } from '../../base/inert';
import { newer } from '../../base/never';
import { namedByStage } from '../../base/suspects';

export const STATUSES: readonly ListedStatus[] = [
  'in_progress',
  'completed',
  'failed',
  'stopped',
  'interrupted',
  'unreadable',
];

/** How far back runs are listed: an id for the address, its name, ms. */
export const SINCE = [
  { id: 'hour', title: 'last hour', ms: 3.6e6 },
  { id: 'day', title: 'last day', ms: 8.64e7 },
  { id: 'week', title: 'last week', ms: 6.048e8 },
  { id: 'month', title: 'last 30 days', ms: 2.592e9 },
] as const;

export function chosenRuns(
  runs: readonly RunRow[],
  status: string | null,
  since: string | null,
  now: number,
): RunRow[] {
  const back = SINCE.find((s) => s.id === since);
  return runs.filter((run) => {
    if (STATUSES.includes(status as ListedStatus) && run.status !== status) return false;
    return !back || now - Date.parse(run.started_utc) <= back.ms;
  });
}

/** The verdict of a run, or that it is being made. */
export const verdictOf = ({ verdict, pending }: Pick<RunRow, 'verdict' | 'pending'>): Figure =>
  pending && !verdict
    ? { text: 'being analysed …', exact: 'its report is being made' }
    : verdictText(verdict);

export function verdictText(verdict: RunRow['verdict']): Figure {
  if (!verdict) return { text: '–', exact: 'not analysed' };
  switch (verdict.status) {
    case 'found': {
      const stage = verdict.sub_stage ? ` (${words(verdict.sub_stage)})` : '';
      const short = `${words(verdict.suspect)} ${formatShare(verdict.share).text}`;
      const whole = verdict.headline ?? short + stage;
      // Other work is nobody: who it is the headline says.
      return { text: namedByStage(verdict.suspect) ? whole : short, exact: whole };
    }
    case 'not_found':
    case 'not_applicable':
    case 'cannot_tell':
    case 'error': {
      const why = words(verdict.reason ?? verdict.status);
      return { text: why, exact: why };
    }
    default:
      return newer(verdict.status, { text: '–', exact: 'a verdict of a newer version' });
  }
}

/** At most two: a third takes the place of the first. */
export function pick(picked: readonly string[], id: string): string[] {
  return picked.includes(id) ? picked.filter((p) => p !== id) : [...picked, id].slice(-2);
}

/** A pick in the address: ids percent-encoded, so that a comma in a name separates nothing. */
export const formatPicked = (ids: readonly string[]): string =>
  ids.map(encodeURIComponent).join(',');

export function parsePicked(text: string | null): string[] {
  try {
    return (text ?? '').split(',').filter(Boolean).map(decodeURIComponent).slice(0, 2);
  } catch {
    return [];
  }
}

export const commandText = (command: readonly string[] | string): string =>
  inert(typeof command === 'string' ? command : command.join(' '));
