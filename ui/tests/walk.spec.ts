// SPDX-License-Identifier: Apache-2.0
// Every number that a view, a one-file report, a notebook or the terminal shows of a run is a member of its report,
// or a plain sum or part of some: the same member in all of the runs, for each name. Views are found in the page's own
// navigation, figures by looking: a new one is walked, and what it tells has to be explained.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, type Page } from '@playwright/test';
import type { Report } from '../src/api/report';
import { json } from './exactly';
import { Members } from './members';
import { address, asking, open, settled, test } from './pages';
import { folder, makeOddRuns, oddFolder, python, run as output, steptrace, work } from './runs';
import { misreadSentences, seenIn, seenInText, Walk, type Named, type Seen } from './walk';
import { EXCEPTIONS, EXCEPTIONS_OF_THE_TERMINAL } from './walk_exceptions';

/** With steps, samples and a loader; eight ranks; a real profile, else one made; a window; no step; losses; growing. */
const RUNS = [
  join(folder, 'slow'),
  join(folder, 'eight-ranks'),
  join(folder, existsSync(join(folder, 'v100')) ? 'v100' : 'two-devices'),
  join(folder, 'captured'),
  join(folder, 'idle'),
  join(oddFolder, 'losing'),
  join(oddFolder, 'unfinished'),
];
const idOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);

test.describe.configure({ timeout: 900_000 });

let server: ChildProcess;
let odd = '';
test.beforeAll(async () => {
  await makeOddRuns();
  const started = spawn(steptrace, ['ui', oddFolder, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  server = started;
  const [line] = (await once(createInterface(started.stdout), 'line')) as [string];
  odd = (line.split(' ')[0] ?? '').replace(/\/$/, '');
});
test.afterAll(() => server.kill('SIGINT'));

const known = new Map<string, Members>();
/** Of the report as the executable prints it, the rules in full, and the steps. */
function membersOf(path: string): Members {
  const before = known.get(path);
  if (before) return before;
  const report = json<Report>('report', path);
  expect(misreadSentences(report)).toEqual([]);
  const rules = json<object>('report', path, '--section', 'rules');
  const tables = { steps: json<object[]>('show', path, 'steps') };
  const all = { ...report, rules: { ...report.rules, rules }, tables };
  const members = new Members(all, report.steps.duration_ns?.mean);
  known.set(path, members);
  return members;
}

/** What a view shows once nothing is on its way to it any more. */
async function unchanging(page: Page): Promise<Seen[]> {
  for (let before = ''; ;) {
    await settled(page);
    const seen = await page.locator('main').evaluate(seenIn);
    const now = JSON.stringify(seen);
    if (now === before && asking(page) === 0) return seen;
    before = now;
  }
}

/** What the views show that the navigation leads to, by their names. */
async function* views(page: Page) {
  const links = await page
    .getByRole('navigation', { name: 'Views' })
    .getByRole('link')
    .evaluateAll((all) => all.map((a) => a.getAttribute('href') ?? ''));
  expect(links.length).toBeGreaterThan(6);
  for (const link of links) {
    await page.evaluate((to) => (location.hash = to), link);
    const seen = await unchanging(page);
    yield { view: link.split('/').at(-1) ?? '', seen };
  }
}

/** Names of which no member explains the numbers, but for the exceptions. */
const unexplained = (named: readonly Named[], exceptions: typeof EXCEPTIONS): string[] =>
  named
    .filter(({ by, name }) => by.length === 0 && !exceptions.some(([of]) => of.test(name)))
    .map(({ name, places }) => `${name}: ${places.map((p) => `${p.of} ${p.shown}`).join(', ')}`);

test('every number of every view, of the one-file report and of the notebook', async ({ page }) => {
  await page.setViewportSize({ width: 1600, height: 2400 }); // more rows of each table
  const walk = new Walk();
  for (const path of RUNS) {
    const id = idOf(path);
    await open(page, `/run/${id}/overview`, path.startsWith(oddFolder) ? odd : address());
    for await (const { view, seen } of views(page)) walk.add(id, view, membersOf(path), seen);
  }
  const eight = join(folder, 'eight-ranks');
  const file = join(work, 'walk.html');
  output(['report', eight, '--html', file]);
  await page.goto(`file://${file}`);
  for await (const { view, seen } of views(page))
    walk.add('eight-ranks', view, membersOf(eight), seen);
  const script =
    'import json, sys, steptrace\nprint(json.dumps([steptrace.open(p)._repr_html_() for p in sys.argv[1:]]))';
  const notebooks = JSON.parse(
    execFileSync(python, ['-c', script, ...RUNS]).toString(),
  ) as string[];
  for (const [i, path] of RUNS.entries()) {
    await page.setContent(notebooks[i] ?? '');
    walk.add(idOf(path), 'notebook', membersOf(path), await page.locator('body').evaluate(seenIn));
  }
  expect(walk.wrong).toEqual([]);
  expect(unexplained([...walk.named()], EXCEPTIONS)).toEqual([]);
});

const SECTIONS =
  'devices operators kernels memory modules distributed critical-path rules recommendations';

test('every number of the terminal', () => {
  const walk = new Walk();
  for (const path of RUNS)
    for (const section of ['', ...SECTIONS.split(' ')]) {
      const args = section === '' ? [] : ['--section', section];
      const members = membersOf(path);
      const text = output(['report', path, ...args]).toString();
      walk.add(idOf(path), section, members, seenInText(text, members));
    }
  expect(unexplained([...walk.named()], EXCEPTIONS_OF_THE_TERMINAL)).toEqual([]);
});

test('a number that is not of the report is found', async ({ page }) => {
  const path = join(folder, 'eight-ranks');
  await page.route('**/api/runs/eight-ranks/report*', async (route) => {
    const answer = await route.fetch();
    const report = (await answer.json()) as Report;
    const { duration_ns, count } = report.steps;
    const off = { ...duration_ns, p95: Math.round((duration_ns?.p95 ?? 0) * 1.001) };
    await route.fulfill({
      json: { ...report, steps: { ...report.steps, count: count + 1, duration_ns: off } },
    });
  });
  const walk = new Walk();
  await open(page, '/run/eight-ranks/overview');
  for await (const { view, seen } of views(page))
    walk.add('eight-ranks', view, membersOf(path), seen);
  const found = unexplained([...walk.named()], EXCEPTIONS).join('\n');
  for (const name of ['overview ›  › Step, p95', 'steps ›  › p95']) expect(found).toContain(name);
});
