// SPDX-License-Identifier: Apache-2.0
// A server that dies in the middle and comes back: pages say so, and go on.
import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { open, settled, test } from './pages';
import { folder, steptrace, work } from './runs';

const own = join(work, 'away');
let server: ChildProcess | undefined;
let port = 0;

const freePort = () =>
  new Promise<number>((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });

async function start(): Promise<void> {
  server = spawn(steptrace, ['ui', own, '--port', String(port)], { stdio: 'ignore' });
  const asked = () =>
    fetch(`http://127.0.0.1:${port}/api/server`).then(
      (answer) => answer.status,
      () => 0,
    );
  await expect.poll(asked).toBe(200);
}

test.beforeEach(async () => {
  rmSync(own, { recursive: true, force: true });
  mkdirSync(own, { recursive: true });
  cpSync(join(folder, 'slow'), join(own, 'slow'), { recursive: true });
  port = await freePort();
  await start();
});
test.afterEach(() => {
  server?.kill('SIGKILL');
});

const at = () => `http://127.0.0.1:${port}`;

test('a view that was not loaded yet can be tried again, where it was asked for', async ({
  page,
}) => {
  await open(page, '/run/slow/overview', at());
  server?.kill('SIGKILL');
  await page.getByRole('link', { name: 'Steps', exact: true }).click();
  const alert = page.getByRole('alert').first();
  await expect(alert).toContainText('is steptrace ui still running?');
  await expect(alert).not.toContainText('.css');
  await start();
  await alert.getByRole('button', { name: 'Try again' }).click();
  await settled(page);
  await expect(page).toHaveURL(/\/run\/slow\/steps/);
  await expect(page.getByRole('grid', { name: 'Steps', exact: true })).toBeVisible();
});

test('the list of runs says since when it is out of date, and catches up', async ({ page }) => {
  await open(page, '/runs', at());
  const grid = page.getByRole('grid', { name: 'Runs' });
  await expect(grid).toHaveAttribute('aria-rowcount', '2');
  server?.kill('SIGKILL');
  const chip = page.getByText(/^no connection since \d\d:\d\d:\d\d$/);
  await expect(chip).toBeVisible();
  cpSync(join(folder, 'fast'), join(own, 'fast'), { recursive: true }); // nobody tells of it
  await start();
  await expect(chip).toHaveCount(0);
  await expect(grid).toHaveAttribute('aria-rowcount', '3');
});
