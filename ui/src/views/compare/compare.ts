// SPDX-License-Identifier: Apache-2.0
// Two runs side by side, as rows of one table.
import type { Said } from '../../api/report';
import type { ComparedRow, Comparison } from '../../api/source';
import { tokenOf } from '../../base/color';
import { formatNs, formatShare, title, type Figure } from '../../base/format';
import { stageOf } from '../../base/suspects';

export const KINDS: readonly { kind: ComparedRow['kind']; title: string }[] = [
  { kind: 'step', title: 'Step' },
  { kind: 'suspect', title: 'Suspects' },
  { kind: 'sub_stage', title: 'Stages' },
  { kind: 'phase', title: 'Phases' },
];

/** 'same': the interval holds 0, the difference may be chance; 'open': no interval is known. */
export type Direction = 'faster' | 'slower' | 'same' | 'open';

export interface ComparedChange {
  readonly direction: Direction;
  readonly figure: Figure;
  /** Null: not known. */
  readonly interval: Figure | null;
}

export interface ComparedLine {
  readonly name: string;
  readonly title: string;
  readonly a: { ns: number; share: number; low: number; high: number } | null;
  readonly b: { ns: number; share: number; low: number; high: number } | null;
  readonly change: ComparedChange | null;
}

export interface ComparedBlock {
  readonly title: string;
  readonly lines: readonly ComparedLine[];
  /** The longest bar of the block, ns. */
  readonly most: number;
  /** What is told of one run's parts alone. */
  readonly notes: readonly Said[];
}

const LEAST_SHARE = 0.005;

/** Blocks in a fixed order; what neither run spends anything on is left out. */
export function blocks(comparison: Comparison): ComparedBlock[] {
  const step = comparison.rows.find((row) => row.kind === 'step');
  if (step && !((step.a?.ns ?? 0) > 0 && (step.b?.ns ?? 0) > 0)) return []; // one has no steps
  return KINDS.map(({ kind, title: heading }) => {
    const lines = comparison.rows
      .filter((row) => row.kind === kind)
      .filter((row) => kind === 'step' || mostOf(row) >= LEAST_SHARE)
      .map(lineOf);
    const most = lines.reduce((m, l) => Math.max(m, l.a?.ns ?? 0, l.b?.ns ?? 0), 1);
    const notes = kind === 'sub_stage' ? comparison.notes : [];
    return { title: heading, lines, most, notes };
  }).filter((block) => block.lines.length > 0);
}

/** The means that the sentence above tells rounded; undefined: there are none in both. */
export function exactMeans(comparison: Comparison): string | undefined {
  const { a, b } = comparison.rows.find((row) => row.kind === 'step') ?? {};
  return a && b && a.ns > 0 && b.ns > 0
    ? `A ${formatNs(a.ns).exact}, B ${formatNs(b.ns).exact} a step in the mean`
    : undefined;
}

const mostOf = (row: ComparedRow) => Math.max(row.a?.share ?? 0, row.b?.share ?? 0);

function lineOf(row: ComparedRow): ComparedLine {
  const side = (s: ComparedRow['a']) =>
    s && { ns: s.ns, share: s.share, low: s.share_low, high: s.share_high };
  const name = row.kind === 'step' ? 'Mean step' : title(row.name);
  return { name: row.name, title: name, a: side(row.a), b: side(row.b), change: changeOf(row) };
}

/** A change, with its sign. */
export function signed(change: number): Figure {
  const { text, exact } = formatNs(change);
  const sign = change > 0 ? '+' : '';
  return { text: sign + text, exact: sign + exact };
}

function changeOf(row: ComparedRow): ComparedChange | null {
  const { change_ns: change, change_low_ns: low, change_high_ns: high } = row;
  if (change === null) return null;
  // Of a few steps nobody knows how much they vary.
  const known = low !== null && high !== null;
  const chance = known ? low <= 0 && high >= 0 : change === 0;
  return {
    direction: chance ? 'same' : !known ? 'open' : change < 0 ? 'faster' : 'slower',
    figure: signed(change),
    interval: known
      ? {
          text: `${signed(low).text} to ${signed(high).text}`,
          exact: `${signed(low).exact} to ${signed(high).exact}`,
        }
      : null,
  };
}

/** A share, exactly with its interval where one is known. */
export function shareOf({ share, low, high }: NonNullable<ComparedLine['a']>): Figure {
  const { text, exact } = formatShare(share);
  const within = low === high ? '' : ` (${formatShare(low).exact} to ${formatShare(high).exact})`;
  return { text, exact: exact + within };
}

/** Stages that stand side by side in the data pipeline have colours of their own; others are their suspect's. */
export function tokenOfStage(name: string): string {
  const suspect = stageOf(name)?.suspect;
  const own = suspect === undefined || suspect === 'data_pipeline' || suspect === 'model';
  return tokenOf(own ? name : suspect);
}
