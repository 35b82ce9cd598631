// SPDX-License-Identifier: Apache-2.0
// node bench/frames.mjs [--dpr 2]: milliseconds a frame of the timeline at 5 k to 141 k slices in view,
// in Debian's Chromium. Exit 1 where a slice in view was not drawn: a fast frame that is wrong counts for nothing.
import { chromium } from '@playwright/test';
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';

const dpr = Number(process.argv[process.argv.indexOf('--dpr') + 1] || 1) || 1;
/** 60 frames a second, for painting with all else that a frame has to do. */
const FRAME_MS = 1000 / 60;
const root = fileURLToPath(new URL('..', import.meta.url));
const server = await createServer({
  root,
  server: { port: 0, host: '127.0.0.1' },
  logLevel: 'error',
});
await server.listen();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
let wrong = false;
try {
  const page = await browser.newPage({
    viewport: { width: 1600, height: 900 },
    deviceScaleFactor: dpr,
  });
  await page.goto(`${server.resolvedUrls?.local[0]}bench/frames.html`);
  await page.waitForFunction(() => 'measure' in window, undefined, { timeout: 120_000 });
  for (const slices of [5_000, 50_000, 141_000]) {
    const result = await page.evaluate(([n, frames]) => window.measure(n, frames), [slices, 240]);
    wrong ||= result.drawn !== result.slices;
    const ms = (name) => result[name].toFixed(1).padStart(6);
    console.log(
      `${String(slices).padStart(7)} slices, dpr ${dpr}: paint p50 ${ms('paint_p50_ms')} ms, ` +
        `p99 ${ms('paint_p99_ms')} ms; from frame to frame p50 ${ms('frame_p50_ms')} ms, ` +
        `p99 ${ms('frame_p99_ms')} ms; at most ${FRAME_MS.toFixed(1)} ms to paint` +
        `${result.paint_p50_ms > FRAME_MS ? ': MISSED' : ''}` +
        `${result.drawn === slices ? '' : `; DREW ${result.drawn}`}`,
    );
  }
} finally {
  await browser.close();
  await server.close();
}
process.exitCode = wrong ? 1 : 0;
