// SPDX-License-Identifier: Apache-2.0
// A one-file report's data: `<script type="application/json" id="steptrace-report">` holds a report, {report, steps,
// checkpoints} where `steps` and `checkpoints` are columns of tables, or {runs: [two of those], comparison}. ui/README.md says how it gets
// in there.
import { inertBut } from '../base/inert';
import type { Ns } from '../base/time';
import { Columns } from './arrow';
import { ApiError } from './error';
import type { Report } from './report';
import { REPORT_SCHEMA } from './report_types';
import type { Comparison, SeriesQuery, Source } from './source';

export type PageColumns = Readonly<Record<string, readonly (string | number | null)[]>>;

export interface PageRun {
  readonly report: Report;
  /** Columns of the table `steps`, all of one length; absent: only what the report says of steps. */
  readonly steps?: PageColumns;
  /** Columns of the slices that are checkpoints; absent: there are none, or an older version wrote the page. */
  readonly checkpoints?: PageColumns;
}

export interface Page {
  /** One, or two that are compared. */
  readonly runs: readonly [PageRun] | readonly [PageRun, PageRun];
  readonly comparison: Comparison | null;
}

/** The page's own data; null where it holds none (then it is served by a server). */
export function readPage(text: string | null | undefined): Page | null {
  if (!text?.trim()) return null;
  const data = parsed(text);
  if (data === null) return null;
  const page = pageOf(data);
  for (const { report } of page.runs) {
    const schema = (report as Partial<Report> | undefined)?.schema;
    if (schema !== REPORT_SCHEMA)
      throw new ApiError(0, 'the report', `has schema ${String(schema)}`, 'update steptrace');
  }
  const run = page.runs.map(({ report }) => report.run);
  return inertBut(page, run, ['id', 'command']);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    const again = 'ask for the file again; who has the run: steptrace report RUN --html FILE';
    throw new ApiError(0, 'the report in this file', 'was cut off or changed on its way', again);
  }
}

function pageOf(data: unknown): Page {
  if (typeof data !== 'object')
    throw new ApiError(0, 'the report', 'is not a report', 'write the file again');
  const { runs, comparison } = data as { runs?: PageRun[]; comparison?: Comparison };
  if (!Array.isArray(runs))
    return {
      runs: ['report' in (data as object) ? (data as PageRun) : { report: data as Report }],
      comparison: null,
    };
  const [a, b] = runs;
  if (!a || !b || runs.length > 2 || !comparison)
    throw new ApiError(0, 'the report', 'holds no two runs to compare', 'write the file again');
  return { runs: [a, b], comparison };
}

/** Of the slices a page holds these alone. */
export const CHECKPOINTS = "name = 'checkpoint' and category = 'phase'";

const refuse = (thing: string) =>
  Promise.reject(
    new ApiError(0, thing, 'is not in a one-file report', 'open the run with: steptrace ui RUN'),
  );

/** By which addresses name the runs: their own ids, told apart where one run is compared with a copy of itself. */
function idsOf(page: Page): string[] {
  const [a, b] = page.runs.map(({ report }) => report.run.id || 'run');
  return [a ?? '', ...(b === undefined ? [] : [b === a ? `${b} (B)` : b])];
}

const opposite = (of: Ns): Ns => (0 - of) as Ns;
const negative = (of: Ns | null) => (of === null ? null : opposite(of));

/** The same two runs the other way round. */
export function swapped(comparison: Comparison): Comparison {
  const {
    runs: [a, b],
    headline,
    notes,
    back,
    rows,
    operators,
    comparability: { a: ofA, b: ofB, unlike },
  } = comparison;
  return {
    runs: [b, a],
    ...back,
    back: { headline, notes },
    rows: rows.map((row) => ({
      ...row,
      a: row.b,
      b: row.a,
      change_ns: negative(row.change_ns),
      change_low_ns: negative(row.change_high_ns),
      change_high_ns: negative(row.change_low_ns),
    })),
    operators: operators && {
      ...operators,
      a_steps: operators.b_steps,
      b_steps: operators.a_steps,
      rows: operators.rows.map((row) => ({
        ...row,
        a_ns: row.b_ns,
        b_ns: row.a_ns,
        change_ns: opposite(row.change_ns),
      })),
    },
    comparability: { a: ofB, b: ofA, unlike },
  };
}

/** The report's few means of each metric over the run, in the columns of a server's series. */
function seriesOf({ system, run }: Report, { metrics, node }: SeriesQuery): Columns {
  const chosen = (name: string) =>
    metrics.some((m) => (m.endsWith('*') ? name.startsWith(m.slice(0, -1)) : name === m));
  const values = system.rows
    .filter((row) => chosen(row.metric) && (node === undefined || row.node === node))
    .flatMap((row, track) =>
      row.sparkline.map((mean, i) => ({
        metric: row.metric,
        node: row.node,
        track,
        device: row.device ?? -1,
        bucket_ns: Math.round((run.duration_ns * i) / row.sparkline.length),
        mean,
      })),
    );
  const column = <K extends keyof (typeof values)[number]>(name: K) => values.map((v) => v[name]);
  return Columns.of({
    metric: column('metric'),
    node: column('node'),
    track: column('track'),
    device: column('device'),
    bucket_ns: column('bucket_ns'),
    mean: column('mean'),
  });
}

export function pageSource(page: Page): Source {
  const ids = idsOf(page);
  const [a = '', b] = ids;
  const comparison = page.comparison && b !== undefined ? { ...page.comparison } : null;
  const of = (run: string): PageRun | undefined => page.runs[ids.indexOf(run)];
  return {
    kind: 'page',
    compared: b === undefined ? null : [a, b],
    server: () =>
      Promise.resolve({ version: '', folder: '', run: b === undefined ? a : null, editor_url: '' }),
    runs: () => refuse('the list of runs'),
    report: (run, timeRange) => {
      const found = of(run);
      if (!found) return refuse(`the run ${run}`);
      return timeRange ? refuse('the report of a time range') : Promise.resolve(found.report);
    },
    compare: (first, second) => {
      if (comparison && first === a && second === b) return Promise.resolve(comparison);
      if (comparison && first === b && second === a) return Promise.resolve(swapped(comparison));
      return refuse('the comparison');
    },
    table: (run, table, { where }) => {
      const held = of(run);
      const columns =
        table === 'steps'
          ? held?.steps
          : table === 'slices' && where === CHECKPOINTS
            ? held?.checkpoints
            : undefined;
      return columns ? Promise.resolve(Columns.of(columns)) : refuse(`the table ${table}`);
    },
    series: (run, query) => {
      const found = of(run);
      if (!found || query.timeRange) return refuse('the series over time');
      return Promise.resolve(seriesOf(found.report, query));
    },
    json: (_run, path) => refuse(path),
    arrow: (_run, path) => refuse(path),
    fileLink: () => null,
    capture: () => refuse('a capture'),
    watchRuns: () => () => undefined,
    watchRun: () => () => undefined,
  };
}
