// SPDX-License-Identifier: Apache-2.0
// The cards of two runs beside each other: what differs, and what does not.
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
  const textIn = (lines: readonly Line[], id: Line['id']) =>
    lines.find((line) => line.id === id)?.text ?? null;
  const only = b.filter((line) => textIn(a, line.id) === null);
  const all = [...a, ...only]
    .filter((line) => line.id !== 'started')
    .map(({ id, title }) => ({ id, title, a: textIn(a, id), b: textIn(b, id) }));
  return {
    unlike: all.filter((line) => line.a !== line.b),
    same: all.filter((line) => line.a === line.b).map((line) => line.title),
  };
}
