// SPDX-License-Identifier: Apache-2.0
// node bench/pages.mjs [RUN] [--rounds N]: milliseconds until a page shows its run, in Debian's Chromium from a
// server on this machine, and what the pages and a one-file report weigh. Without a RUN one is recorded (60 steps).
// Exit 1 where a page shows other figures than the report, or weighs more than it may; times are told beside
// what they should be, for a machine with other work misses them.
import { chromium } from '@playwright/test';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { kilo, packed, SCRIPT_LIMIT, weights } from '../tools/weights.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const steptrace = process.env.STEPTRACE ?? join(root, '.venv/bin/steptrace');
const python = process.env.PYTHON ?? join(root, '.venv/bin/python');
/** What takes longer has to show that it goes on. */
const SHOWN_MS = 1000;
/** 60 frames a second. */
const FRAME_MS = 1000 / 60;
const MOVED_FRAMES = 240;
const PATIENCE_MS = 60_000;

const packageDir = process.env.STEPTRACE_PACKAGE_DIR ?? join(root, 'python/steptrace');
const weight = weights(join(packageDir, 'ui'));

const args = process.argv.slice(2);
const flag = args.indexOf('--rounds');
const rounds = flag < 0 ? 9 : Number(args.splice(flag, 2)[1]);
if (!(rounds >= 1)) throw new Error('--rounds: how often each page is opened, from 1 on');
const work = mkdtempSync(join(tmpdir(), 'steptrace-pages-'));

function recorded() {
  const path = join(work, 'recorded');
  const training = [python, join(root, 'ui/tests/training.py'), '60', '0.005'];
  execFileSync(steptrace, ['run', '--output', path, '--', ...training], { stdio: 'ignore' });
  return path;
}

const grouped = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ',');
const middle = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

/**
 * Of each page, as a function that runs in it: the frame after which it shows the run, in ms since its navigation
 * began, or null after a frame that does not yet; and the figures that it must tell then.
 */
const pagesOf = (report) => [
  {
    view: 'overview',
    shown: async () => {
      const now = await new Promise((resolve) => requestAnimationFrame(resolve));
      const there = document.querySelector('[aria-label="Verdict"][data-status]') !== null;
      return there && document.querySelector('main .loading') === null ? now : null;
    },
    exact: report.suspects.rows.filter((s) => s.share > 0).map((s) => `${String(s.share * 100)} %`),
  },
  {
    view: 'steps',
    shown: async () => {
      const now = await new Promise((resolve) => requestAnimationFrame(resolve));
      const there = document.querySelectorAll('main dl [data-exact]').length > 3;
      return there && document.querySelector('main .loading') === null ? now : null;
    },
    exact: [`${grouped(report.steps.duration_ns.p50)} ns`],
  },
  {
    view: 'timeline',
    shown: async () => {
      const now = await new Promise((resolve) => requestAnimationFrame(resolve));
      const canvas = document.querySelector('[data-busy="false"] .layers canvas');
      if (!canvas) return null;
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const colours = new Set(new Uint32Array(data.buffer));
      return colours.size > 8 ? now : null; // slices, not only rows
    },
    exact: [],
  },
];

/** Opens an address and tells when it was shown; the clock begins with the navigation. */
async function load(page, address, shown) {
  await page.goto('about:blank');
  await page.goto(address, { waitUntil: 'commit' });
  // Not waitForFunction: what it evals the pages' policy forbids.
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end;) {
    const ms = await page.evaluate(shown);
    if (ms !== null) return ms;
  }
  throw new Error(`${address}: not shown within ${PATIENCE_MS} ms`);
}

const received = (page) =>
  page.evaluate(() =>
    [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
      .map((entry) => entry.transferSize)
      .reduce((sum, bytes) => sum + bytes, 0),
  );

const wrong = [];
const exactFigures = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('main [data-exact]')].map((e) => e.dataset.exact),
  );

async function check(page, what, exact) {
  const there = new Set(await exactFigures(page));
  for (const figure of exact) if (!there.has(figure)) wrong.push(`${what} does not tell ${figure}`);
}

