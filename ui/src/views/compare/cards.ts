// SPDX-License-Identifier: Apache-2.0
// The cards of two runs side by side: what differs, and what does not.
import type { RunCard } from '../../api/report';

type Line = RunCard['lines'][number];

export interface ComparedLine {
  readonly id: Line['id'];
  readonly title: string;
  /** Null: not known. */
  readonly a: string | null;
  readonly b: string | null;
}

/** When they began differs of any two, and says nothing. */
export function cards(
  a: readonly Line[],
  b: readonly Line[],
): { unlike: ComparedLine[]; same: string[] } {
  const find = (lines: readonly Line[], id: Line['id']) => lines.find((line) => line.id === id);
  const only = b.filter((line) => find(a, line.id) === undefined);
  const all = [...a, ...only]
    .map(({ id, title }) => ({ id, title, a: find(a, id), b: find(b, id) }))
    .filter((line) => line.id !== 'started')
    .filter((line) => [line.a, line.b].some((side) => side && !side.compared_only))
    .map((line) => ({ ...line, a: line.a?.text ?? null, b: line.b?.text ?? null }));
  return {
    unlike: all.filter((line) => line.a !== line.b),
    same: all.filter((line) => line.a === line.b).map((line) => line.title),
  };
}
