// SPDX-License-Identifier: Apache-2.0
// A run whose files are cut off: each view says what it cannot read, and none says that it was never recorded.
import { cpSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { accessible, open, test } from './pages';
import { folder } from './runs';

const NEVER =
  /was collected|was recorded|was seen|Not applicable|Nothing on the timeline|no metric/;

/** A copy of a run in which the files of some tables hold two thirds of their bytes. */
function cutOff(id: string, tables: readonly string[]) {
  const path = join(folder, id);
  rmSync(path, { recursive: true, force: true });
  cpSync(join(folder, 'slow'), path, { recursive: true });
  for (const table of tables)
    for (const file of readdirSync(join(path, 'tables', table), { recursive: true })) {
      const whole = join(path, 'tables', table, String(file));
      if (statSync(whole).isFile()) truncateSync(whole, Math.floor((statSync(whole).size * 2) / 3));
    }
}

test('of files that are cut off each view tells, in both themes', async ({ page }) => {
  cutOff('cut', readdirSync(join(folder, 'slow/tables')));
  const views = { steps: 'steps', data: 'run_metadata', system: 'counters', timeline: 'slices' };
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const [view, table] of Object.entries(views)) {
      await open(page, `/run/cut/${view}`);
      const note = page.getByRole('note').filter({ hasText: 'cannot be read' });
      await expect(note).toContainText(` of ${table}: tables/${table}/`);
      await expect(page.locator('main')).not.toContainText(NEVER);
      await accessible(page);
    }
    await open(page, '/run/cut/overview');
    // As it is called: no capital begins the name of a file.
    expect(await page.getByRole('region', { name: 'Evidence' }).innerText()).toMatch(/^tables/m);
    await expect(page.locator('main')).not.toContainText(NEVER);
  }
});

test('stacks are shown of a run whose loader cannot be read', async ({ page }) => {
  cutOff('cut', ['run_metadata', 'slices', 'steps']);
  await open(page, '/run/cut/data');
  await expect(page.getByRole('note').first()).toContainText('cannot be read');
  await expect(page.locator('main')).not.toContainText(NEVER);
  await expect(page.getByRole('region', { name: 'What the threads were doing' })).toBeVisible();
});

test('what is left is shown below what cannot be read', async ({ page }) => {
  cutOff('cut', ['counters']);
  await open(page, '/run/cut/system');
  await expect(page.getByRole('note')).toContainText(' of counters: tables/counters/');
  await open(page, '/run/cut/rules');
  await expect(page.getByRole('note').first()).toContainText(' of counters: tables/counters/');
  await expect(page.locator('[data-rule]')).not.toHaveCount(0);
  await open(page, '/run/cut/steps');
  await expect(page.getByText('cannot be read')).toHaveCount(0);
});
