// SPDX-License-Identifier: Apache-2.0
// A one-file report's data: `<script type="application/json" id="steptrace-report">` holds a report, or
// {report, steps} where `steps` are columns of the table steps. ui/README.md says how it gets in there.
import { Columns } from './arrow';
import { ApiError } from './error';
import type { Report } from './report';
import type { Source } from './source';

export interface Page {
  readonly report: Report;
  /** Columns of the table `steps`, all of one length; absent: only what the report says of steps. */
  readonly steps?: Readonly<Record<string, readonly (string | number | null)[]>>;
}

/** The page's own data; null where it holds none (then it is served by a server). */
export function readPage(text: string | null | undefined): Page | null {
  if (!text?.trim()) return null;
  const data = JSON.parse(text) as Page | Report | null;
  if (data === null) return null;
  const page = 'report' in data ? data : { report: data };
  if (!page.report.schema.startsWith('steptrace.report/'))
    throw new ApiError(0, 'the report', `has schema ${page.report.schema}`, 'update steptrace');
  return page;
}

const refuse = (thing: string) =>
  Promise.reject(
    new ApiError(0, thing, 'is not in a one-file report', 'open the run with: steptrace ui RUN'),
  );

export function pageSource(page: Page): Source {
  const { run } = page.report;
  return {
    kind: 'page',
    server: () => Promise.resolve({ version: '', folder: '', run: run.id, editor_url: '' }),
    runs: () => refuse('the list of runs'),
    report: (_run, stretch) =>
      stretch ? refuse('the report of a stretch') : Promise.resolve(page.report),
    compare: () => refuse('the comparison'),
    table: (_run, table) =>
      table === 'steps' && page.steps
        ? Promise.resolve(Columns.of(page.steps))
        : refuse(`the table ${table}`),
    series: () => refuse('the series over time'),
    json: (_run, path) => refuse(path),
    arrow: (_run, path) => refuse(path),
    watchRuns: () => () => undefined,
    watchRun: () => () => undefined,
  };
}
