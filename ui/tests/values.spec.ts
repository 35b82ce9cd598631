// SPDX-License-Identifier: Apache-2.0
// The values of the lists, of the devices', the job's and the comparison's views are those that the executable
// prints of the run, exactly; how they are summed up stands here once more, apart from the pages' own code.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Locator, type Page } from '@playwright/test';
import { percentOf } from '../src/base/format';
import { cellsOf, grouped, open, test } from './pages';
import { folder, reportOf, run } from './runs';

const ns = (value: number) => `${grouped(value)} ns`;
const share = (value: number) => `${percentOf(value)} %`;
const bytes = (value: number) => `${grouped(value)} bytes`;
const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
const some = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error('the run has one');
  return value;
};

const json = (...args: string[]) => JSON.parse(run([...args, '--json']).toString()) as unknown;
const section = <T>(id: string, name: string) =>
  json('report', join(folder, id), '--section', name) as Record<string, T>;

const part = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });
const exactIn = (of: Locator): Promise<string[]> =>
  of
    .locator('[data-exact]')
    .evaluateAll((nodes) => nodes.map((n) => (n as HTMLElement).dataset.exact ?? ''));
/** Rows of bars or shares: name, then what stands next to it. */
const listed = (of: Locator): Promise<string[][]> =>
  of
    .locator('li[data-what]')
    .evaluateAll((rows) =>
      rows.map((row) => [
        row.querySelector<HTMLElement>('[data-name]')?.title ?? '',
        ...[...row.querySelectorAll<HTMLElement>('[data-exact]')].map((n) => n.dataset.exact ?? ''),
      ]),
    );

test('list of runs', async ({ page }) => {
  const listing = json('ls', folder) as {
    id: string;
    status: string;
    command: string[];
    duration_ns: number;
    started_utc: string;
    bytes: number;
  }[];
  await page.setViewportSize({ width: 1600, height: 1400 });
  await open(page, '/runs');
  const grid = page.getByRole('grid', { name: 'Runs', exact: true });
  await expect(grid).toHaveAttribute('aria-rowcount', String(listing.length + 1));
  // Verdicts come as their reports are made.
  await expect(page.getByText('being analysed')).toHaveCount(0, { timeout: 180_000 });
  const rows = await cellsOf(grid);
  for (const id of ['slow', 'fast', 'idle', 'eight-ranks', 'hashing']) {
    const { run: info, run_card: card, steps, verdict } = reportOf(id);
    const row = some(rows.find((cells) => cells[0]?.startsWith(`${id}:`)));
    const kept = some(listing.find((r) => r.id === info.id));
    expect(row[1]).toBe(card.imported_as !== null ? 'imported' : kept.status.replace('_', ' '));
    const found = verdict.status === 'found';
    expect(row[2]).toBe(
      found ? verdict.headline : (verdict.reason?.id ?? verdict.status).replaceAll('_', ' '),
    );
    const gain = verdict.at_most_speedup;
    expect(row[3]).toBe(gain === null ? 'not known' : `${gain} times`);
    const started = kept.started_utc.replace(' ', 'T');
    expect(row[4]).toBe(started || 'not known');
    expect(row[5]).toBe(ns(kept.duration_ns));
    expect([row[8], row[9]]).toEqual(['not known', bytes(kept.bytes)]); // without a price
    expect([row[6], row[7]]).toEqual([grouped(steps.count), grouped(info.ranks)]);
  }
  const broken = some(rows.find((cells) => cells[0]?.startsWith('broken:')));
  expect(broken[1]).toBe('unreadable');
});

interface Device {
  rank: number;
  device: number;
  utilization: number;
  window: Record<string, number>;
  idle: Record<string, number>;
  copies: { kind: string; count: number; bytes: number; busy_ns: number; sum_ns: number }[];
  steps: { step: number; busy_ns: number; span_ns: number }[];
}
interface Kernel {
  rank: number;
  name: string;
  calls: number;
  total_ns: number;
  streams: { device: number; calls: number; total_ns: number }[];
}

