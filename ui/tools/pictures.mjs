// SPDX-License-Identifier: Apache-2.0
// The README's pictures: views of a run, light theme, as WebP.
//   node ui/tools/pictures.mjs RUN [FOLDER [VIEW=NAME...]]     FOLDER: docs; STEPTRACE: the executable
// Without views the overview and the timeline (of the demo's slow run). docs/gpu.webp is devices=gpu of an imported
// profile of a GPU, docs/ranks.webp distributed=ranks of the profiles of several ranks.
// Stops where a picture is larger than a page of text may carry.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const [run, folder = join(root, 'docs'), ...chosen] = process.argv.slice(2);
if (!run) {
  console.error('pictures: which run? node ui/tools/pictures.mjs RUN [FOLDER [VIEW=NAME...]]');
  process.exit(2);
}
const MAX_BYTES = 150_000;
const QUALITY = 82;
const CHOSEN_HEIGHT = 900;
const VIEWS =
  chosen.length > 0
    ? chosen.map((one) => {
        const [view, name] = one.split('=');
        return { view, name: name ?? view, height: CHOSEN_HEIGHT };
      })
    : [
        { view: 'overview', name: 'overview', height: 860 },
        { view: 'timeline', name: 'timeline', height: 720, query: () => around },
      ];

const steptrace = process.env.STEPTRACE ?? join(root, '.venv/bin/steptrace');
const server = spawn(steptrace, ['ui', run, '--port', '0'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [line] = await once(createInterface({ input: server.stdout }), 'line');
const address = String(line).split(' ')[0].replace(/\/$/, '');
const { run: id } = await (await fetch(`${address}/api/server`)).json();

// Of the timeline some steps in the middle of the run: of the whole, a picture shows only stripes.
const STEPS_IN_PICTURE = 6;
const report = await (await fetch(`${address}/api/runs/${encodeURIComponent(id)}/report`)).json();
const half = Math.round(((report.steps.duration_ns?.p50 ?? 1e9) * STEPS_IN_PICTURE) / 2);
const middle = Math.round(report.run.duration_ns / 2);
const around = `?view=${middle - half}-${middle + half}`;

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
let status = 0;
try {
  for (const { view, name, height, query = () => '' } of VIEWS) {
    const page = await browser.newPage({
      viewport: { width: 1280, height },
      colorScheme: 'light',
      reducedMotion: 'reduce',
    });
    await page.goto(`${address}/#/run/${encodeURIComponent(id)}/${view}${query()}`);
    await page.locator('main :is(h2, canvas)').first().waitFor({ state: 'attached' });
    await page.waitForFunction(() => document.querySelector('main .loading') === null);
    await page.waitForLoadState('networkidle').catch(() => undefined); // events stay open
    await page.waitForTimeout(1500);
    const devtools = await page.context().newCDPSession(page);
    const shot = { format: 'webp', quality: QUALITY };
    const { data } = await devtools.send('Page.captureScreenshot', shot);
    const bytes = Buffer.from(data, 'base64');
    const path = join(folder, `${name}.webp`);
    if (bytes.length > MAX_BYTES) {
      console.error(`pictures: ${path}: ${bytes.length} bytes; lower QUALITY in this script`);
      status = 1;
    } else {
      writeFileSync(path, bytes);
      console.log(`${path} ${bytes.length} bytes`);
    }
    await page.close();
  }
} finally {
  await browser.close();
  server.kill('SIGINT');
}
process.exit(status);
