// SPDX-License-Identifier: Apache-2.0
// The runs that the pages are tested on, and what the executable itself says of them.
import { execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Report } from '../src/api/report';
import { BROAD, twoDevicesEach, waitsForLoader, wide } from './made';

const here = dirname(fileURLToPath(import.meta.url));
export const root = join(here, '../..');
export const steptrace = process.env.STEPTRACE ?? join(root, '.venv/bin/steptrace');
export const python = process.env.PYTHON ?? join(root, '.venv/bin/python');
/** Under build/: not tracked, and kept from one session to the next. */
export const work = process.env.UI_TEST_WORK ?? join(root, 'build/ui-tests');
export const folder = join(work, 'runs');

/** Where real profiles may stand, as tests/real_profiles.py has it. */
function profiles(): string {
  const beside = readdirSync(join(root, '..'))
    .sort()
    .map((name) => join(root, '..', name, 'data'));
  const found = beside.find((data) => existsSync(join(data, 'kineto')));
  return process.env.STEPTRACE_PROFILES ?? found ?? 'no profiles';
}
/** Runs that take seconds to analyse, apart from those of the list of runs. */
export const largeFolder = join(work, 'large');
/** A run whose verdict has a bound, and with it something to save. */
export const pricedFolder = join(work, 'priced');
export const addressFile = join(work, 'address');

/** Markup, a script, an entity, a name of 1 MB: all of them are only text. */
export const HOSTILE =
  '<img src=x onerror="document.title=\'owned\'"><script>owned()</script>&lt;b&gt;';
export const LONG = 'x'.repeat(1_000_000);

/** What a command prints. */
export const run = (args: string[]) =>
  execFileSync(steptrace, args, { maxBuffer: 2 ** 30, stdio: ['ignore', 'pipe', 'pipe'] });

export const reports = new Map<string, Report>();

/** What an hour costs, for the tests that ask for a price. */
export const PRICE = ['--price-per-hour', '360'];

/** `steptrace report RUN --json`: the figures that the pages must show. */
export function reportOf(id: string, options: readonly string[] = [], from = folder): Report {
  const key = [join(from, id), ...options].join(' ');
  const known = reports.get(key);
  if (known) return known;
  const args = ['report', join(from, id), '--json', ...options];
  const report = JSON.parse(run(args).toString()) as Report;
  reports.set(key, report);
  return report;
}

function once(id: string, make: (path: string) => void, into = folder) {
  const path = join(into, id);
  if (!existsSync(join(path, 'run.json'))) make(path);
}

const training = join(here, 'training.py');

export const live = (path: string, steps: number, seconds: number): string[] => [
  'run',
  '--name',
  `training ${basename(path)}`,
  '--output',
  path,
  '--',
  python,
  training,
  String(steps),
  String(seconds),
];

/** A synthetic job of eight ranks, with kernels and collectives. */
function eightRanks(path: string) {
  const traces = join(work, 'ranks');
  const script = join(root, 'tests/profiles/make_trace.py');
  execFileSync(python, [script, traces, '--steps', '6', '--ranks', '8'], { stdio: 'pipe' });
  run(['import', '--name', 'eight-ranks', '--output', path, traces]);
}

/** A profile in which every name is hostile. */
function hostile(path: string) {
  const event = (i: number, cat: string, tid: number | string, name: string) => ({
    ph: 'X',
    cat,
    name,
    pid: 1,
    tid,
    ts: 1000 + i * 100,
    dur: 80,
    args: { 'External id': i, correlation: i },
  });
  const names = [HOSTILE, LONG, '\u202egnirts', '${7*7}', '"; DROP TABLE slices; --'];
  const events = names.flatMap((name, i) => [
    event(i, 'cpu_op', 1, name),
    event(i, 'cuda_runtime', 1, `cudaLaunchKernel${name}`),
    event(i, 'kernel', 7, name),
  ]);
  const file = join(work, 'hostile.json');
  writeFileSync(file, JSON.stringify({ schemaVersion: 1, traceEvents: events }));
  run(['import', '--name', HOSTILE, '--output', path, file]);
}

/** So many different names of a megabyte, of operators, of their launches and of kernels. */
export const MEGABYTES = 12;
function megabytes(path: string) {
  const name = (i: number) => `${'m'.repeat(1_000_000)}${i}`;
  const event = (i: number, cat: string, tid: number, text: string) => ({
    ph: 'X',
    cat,
    name: text,
    pid: 1,
    tid,
    ts: 1000 + i * 100,
    dur: 80,
    args: { 'External id': i, correlation: i },
  });
  const events = Array.from({ length: MEGABYTES }, (_, i) => [
    event(i, 'cpu_op', 1, name(i)),
    event(i, 'cuda_runtime', 1, 'cudaLaunchKernel'),
    event(i, 'user_annotation', 1, name(i)),
    event(i, 'kernel', 7, name(i)),
  ]).flat();
  const file = join(work, 'megabytes.json');
  writeFileSync(file, JSON.stringify({ schemaVersion: 1, traceEvents: events }));
  run(['import', '--name', 'megabytes', '--output', path, file]);
  rmSync(file);
}

