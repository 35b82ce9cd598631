// SPDX-License-Identifier: Apache-2.0
// What a view that has nothing to show says to do, does it.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { open, test } from './pages';
import { captured, folder, run } from './runs';

for (const [view, own] of [
  ['Memory', 'memory'],
  ['Modules', 'stacks'],
  ['Operators', 'operators'],
] as const) {
  test(`${view}: how it is recorded is told, and so it is`, async ({ page }) => {
    // No training, so nothing of it was recorded.
    await open(page, '/run/idle/overview');
    const link = page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: view });
    const says = (await link.getAttribute('title')) ?? '';
    expect(says).toContain('steptrace capture RUN --capture');
    expect(says).toContain('steptrace run --window');
    const list = /steptrace run --window \d+:\d+ --capture (\S+)/.exec(says)?.[1] ?? '';
    expect(list).toBe(own);
    const path = join(folder, `captured-${list}`);
    rmSync(path, { recursive: true, force: true });
    captured(path, list);
    const name = view.toLowerCase();
    const report = JSON.parse(run(['report', path, '--json']).toString()) as Record<
      string,
      unknown
    >;
    expect(JSON.stringify(report[name])).toMatch(/"(peak|host_total_ns)"/);
    await open(page, `/run/captured-${list}/${name}`);
    await expect(page.getByRole('alert')).toHaveCount(0);
    const grid = page.getByRole('grid').first();
    expect(Number(await grid.getAttribute('aria-rowcount'))).toBeGreaterThan(1);
    rmSync(path, { recursive: true, force: true });
  });
}
