// SPDX-License-Identifier: Apache-2.0
// Where the rows are seen that a piece of evidence names.
import { SHOWN, type Shown } from '../api/finding_kinds';
import type { Metric } from '../api/metrics';
import type { Compares, Condition, Evidence } from '../api/report';
import { ns, timeRange, type TimeRange } from '../base/time';
import type { Panel, Part } from './evidence_panels';
import { panelOf } from './evidence_panels';
import type { Query } from './route';
import type { RunTarget } from './run.svelte';

type Conditions = readonly Condition[];

/** A moment that `ts_ns` is compared with so; null: none. */
function bound(conditions: Conditions, ...signs: Compares[]): number | null {
  const found = conditions.find(({ column, is }) => column === 'ts_ns' && signs.includes(is));
  return typeof found?.value === 'number' ? found.value : null;
}

/** The time range that conditions on `ts_ns` name, from the run's begin where they name none; null: no time range. */
export function timeRangeOf(conditions: Conditions): TimeRange | null {
  const from = bound(conditions, '>', '>=') ?? 0;
  const to = bound(conditions, '<', '<=');
  return to !== null && from < to ? timeRange(ns(from), ns(to)) : null;
}

/** Facts of devices stand with these, all others with the settings of the data pipeline. */
export const viewOfFacts = (conditions: Conditions): string =>
  conditions.some(
    ({ column, value }) => column === 'kind' && (value === 'gpu' || value === 'device'),
  )
    ? 'devices'
    : 'data';

/** What it is about, and the rows that show it. */
export type Located = Pick<Evidence, 'rows' | 'subject'> & Partial<Pick<Evidence, 'kind'>>;

/** The metric as a view's parameter. */
export const metricOf = ({ subject }: Located): { metric?: string } =>
  subject.metric ? { metric: subject.metric } : {};

const isMetric = (panel: Panel): panel is { readonly metric: Metric } =>
  panel !== null && typeof panel === 'object';

/** The panel that shows it, as a view's parameters: a part, or the chart of a metric. */
export function panelParams(evidence: Located): Query {
  const panel = panelOf(evidence.kind);
  if (isMetric(panel)) return { metric: panel.metric, ...metricOf(evidence) };
  return panel === null ? metricOf(evidence) : { part: panel };
}

const part = (part: Part): { params: Query } => ({ params: { part } });

/** Where evidence is shown, by its kind; of a kind that is not known by its table. */
export function shownOf({ kind, rows }: Located): {
  readonly view: string;
  readonly threads?: Shown['threads'];
  readonly named?: Shown['named'];
} {
  if (isKnown(kind)) return SHOWN[kind];
  switch (rows?.table) {
    case 'counters':
      return { view: 'system' };
    case 'run_metadata':
      return { view: viewOfFacts(rows.conditions) };
    case 'slices':
    case 'tracks':
      return { view: 'timeline' };
    case 'samples':
      return { view: 'data', threads: 'workers' };
    case 'data_loss':
      return { view: 'overview' };
    case 'memory':
      return { view: 'memory' };
    default:
      return { view: 'steps' };
  }
}

const isKnown = (kind: string | undefined): kind is keyof typeof SHOWN =>
  kind !== undefined && Object.hasOwn(SHOWN, kind);

/** The view of a rule's evidence, in the time range that it names, else in the chosen one; null: no view shows it. */
export function targetOfRows(evidence: Located): RunTarget | null {
  if (evidence.rows === null) return null;
  const { table, conditions } = evidence.rows;
  const named = timeRangeOf(conditions);
  const place = named === null ? {} : { timeRange: named };
  switch (table) {
    case 'steps':
      // Up to a moment: what went on before the first step is no step.
      return {
        ...(named === null || bound(conditions, '>', '>=') !== null
          ? { view: 'steps', ...part('durations') }
          : { view: 'timeline' }),
        ...place,
      };
    case 'counters':
      return { view: 'system', ...place, params: metricOf(evidence) };
    case 'run_metadata':
      return viewOfFacts(conditions) === 'data'
        ? { view: 'data', ...place, ...part('loader-settings') }
        : { view: 'devices', ...place };
    case 'memory':
      return { view: 'memory', ...place };
    case 'slices':
      return { view: 'timeline', ...place };
    default:
      return null;
  }
}
