// SPDX-License-Identifier: Apache-2.0
// The pages in Debian's Chromium, on runs made for the tests, served by the executable under test.
// STEPTRACE: the executable (default: the package's). UI_SHOTS: folder for screenshots of every view.
import { execFileSync } from 'node:child_process';
import { defineConfig } from '@playwright/test';

/** Titles of the tests that fail by chance and have a second try; none: no such project. */
const flaky = execFileSync('python3', ['../tools/flaky_tests.py', 'pages'], { encoding: 'utf8' });
const listed = flaky ? new RegExp(flaky.trim().replaceAll(/(?<!\\)[$^]/g, '')) : null;

export default defineConfig({
  testDir: 'tests',
  testMatch: '*.spec.ts',
  globalSetup: './tests/setup.ts',
  globalTeardown: './tests/teardown.ts',
  outputDir: 'test-results',
  workers: Number(process.env.UI_WORKERS ?? 1),
  timeout: 240_000, // on a machine with other work a screenshot alone may take a minute
  expect: { timeout: 30_000 },
  reporter: [['list']],
  projects: listed
    ? [
        { name: 'pages', grepInvert: listed },
        { name: 'flaky', grep: listed, retries: 1 },
      ]
    : [{ name: 'pages' }],
  use: {
    viewport: { width: 1280, height: 720 },
    reducedMotion: 'reduce',
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: ['--no-sandbox'],
    },
  },
});
