// SPDX-License-Identifier: Apache-2.0
// The pages in Debian's Chromium, on runs made for the tests, served by the executable under test.
// STEPTRACE: the executable (default: the package's). UI_SHOTS: folder for screenshots of every view.
import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: 'tests',
  globalSetup: './tests/setup.ts',
  globalTeardown: './tests/teardown.ts',
  outputDir: 'test-results',
  workers: Number(process.env.UI_WORKERS ?? 1),
  timeout: 240_000, // on a machine with other work a screenshot alone may take a minute
  expect: { timeout: 30_000 },
  reporter: [['list']],
  use: {
    viewport: { width: 1280, height: 720 },
    reducedMotion: 'reduce',
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: ['--no-sandbox'],
    },
  },
});