/** The run `slow` with sampled stacks. */
function sampled(path: string) {
  execFileSync(python, [join(here, 'add_samples.py'), join(folder, 'slow'), path]);
}

/** More tracks than the server tells in one tree. */
export const MANY_TRACKS = 120_000;
function many(path: string) {
  const script = join(root, 'tests/e2e/made_runs.py');
  execFileSync(python, [script, path, String(MANY_TRACKS)], { stdio: 'pipe' });
}

/** A training of which some steps were captured, by the list that `--capture` takes. */
export function captured(path: string, list: string) {
  const [first = '', ...rest] = live(path, 40, 0.001);
  run([first, '--window', '5:4', '--capture', list, ...rest]);
}

/** Two ranks of two devices each. */
function twoDevices(path: string) {
  const traces = join(work, 'two-devices');
  mkdirSync(traces, { recursive: true });
  twoDevicesEach(traces);
  run(['import', '--name', 'two-devices', '--output', path, traces]);
}

/** A GPU's kernels, each of another name. */
function wideRun(path: string, count?: number) {
  const file = join(work, `${basename(path)}.json`);
  wide(file, count);
  run(['import', '--name', basename(path), '--output', path, file]);
  rmSync(file);
}

/** More ranges than the server sends at once. */
export const MANY_RANGES = 1_000_500;
function manyRanges(path: string) {
  execFileSync(python, [join(here, 'made_ranges.py'), path, String(MANY_RANGES)]);
}

/** A training whose time goes into hashing, in its own loop. */
function hashing(path: string) {
  // Enough samples of stacks to name the function, however fast the machine hashes.
  const often = ['--stack-rate', '100'];
  const command = [python, join(here, 'hashing.py'), '250'];
  run(['run', '--name', 'hashing', '--output', path, ...often, '--', ...command]);
}

export function makePricedRun() {
  mkdirSync(pricedFolder, { recursive: true });
  const file = join(work, 'loader.pt.trace.json');
  waitsForLoader(file);
  once(
    'loader',
    (path) => run(['import', '--name', 'loader', '--output', path, file]),
    pricedFolder,
  );
}

export function makeLargeRuns() {
  mkdirSync(largeFolder, { recursive: true });
  once('wide', (path) => wideRun(path), largeFolder);
  once('many-ranges', manyRanges, largeFolder);
}

/** A training that went on when its files were copied. */
async function unfinished(path: string) {
  const growing = `${path}.growing`;
  rmSync(growing, { recursive: true, force: true });
  const training = spawn(steptrace, live(growing, 100_000, 0.001), { stdio: 'ignore' });
  const steps = () => {
    try {
      const report = run(['report', growing, '--json']).toString();
      return (JSON.parse(report) as Report).steps.count;
    } catch {
      return 0; // it is only about to begin
    }
  };
  try {
    while (steps() < 20) {
      if (training.exitCode !== null) throw new Error('the training ended');
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    cpSync(growing, path, { recursive: true });
  } finally {
    const ended = new Promise((resolve) => training.once('exit', resolve));
    if (training.kill('SIGINT')) await ended;
    rmSync(growing, { recursive: true, force: true });
  }
}

/** A run of which a file is cut off. */
function losing(path: string) {
  cpSync(join(folder, 'hashing'), path, { recursive: true });
  const counters = join(path, 'tables/counters');
  for (const file of readdirSync(counters, { recursive: true })) {
    const whole = join(counters, String(file));
    if (statSync(whole).isFile()) truncateSync(whole, Math.floor(statSync(whole).size / 2));
  }
}

/** Runs that would be in the way in the list of runs. */
export const oddFolder = join(work, 'odd');
export async function makeOddRuns() {
  mkdirSync(oddFolder, { recursive: true });
  once('losing', losing, oddFolder);
  const path = join(oddFolder, 'unfinished');
  if (!existsSync(join(path, 'run.json'))) await unfinished(path);
}

/** Makes what is missing; a run made by an earlier session is kept. */
export function makeRuns() {
  mkdirSync(folder, { recursive: true });
  once('slow', (path) => run(live(path, 60, 0.02)));
  once('fast', (path) => run(live(path, 60, 0.0005)));
  once('idle', (path) => run(['run', '--output', path, '--', python, '-c', 'pass']));
  once('eight-ranks', eightRanks);
  once('hostile', hostile);
  once('megabytes', megabytes);
  once('sampled', sampled);
  once('many', many);
  once('captured', (path) => captured(path, 'stacks,shapes,memory'));
  once('two-devices', twoDevices);
  once('broad', (path) => wideRun(path, BROAD));
  once('hashing', hashing);
  const data = profiles();
  const profile = join(data, 'kineto/v100_resnet50_workers0.pt.trace.json.gz');
  if (existsSync(profile)) once('v100', (path) => run(['import', '--output', path, profile]));
  const job = join(data, 'sagemaker');
  if (existsSync(job)) once('sagemaker', (path) => run(['import', '--output', path, job]));
  once('broken', (path) => {
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, 'run.json'), '{"format": 1, "id": "brok');
  });
}
