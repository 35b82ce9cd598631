// SPDX-License-Identifier: Apache-2.0
// The benchmark of the pages runs, and finds on them what the report says.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { folder, python, root, steptrace } from './runs';

test('pages are measured and hold the report’s figures', () => {
  const told = execFileSync(
    'node',
    [join(root, 'ui/bench/pages.mjs'), join(folder, 'slow'), '--rounds', '1'],
    { env: { ...process.env, STEPTRACE: steptrace, PYTHON: python } },
  ).toString();
  for (const what of ['overview', 'steps', 'timeline', 'one-file report'])
    expect(told).toMatch(new RegExp(`^${what} +shown after \\d+ ms`, 'm'));
  expect(told).toMatch(/^timeline moved +from frame to frame p50 [\d.]+ ms/m);
  expect(told).toMatch(/^script before a chart, gzip: [\d.]+ KB/m);
});