for (const [id, chosen] of [
  ['eight-ranks', null],
  ['two-devices', null],
  ['two-devices', '0-0'],
  ['two-devices', '1-1'],
  ['v100', null],
] as const) {
  test(`devices of ${id}, ${chosen ?? 'all'}`, async ({ page }) => {
    test.skip(!existsSync(join(folder, id)), 'no real profiles here');
    const all = reportOf(id).devices.rows as unknown as Device[];
    const devices = all.filter((d) => chosen === null || `${d.rank}-${d.device}` === chosen);
    const windows = (name: string) => sum(devices.map((d) => d.window[name] ?? 0));
    await open(page, `/run/${id}/devices${chosen === null ? '' : `?device=${chosen}`}`);
    if (all.length > 1) {
      const rows = await cellsOf(page.getByRole('grid', { name: 'Devices' }));
      expect(rows.map((cells) => [cells[2], cells[3], cells[4]])).toEqual(
        all.map(({ window: w, utilization }) => [
          share(some(w.busy_ns) / some(w.span_ns)),
          share(utilization),
          ns(some(w.compute_ns)),
        ]),
      );
    }
    const active = await listed(part(page, 'GPU active time'));
    expect(active.map((row) => row[2])).toEqual(
      [windows('busy_ns'), windows('idle_ns')].filter((v) => v > 0).map(ns),
    );
    const idle = (name: string) => sum(devices.map((d) => d.idle[name] ?? 0));
    const activity = await listed(part(page, 'GPU activity'));
    expect(activity.map((row) => row[2])).toEqual(
      [
        ...['compute_ns', 'exposed_communication_ns', 'exposed_memory_ns'].map(windows),
        ...['host_ns', 'kernel_wait_ns', 'other_ns'].map(idle),
      ]
        .filter((v) => v > 0)
        .map(ns),
    );
    for (const kind of new Set(devices.flatMap((d) => d.copies.map((c) => c.kind)))) {
      const of = devices.flatMap((d) => d.copies.filter((c) => c.kind === kind));
      const row = await exactIn(page.locator(`[data-copy="${kind}"]`));
      const moved = sum(of.map((c) => c.bytes));
      expect(row.slice(0, 2)).toEqual([grouped(sum(of.map((c) => c.count))), bytes(moved)]);
      const busy = sum(of.map((c) => c.busy_ns));
      expect(row[2]).toBe(`${String((moved / busy) * 1e9)} bytes/s`);
    }
    await kernels(page, id, devices);
    const steps = sum(devices.map((d) => d.steps.length));
    const panel = part(page, 'Step time distribution');
    const alike = panel.getByText(
      `Step time, ${steps === 1 ? 'one value' : `all ${steps} values`}:`,
    );
    const spread = panel.getByRole('application', { name: `${steps} values` });
    await expect(spread.or(alike)).toBeVisible();
  });
}

/** Kernels of the devices alone, also where a rank has several. */
async function kernels(page: Page, id: string, devices: readonly Device[]) {
  const runs = section<{ rows: Kernel[] }>(id, 'kernels').kernels?.rows.flatMap((k) =>
    k.streams
      .filter((s) => devices.some((d) => d.rank === k.rank && d.device === s.device))
      .map(({ calls, total_ns }) => ({ name: k.name, calls, total_ns })),
  );
  const by = (of: 'calls' | 'total_ns') => {
    const sums = new Map<string, number>();
    for (const r of some(runs)) sums.set(r.name, (sums.get(r.name) ?? 0) + r[of]);
    return sums;
  };
  const [time, calls] = [by('total_ns'), by('calls')];
  const whole = sum([...time.values()]);
  const most = [...time].sort((a, b) => b[1] - a[1]).slice(0, 15);
  const rows = await listed(part(page, 'Top 15 kernels by time'));
  expect(rows.map((r) => r.slice(1))).toEqual(most.map(([, v]) => [ns(v), share(v / whole)]));
  const launched = await listed(part(page, 'Top 15 kernels by launches'));
  const highest = [...calls.values()].sort((a, b) => b - a).slice(0, 15);
  expect(launched.map((r) => r[1])).toEqual(highest.map(grouped));
}

test('utilisation of a profile is told by device, by node, and for all', async ({ page }) => {
  const devices = reportOf('two-devices').devices.rows as unknown as Device[];
  const util = (of: readonly Device[], step: number) => {
    const steps = of.flatMap((d) => d.steps.filter((s) => s.step === step));
    return share(sum(steps.map((s) => s.busy_ns / s.span_ns)) / steps.length);
  };
  const told = async (query: string) => {
    await open(page, `/run/two-devices/devices${query}`);
    const panel = part(page, 'GPU utilisation over time');
    const chart = panel.getByRole('application');
    await chart.focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await expect(panel.locator('.value .exact')).not.toHaveCount(0);
    return panel
      .locator('.value')
      .evaluateAll((nodes) => nodes.map((n) => n.querySelector('.exact')?.textContent));
  };
  expect(await told('')).toEqual(devices.map((d) => util([d], 2)));
  expect(await told('?device=0-1')).toEqual([
    util(
      devices.filter((d) => d.rank === 0 && d.device === 1),
      2,
    ),
  ]);
  expect(await told('?lines=node')).toEqual([util(devices, 2)]);
  await page.getByRole('radio', { name: 'Each device' }).click();
  await expect(page).toHaveURL(/lines=device/);
  await expect(
    page.getByRole('application', { name: /rank 0 · GPU 0, rank 0 · GPU 1, rank 1 · GPU 0/ }),
  ).toBeVisible();
});

