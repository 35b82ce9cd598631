// SPDX-License-Identifier: Apache-2.0
// A view is a folder under views/ whose index.ts exports one `view`. The application finds it by itself
// (app/registry.ts): a new view changes no list.
import type { Component } from 'svelte';
import type { Loss, Report } from '../api/report';
import { title } from '../base/format';
import type { RunContext } from './run.svelte';

export interface ViewProps {
  run: RunContext;
}

/** Part of the navigation in which a view stands, in this order. */
export const GROUPS = ['Summary', 'Host', 'Device', 'Job'] as const;
export type Group = (typeof GROUPS)[number];

export interface View {
  /** In the address: lower case, stable. */
  readonly id: string;
  readonly title: string;
  /** One sentence: the tooltip in the navigation. */
  readonly about: string;
  readonly group: Group;
  /** Place in its group, small first. */
  readonly order: number;
  /** Of what is damaged in these the view tells. */
  readonly tables: readonly string[];
  /** True where the report alone is enough, so that a one-file report can show it. */
  readonly inReport: boolean;
  /** Why the view has nothing to show of this run; null: it has. */
  readonly notApplicable: (report: Report) => string | null;
  /** True where it shows something all the same. */
  readonly shownAnyway?: boolean;
  readonly load: () => Promise<{ default: Component<ViewProps> }>;
}

/** Files of the run that hold what the view shows, and cannot be read. */
export const damagedOf = (
  { tables }: Pick<View, 'tables'>,
  { data_loss }: Pick<Report, 'data_loss'>,
): Loss[] =>
  data_loss.rows.filter(
    ({ cause, table }) => cause === 'segment_damaged' && tables.includes(table),
  );

/** Why the view shows nothing: what is damaged may have been anything. */
export function whyNothing(of: View, report: Report): string | null {
  const why = of.notApplicable(report);
  return why !== null && damagedOf(of, report).length > 0
    ? 'Files that hold what it shows are damaged.'
    : why;
}

/** Which ranks the tables by rank show of a large job; empty: all. The report's reference says how they are chosen. */
export function ranksLeftOut({ breakdown, run }: Pick<Report, 'breakdown' | 'run'>): string {
  if (!breakdown.truncated) return '';
  const shown = new Set(breakdown.rows.map(({ rank }) => rank)).size;
  return `Tables by rank show ${shown} of ${run.ranks} ranks: those that the others waited for longest, then the first ones. Sums in these tables cover the ranks shown; steptrace show prints all of them.`;
}

/** What a view is called, for a link from another one: views do not know each other. */
export const viewTitle = (id: string): string => (id === 'data' ? 'Data pipeline' : title(id));