async function measure(browser, address, report) {
  for (const { view, shown, exact } of pagesOf(report)) {
    const target = `${address}#/run/${encodeURIComponent(report.id)}/${view}`;
    const cold = [];
    const again = [];
    let bytes = 0;
    for (let i = 0; i < rounds; ++i) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
      const page = await context.newPage();
      cold.push(await load(page, target, shown));
      bytes = Math.max(bytes, await received(page));
      await check(page, view, exact);
      again.push(await load(page, target, shown));
      if (view === 'timeline' && i === rounds - 1) await moved(page);
      await context.close();
    }
    tell(view, cold, `; again ${middle(again).toFixed(0)} ms; ${kilo(bytes)} received`);
  }
}

/** Frames while the timeline moves at each of them, as while a key is held down. */
async function moved(page) {
  const { gaps, views } = await page.evaluate(async (frames) => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const at = document.querySelector('[role="application"]');
    const seen = new Set();
    const list = [];
    for (let i = 0, before = await frame(); i < frames; ++i) {
      // In for a while, along, and out again: what is drawn and asked for changes with each.
      const key = i < frames / 4 ? 'w' : i < frames / 2 ? 'd' : i < (3 * frames) / 4 ? 'a' : 's';
      at.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
      const now = await frame();
      list.push(now - before);
      before = now;
      seen.add(document.querySelector('.bar .range').textContent);
    }
    return { gaps: list.sort((a, b) => a - b), views: seen.size };
  }, MOVED_FRAMES);
  if (views < MOVED_FRAMES / 4) wrong.push(`the timeline showed ${views} views, not one a key`);
  const at = (share) => gaps[Math.min(Math.ceil(share * gaps.length), gaps.length) - 1].toFixed(1);
  const late = gaps.filter((ms) => ms > 1.5 * FRAME_MS).length;
  console.log(
    `timeline moved   from frame to frame p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, ` +
      `${late} of ${gaps.length} late; at most ${FRAME_MS.toFixed(1)} ms`,
  );
}

function tell(what, times, more) {
  const [least, p50, most] = [Math.min(...times), middle(times), Math.max(...times)];
  console.log(
    `${what.padEnd(16)} shown after ${p50.toFixed(0)} ms (${least.toFixed(0)} to ${most.toFixed(0)}, ` +
      `the first ${times[0].toFixed(0)})${more}; at most ${SHOWN_MS} ms${p50 > SHOWN_MS ? ': MISSED' : ''}`,
  );
}

async function measureReport(browser, run, report) {
  const file = join(work, 'report.html');
  execFileSync(steptrace, ['report', run, '--html', file], { stdio: 'ignore' });
  const [{ shown, exact }] = pagesOf(report);
  const times = [];
  for (let i = 0; i < rounds; ++i) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
    times.push(await load(page, pathToFileURL(file).href, shown));
    await check(page, 'report.html', exact);
    await page.close();
  }
  tell('one-file report', times, '');
  const { report: empty } = weight;
  const data = statSync(file).size - (empty?.bytes ?? 0);
  console.log(
    `one-file report  ${kilo(statSync(file).size)}, ${kilo(packed(file))} gzip, ` +
      `of which ${kilo(data)} the run's data`,
  );
}

function tellWeights() {
  const { first, heaviest, all } = weight;
  const over = heaviest.bytes > SCRIPT_LIMIT;
  console.log(
    `script before a chart, gzip: ${kilo(first)} at first, ${kilo(heaviest.bytes)} with ${heaviest.key}; ` +
      `at most ${kilo(SCRIPT_LIMIT)}${over ? ': MISSED' : ''}; all pages, styles and fonts ${kilo(all)}`,
  );
  if (over) wrong.push('the pages weigh more than they may');
}

const run = args[0] === undefined ? recorded() : resolve(args[0]);
const server = spawn(steptrace, ['ui', run, '--port', '0'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  const [line] = await once(createInterface(server.stdout), 'line');
  const asJson = execFileSync(steptrace, ['report', run, '--json'], { maxBuffer: 2 ** 30 });
  const report = { ...JSON.parse(asJson), id: basename(run) };
  console.log(
    `${report.run.name || report.id}: ${report.steps.count} steps, ${rounds} rounds a page`,
  );
  await measure(browser, line.split(' ')[0], report);
  await measureReport(browser, run, report);
  tellWeights();
} finally {
  await browser.close();
  server.kill('SIGINT');
  rmSync(work, { recursive: true, force: true });
}
for (const problem of wrong) console.error(`WRONG: ${problem}`);
process.exitCode = wrong.length > 0 ? 1 : 0;