interface Memory {
  devices: {
    rank: number;
    device: number;
    records: number;
    peak: { allocated_bytes: number };
    at_peak: { operator: string | null; bytes: number }[];
    operators: { name: string | null; calls: number; self_allocated_bytes: number }[];
    blocks: { bytes: number }[];
  }[];
}

test('memory', async ({ page }) => {
  const { memory } = section<Memory>('captured', 'memory');
  const device = some(memory?.devices[0]);
  await open(page, `/run/captured/memory?memory=${device.rank}:${device.device}`);
  const figures = await exactIn(part(page, 'Memory over time').locator('dl'));
  expect(figures[0]).toBe(bytes(device.peak.allocated_bytes));
  expect(figures).toContain(grouped(device.records));
  const largest = (of: readonly number[]) => [...of].sort((a, b) => b - a);
  const atPeak = (await listed(part(page, 'At the peak'))).slice(0, 12).map((row) => row[2]);
  expect(atPeak).toEqual(
    largest(device.at_peak.map((o) => o.bytes))
      .slice(0, 12)
      .map(bytes),
  );
  const operators = await cellsOf(page.getByRole('grid', { name: 'Memory by operator' }));
  const own = largest(device.operators.map((o) => o.self_allocated_bytes)).slice(0, 8);
  expect(operators.slice(0, 8).map((cells) => cells[3])).toEqual(own.map(bytes));
  const blocks = await cellsOf(page.getByRole('grid', { name: 'Largest allocations' }));
  expect(blocks.slice(0, 8).map((cells) => cells[1])).toEqual(
    largest(device.blocks.map((b) => b.bytes))
      .slice(0, 8)
      .map(bytes),
  );
});

interface Module {
  rank: number;
  name: string;
  occurrences: number | null;
  operators: number;
  host_total_ns: number;
  device_total_ns: number;
  backward: { host_total_ns: number } | null;
}

test('modules', async ({ page }) => {
  const found = some(section<{ rows: Module[] }>('captured', 'modules').modules).rows;
  const rank = Math.min(...found.map((m) => m.rank));
  const modules = found.filter((m) => m.rank === rank);
  expect(modules.length).toBeGreaterThan(0);
  await open(page, '/run/captured/modules');
  const grid = page.getByRole('grid', { name: 'Modules' });
  await expect(grid).toHaveAttribute('aria-rowcount', String(modules.length + 1));
  const rows = (await cellsOf(grid)).slice(0, 10);
  expect(rows.map((cells) => [cells[1], cells[2], cells[3], cells[4], cells[7]])).toEqual(
    modules
      .slice(0, 10)
      .map((m, i) => [
        String(i),
        m.occurrences === null ? 'not known' : grouped(m.occurrences),
        grouped(m.operators),
        ns(m.device_total_ns),
        ns(m.host_total_ns),
      ]),
  );
});

interface Distributed {
  wait_ns: number;
  collective_count: number;
  ranks: Record<string, number>[];
  blame: { rank: number; waiters: { rank: number; wait_ns: number }[] }[];
  collectives: { ts_ns: number; transfer_ns: number; wait_ns: number; late_by_ns: number }[];
  operations: { calls: number; total_ns: number; transfer_ns: number; wait_ns: number }[];
}

test('distributed', async ({ page }) => {
  const of = some(section<Distributed>('eight-ranks', 'distributed').distributed);
  await open(page, '/run/eight-ranks/distributed');
  const all = await exactIn(part(page, 'All ranks'));
  expect(all).toEqual([grouped(of.ranks.length), ns(of.wait_ns), grouped(of.collective_count)]);
  for (const rank of of.ranks) {
    const shown = await exactIn(page.locator(`tr[data-rank="${rank.rank}"]`));
    const columns = ['exposed_ns', 'wait_ns', 'caused_wait_ns'];
    expect(shown.slice(-3)).toEqual(columns.map((name) => ns(rank[name] ?? 0)));
  }
  const matrix = part(page, 'Who made whom wait');
  let cells = 0;
  for (const { rank: late, waiters } of of.blame) {
    for (const { rank, wait_ns } of waiters) {
      const cell = `rank ${rank} waited ${ns(wait_ns)} for rank ${late}`;
      await expect(matrix.locator(`[data-told="${cell}"]`)).toHaveAttribute('title', cell);
      cells += 1;
    }
  }
  expect(cells).toBeGreaterThan(8);
  const alike = await cellsOf(page.getByRole('grid', { name: 'Collectives that are alike' }));
  const sorted = [...of.operations].sort((a, b) => b.total_ns - a.total_ns);
  expect(alike.map((row) => row.slice(4, 8))).toEqual(
    sorted.map((o) => [grouped(o.calls), ns(o.total_ns), ns(o.transfer_ns), ns(o.wait_ns)]),
  );
  await page.getByRole('radio', { name: 'Individual', exact: true }).click();
  const each = page.getByRole('grid', { name: 'Collectives', exact: true });
  await expect(each).toHaveAttribute('aria-rowcount', String(of.collectives.length + 1));
  const first = [...of.collectives].sort((a, b) => b.wait_ns - a.wait_ns)[0];
  const row = some((await cellsOf(each))[0]);
  expect(row[1]).toBe(ns(some(first).ts_ns));
  expect([row[6], row[7], row[9]]).toEqual([
    ns(some(first).transfer_ns),
    ns(some(first).wait_ns),
    ns(some(first).late_by_ns),
  ]);
});

interface Rule {
  name: string;
  status: string;
  triggered: number;
  violations: number;
  datapoints: number;
  parameters: Record<string, unknown>;
  evidence: { text: string }[];
}

for (const mode of ['modern', 'compat']) {
  test(`rules, ${mode}`, async ({ page }) => {
    const { rules } = json('rules', join(folder, 'slow'), '--mode', mode) as { rules: Rule[] };
    await open(page, `/run/slow/rules?mode=${mode}`);
    await expect(page.locator('[data-rule]')).toHaveCount(rules.length);
    for (const rule of rules) {
      const card = page.locator(`[data-rule="${rule.name}"]`);
      if (rule.status === 'ok' || rule.status === 'issues_found') {
        // Rules that count no violations of single readings say none.
        const violations = rule.violations > 0 ? [rule.violations] : [];
        const counts = [rule.triggered, ...violations, rule.datapoints].map(grouped);
        expect(await exactIn(card.locator('.counts'))).toEqual(counts);
      }
      for (const [name, value] of Object.entries(rule.parameters))
        await expect(
          card.locator('input').and(card.getByLabel(new RegExp(`^${name}(,|$)`))),
        ).toHaveValue(String(value));
      for (const { text } of rule.evidence.slice(0, 8)) await expect(card).toContainText(text);
    }
  });
}

interface Side {
  ns: number;
  share: number;
  share_low: number;
  share_high: number;
}
interface Compared {
  kind: string;
  name: string;
  a: Side | null;
  b: Side | null;
  change_ns: number | null;
  change_low_ns: number | null;
  change_high_ns: number | null;
}

test('comparison', async ({ page }) => {
  const { rows } = json('report', join(folder, 'slow'), '--compare', join(folder, 'fast')) as {
    rows: Compared[];
  };
  await open(page, '/compare/slow/fast');
  const titles = { step: 'Step', suspect: 'Suspects', sub_stage: 'Stages', phase: 'Phases' };
  const signed = (value: number) => `${value > 0 ? '+' : ''}${ns(value)}`;
  let compared = 0;
  for (const [kind, title] of Object.entries(titles)) {
    const block = part(page, title);
    for (const row of rows.filter((r) => r.kind === kind)) {
      const sides = [row.a, row.b].filter((s) => s !== null);
      if (kind !== 'step' && sides.every((s) => s.share < 0.005)) continue;
      const within = (s: Side) =>
        s.share_low === s.share_high ? '' : ` (${share(s.share_low)} to ${share(s.share_high)})`;
      const { change_ns: change, change_low_ns: low, change_high_ns: high } = row;
      expect(await exactIn(block.locator(`[data-row="${row.name}"]`))).toEqual([
        ...sides.flatMap((s) => [ns(s.ns), share(s.share) + within(s)]),
        ...(change === null ? [] : [signed(change)]),
        ...(low === null || high === null ? [] : [`${signed(low)} to ${signed(high)}`]),
      ]);
      compared += 1;
    }
  }
  expect(compared).toBeGreaterThan(6);
  await expect(page.locator('.sentence')).toContainText(/faster per step|same time/);
});
