// SPDX-License-Identifier: Apache-2.0
// Figures that views make of sections of the report, against sums that are made of them here once more, apart from
// the pages' own code; and the timeline's, against the slices.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { title, words } from '../src/base/format';
import type { FigureSaid } from '../src/base/prose';
import {
  bytes,
  drawn,
  exactIn,
  grid,
  ns,
  part,
  rowsOf,
  section,
  share,
  some,
  stats,
  sum,
} from './exactly';
import { cellsOf, exact, grouped, open, test } from './pages';
import { folder, reportOf } from './runs';
import { timeline } from './stage';

const withData = (id: string) => test.skip(!existsSync(join(folder, id)), 'no real profiles here');
const by = <T>(rows: readonly T[], of: (row: T) => string) => {
  const groups = new Map<string, T[]>();
  for (const row of rows) groups.set(of(row), [...(groups.get(of(row)) ?? []), row]);
  return groups;
};

for (const id of ['eight-ranks', 'v100', 'captured']) {
  test(`overview of ${id}: its facts, what a step is made of, its phases`, async ({ page }) => {
    withData(id);
    const { run: about, steps, suspects, stages, phases, devices } = reportOf(id);
    await open(page, `/run/${id}/overview`);
    const d = some(steps.duration_ns);
    const facts = await stats(page.locator('.facts'));
    expect(facts).toMatchObject({
      'Run time': ns(about.duration_ns),
      Steps: grouped(steps.count),
      'Step, median': ns(d.p50),
      'Step, p95': ns(d.p95),
      Ranks: grouped(about.ranks),
    });
    expect(facts.Speed).toBe(`${some(steps.steps_per_s)} steps/s`);
    if (about.host_overhead_share !== null)
      expect(facts['Profiler overhead']).toBe(share(about.host_overhead_share));
    // The run names a kind of device once; there is one of it for each that the profile tells of.
    const [kind] = about.devices;
    if (kind !== undefined)
      expect(facts[devices.rows.length > 1 ? 'Devices' : 'Device']).toBe(
        devices.rows.length > 1 ? `${devices.rows.length} × ${kind}` : kind,
      );
    for (const suspect of suspects.rows.filter((s) => s.share > 0)) {
      const shown = await exact(page, `[data-suspect="${suspect.name}"]`);
      expect(shown[1]).toBe(ns(Math.round(suspect.share * d.mean)));
      const own = stages.rows.filter((s) => s.suspect === suspect.name && s.share >= 0.005);
      const shares = own.map((s) => share(s.share));
      expect(shares).toEqual(expect.arrayContaining(shown.slice(2)));
      // One that is nearly all of its suspect may have given it its name.
      expect(own.length - shown.slice(2).length).toBeLessThanOrEqual(1);
    }
    const { initialization_ns, training_ns, finalization_ns } = phases;
    const known = { initialization_ns, training_ns, finalization_ns };
    const whole = sum(Object.values(known).map((v) => v ?? 0));
    for (const [name, value] of Object.entries(known))
      if (value) {
        const shown = await exact(page, `[data-phase="${name.replace('_ns', '')}"]`);
        expect(shown).toEqual([ns(value), share(value / whole)]);
      }
  });
}

interface StepTotals {
  device_outside_ns: number;
  steps: number;
  steps_ns: number;
}
/** What lies in steps, as the tables show it: its share of them, and its mean a step. */
function stepFigures(totals: readonly StepTotals[]) {
  const steps = sum(totals.map((t) => t.steps));
  const whole = sum(totals.map((t) => t.steps_ns));
  return (inSteps: number) =>
    steps > 0 ? [share(inSteps / whole), ns(Math.round(inSteps / steps))] : [];
}
interface Times {
  calls: number;
  host_total_ns: number;
  host_self_ns: number;
  device_total_ns: number;
  device_self_ns: number;
  host_self_in_steps_ns: number;
  device_self_in_steps_ns: number;
  kernel_self_ns: number;
  tensor_core_self_ns: number;
}
interface Operator extends Times {
  rank: number;
  name: string;
  shapes: Times[];
  stacks: (Times & { call_stack: string[] })[];
}

for (const id of ['v100', 'captured']) {
  test(`operators of ${id}`, async ({ page }) => {
    withData(id);
    const of = section<Operator[]>(id, 'operators') as unknown as {
      operators: { rows: Operator[] };
      operator_totals: { rows: StepTotals[] };
    };
    const ofSteps = stepFigures(of.operator_totals.rows);
    const device = of.operators.rows.some((o) => o.device_total_ns > 0);
    await page.setViewportSize({ width: 1600, height: 1400 });
    await open(page, `/run/${id}/operators`);
    const all = (name: keyof Times) => sum(of.operators.rows.map((o) => o[name]));
    const told = await stats(part(page, 'Operators'));
    expect(told).toMatchObject({
      Calls: grouped(all('calls')),
      'Host, own times': ns(all('host_self_ns')),
    });
    if (device) {
      expect(told['Device, own times']).toBe(ns(all('device_self_ns')));
      const outside = sum(of.operator_totals.rows.map((t) => t.device_outside_ns));
      expect(told['Device work outside of operators']).toBe(ns(outside));
    }
    const figures = (rows: readonly Times[]) => {
      const total = (name: keyof Times) => sum(rows.map((r) => r[name]));
      const kernels = total('kernel_self_ns');
      const cores = kernels > 0 ? [share(total('tensor_core_self_ns') / kernels)] : [];
      const onDevice = device
        ? [ns(total('device_self_ns')), ns(total('device_total_ns')), ...cores]
        : [];
      const own = device ? 'device_self_ns' : 'host_self_ns';
      return [
        grouped(total('calls')),
        ...onDevice,
        share(total(own) / all(own)),
        ...ofSteps(total(device ? 'device_self_in_steps_ns' : 'host_self_in_steps_ns')),
        ns(total('host_self_ns')),
        ns(total('host_total_ns')),
        ns(Math.round(total('host_total_ns') / total('calls'))),
      ];
    };
    const named = by(of.operators.rows, (o) => o.name);
    const rows = await cellsOf(grid(page, 'Operators'));
    expect(rows.length).toBeGreaterThan(3);
    for (const [name = '', ...cells] of rows)
      expect(
        cells.filter((c) => !/^(could use them|no kernels)$/.test(c)),
        name,
      ).toEqual(figures(some(named.get(name))));
    await expect(grid(page, 'Operators')).toHaveAttribute('aria-rowcount', String(named.size + 1));
    const own = rows.map((cells) =>
      Number(cells[device ? 2 : 3 + ofSteps(0).length]?.replace(/[^\d]/g, '')),
    );
    expect(own).toEqual([...own].sort((a, b) => b - a));
    // What is told of shapes and callers sums to the same.
    for (const group of ['Name and shapes', 'Name and caller']) {
      const radio = page.getByRole('radio', { name: group });
      if ((await radio.count()) === 0) continue; // there are none
      await radio.click();
      const again = await stats(part(page, 'Operators'));
      expect(again.Calls).toBe(told.Calls);
      expect(again['Host, own times']).toBe(told['Host, own times']);
    }
  });
}

interface Kernel {
  name: string;
  calls: number;
  total_ns: number;
  in_steps_ns: number;
  max_ns: number;
  tensor_cores: boolean;
  blocks_per_sm: number | null;
  occupancy_percent: number | null;
}

for (const id of ['v100', 'eight-ranks']) {
  test(`kernels of ${id}`, async ({ page }) => {
    withData(id);
    const sections = section<{ rows: Kernel[] }>(id, 'kernels') as unknown as {
      kernels: { rows: Kernel[] };
      operator_totals: { rows: StepTotals[] };
    };
    const kernels = some(sections.kernels).rows;
    const ofSteps = stepFigures(sections.operator_totals.rows);
    await page.setViewportSize({ width: 1600, height: 1400 });
    await open(page, `/run/${id}/kernels`);
    const whole = sum(kernels.map((k) => k.total_ns));
    const onTensor = sum(kernels.filter((k) => k.tensor_cores).map((k) => k.total_ns));
    expect(await stats(part(page, 'Kernels'))).toEqual({
      Launches: grouped(sum(kernels.map((k) => k.calls))),
      'Time, all together': ns(whole),
      'On tensor cores': share(onTensor / whole),
    });
    const named = by(kernels, (k) => k.name);
    for (const [name = '', ...cells] of await cellsOf(grid(page, 'Kernels'))) {
      const own = some(named.get(name));
      const [calls, total] = [sum(own.map((k) => k.calls)), sum(own.map((k) => k.total_ns))];
      const mean = ns(Math.round(total / calls));
      const max = ns(Math.max(...own.map((k) => k.max_ns)));
      const tc = own[0]?.tensor_cores ? 'yes' : 'no';
      const inSteps = ofSteps(sum(own.map((k) => k.in_steps_ns)));
      const first = 6 + inSteps.length;
      expect(cells.slice(0, first), name).toEqual([
        grouped(calls),
        ns(total),
        share(total / whole),
        ...inSteps,
        mean,
        max,
        tc,
      ]);
      for (const [i, of] of (['blocks_per_sm', 'occupancy_percent'] as const).entries()) {
        const known = own.filter((k) => k[of] !== null);
        if (known.length === 0) expect(cells[first + i]).toBe('unknown');
        else {
          const weighed = sum(known.map((k) => (k[of] ?? 0) * k.total_ns));
          expect(parseFloat(cells[first + i] ?? '')).toBeCloseTo(
            weighed / sum(known.map((k) => k.total_ns)),
            9,
          );
        }
      }
    }
  });
}

interface Device {
  window: Record<string, number>;
  utilization: number;
  est_sm_efficiency: number | null;
  est_achieved_occupancy: number | null;
  tensor_cores: { share: number } | null;
  precisions: { precision: string | null; ns: number }[];
  copies: { kind: string; sum_ns: number; small_count: number }[];
  steps: { span_ns: number }[];
}

for (const id of ['v100', 'eight-ranks']) {
  test(`devices of ${id}: what they are used for`, async ({ page }) => {
    withData(id);
    const devices = reportOf(id).devices.rows as unknown as Device[];
    await open(page, `/run/${id}/devices`);
    const mean = (of: (d: Device) => number | null | undefined) => {
      const known = devices.map(of).filter((v) => v != null);
      return known.length > 0 ? share(sum(known) / known.length) : 'not known';
    };
    expect(await stats(part(page, 'GPU active time'))).toEqual({
      'Utilisation in steps': mean((d) => d.utilization),
      'SM efficiency, est.': mean((d) => d.est_sm_efficiency),
      'Occupancy, est.': mean((d) => d.est_achieved_occupancy),
      'Tensor cores': mean((d) => d.tensor_cores?.share),
    });
    if (devices.length > 1)
      expect((await cellsOf(grid(page, 'Devices'))).map((cells) => cells.slice(5))).toEqual(
        devices.map((d) => [
          ns(some(d.window.exposed_communication_ns)),
          ns(some(d.window.idle_ns)),
          d.est_sm_efficiency === null ? 'not known' : share(d.est_sm_efficiency),
        ]),
      );
    const told = by(
      devices.flatMap((d) => d.precisions),
      (p) => p.precision ?? 'unknown',
    );
    const sums = [...told.values()].map((of) => sum(of.map((p) => p.ns))).sort((a, b) => b - a);
    const precisions = await exactIn(part(page, 'Kernel precision').locator('li'));
    expect(precisions.filter((_, i) => i % 2 === 1)).toEqual(sums.filter((v) => v > 0).map(ns));
    for (const [kind, of] of by(
      devices.flatMap((d) => d.copies),
      (c) => c.kind,
    )) {
      const cells = await exactIn(page.locator(`[data-copy="${kind}"]`));
      expect(cells[3], kind).toBe(grouped(sum(of.map((c) => c.small_count))));
    }
    const sections = section<{ rows: Kernel[] }>(id, 'kernels') as unknown as {
      kernels: { rows: Kernel[] };
      operator_totals: { rows: StepTotals[] };
    };
    const kernels = some(sections.kernels).rows;
    const panel = part(page, 'Top 15 kernels by launches');
    const listed = await exactIn(panel.locator('li'));
    const launches = [...by(kernels, (k) => k.name).values()].map((of) =>
      sum(of.map((k) => k.calls)),
    );
    const most = launches.sort((a, b) => b - a);
    expect(listed.filter((_, i) => i % 2 === 0)).toEqual(most.slice(0, 15).map(grouped));
    const rest = await exactIn(panel.locator('.rest'));
    expect(rest[0]).toBe(most.length > 15 ? grouped(sum(most.slice(15))) : undefined);
  });
}

interface Module {
  rank: number;
  name: string;
  occurrences: number | null;
  host_total_ns: number;
  device_total_ns: number;
  device_self_ns: number;
  backward: { host_total_ns: number; device_total_ns: number } | null;
}

for (const id of ['captured', 'v100']) {
  test(`modules of ${id}, backward too`, async ({ page }) => {
    withData(id);
    const modules = some(section<{ rows: Module[] }>(id, 'modules').modules).rows;
    await open(page, `/run/${id}/modules`);
    const rows = await cellsOf(grid(page, 'Modules'));
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.map((cells) => cells.slice(4))).toEqual(
      modules
        .slice(0, rows.length)
        .map((m) => [
          ns(m.device_total_ns),
          m.backward ? ns(m.backward.device_total_ns) : 'not known',
          ns(m.device_self_ns),
          ns(m.host_total_ns),
          m.backward ? ns(m.backward.host_total_ns) : 'not known',
        ]),
    );
  });
}

interface Memory {
  rank: number;
  device: number;
  records: number;
  peak: {
    ts_ns: number;
    allocated_bytes: number;
    reserved_bytes: number;
    peak_reserved_bytes: number;
  };
  blocks_unreleased: number;
  bytes_unreleased: number;
  blocks_reused: number;
  operators: {
    name: string | null;
    calls: number;
    self_allocations: number;
    self_allocated_bytes: number;
    allocated_bytes: number;
    self_size_increase_bytes: number;
  }[];
  blocks: {
    bytes: number;
    allocated_ns: number | null;
    released_ns: number | null;
    released_by_ns: number | null;
    duration_ns: number | null;
  }[];
  curve: { ts_ns: number; allocated_bytes: number }[];
  leaks: { steps: { step: number; held_bytes: number; allocated_bytes: number }[] };
}

test('memory: what is reserved is told of a device, and not of a host, which reserves nothing', async ({
  page,
}) => {
  const runs = [
    ['eight-ranks', true],
    ['captured', false],
  ] as const;
  for (const [run, reserves] of runs) {
    const of = some(section<{ devices: Memory[] }>(run, 'memory').memory?.devices[0]);
    const { reserved_bytes: at, peak_reserved_bytes: most } = of.peak;
    expect(most > 0).toBe(reserves);
    await open(page, `/run/${run}/memory?memory=${of.rank}:${of.device}`);
    const told = await stats(part(page, 'Memory over time'));
    expect([told['Reserved at the peak'], told['Most reserved']]).toEqual(
      reserves ? [bytes(at), bytes(most)] : [undefined, undefined],
    );
  }
});

test('memory: curve, growth, operators and allocations', async ({ page }) => {
  const { memory } = section<{ devices: Memory[] }>('captured', 'memory');
  const of = some(memory?.devices[0]);
  await page.setViewportSize({ width: 1600, height: 1400 });
  await open(page, `/run/captured/memory?memory=${of.rank}:${of.device}`);
  expect(await stats(part(page, 'Memory over time'))).toMatchObject({
    Records: grouped(of.records),
    'Not released': bytes(of.bytes_unreleased),
  });
  const curve = await drawn(page, 'Memory');
  expect(curve['allocated (bytes)']).toEqual(of.curve.map((p) => p.allocated_bytes));
  expect(await drawn(page, 'Held at the end of each step')).toEqual({
    step: of.leaks.steps.map((s) => s.step),
    'held at the end (bytes)': of.leaks.steps.map((s) => s.held_bytes),
    'allocated in the step (bytes)': of.leaks.steps.map((s) => s.allocated_bytes),
  });
  const operators = by(of.operators, (o) => o.name ?? '(in no operator)');
  for (const [name = '', ...cells] of await cellsOf(grid(page, 'Memory by operator'))) {
    const o = some(operators.get(name)?.[0]);
    const sizes = [o.self_allocated_bytes, o.allocated_bytes, o.self_size_increase_bytes].map(
      bytes,
    );
    expect(cells, name).toEqual([grouped(o.calls), grouped(o.self_allocations), ...sizes]);
  }
  const at = (value: number | null, none: string) => (value === null ? none : ns(value));
  const blocks = of.blocks.map((b) =>
    [
      bytes(b.bytes),
      at(b.allocated_ns, 'before'),
      (b.released_ns === null && b.released_by_ns !== null ? 'by ' : '') +
        at(b.released_by_ns, 'not in the profile'),
      at(b.duration_ns, 'not known'),
    ].join(),
  );
  for (const cells of await cellsOf(grid(page, 'Largest allocations')))
    expect(blocks).toContain(cells.slice(1).join());
});

interface Distributed {
  blame: {
    rank: number;
    caused_wait_ns: number;
    share: number;
    collectives: number;
    before_step_ns: number;
    in_step_ns: number;
    parts: { cause: string; when: string; ns: number }[];
  }[];
  steps: { rank: number; step: number; wait_ns: number }[];
  operations: {
    bytes: number;
    unmatched_ns: number;
    algorithm_bytes_per_s: number;
    bus_bytes_per_s: number;
    total_ns: number;
  }[];
}

test('distributed: why a rank came late, waiting by step, rates', async ({ page }) => {
  const of = some(section<Distributed>('eight-ranks', 'distributed').distributed);
  const late = some(of.blame[1]);
  await open(page, `/run/eight-ranks/distributed?late=${late.rank}`);
  const why = part(page, `Why rank ${late.rank} came late`);
  expect(await stats(why)).toEqual({
    'Others waited': ns(late.caused_wait_ns),
    'Of all waiting': share(late.share),
    'Came last in': grouped(late.collectives),
    'Before the step': ns(late.before_step_ns),
    'In the step': ns(late.in_step_ns),
  });
  const parts = [...late.parts].sort((a, b) => b.ns - a.ns);
  const rows = await cellsOf(grid(page, 'Parts of the wait'));
  expect(rows.map((cells) => [cells[0], cells[1], cells[3]])).toEqual(
    parts.slice(0, rows.length).map((p) => [words(p.cause), words(p.when), ns(p.ns)]),
  );
  const causes = [...by(late.parts, (p) => p.cause)].map(([cause, own]) => [
    title(cause),
    sum(own.map((p) => p.ns)),
  ]);
  const shown = await why
    .locator('li[data-what]')
    .evaluateAll((all) =>
      all.map((li) => [
        li.querySelector('[data-name]')?.textContent.trim(),
        Number(
          [...li.querySelectorAll<HTMLElement>('[data-exact]')]
            .at(-1)
            ?.dataset.exact?.replace(/\D/g, ''),
        ),
      ]),
    );
  expect(shown).toEqual(causes.sort((a, b) => Number(b[1]) - Number(a[1])));
  const waits = await drawn(page, 'Waiting by step');
  for (const [name, values] of Object.entries(waits).slice(1)) {
    const own = of.steps.filter((s) => `rank ${s.rank} (ns)` === name);
    expect(values).toEqual(
      waits.step?.map((n) => sum(own.filter((s) => s.step === n).map((s) => s.wait_ns))),
    );
  }
  const alike = await cellsOf(grid(page, 'Collectives that are alike'));
  const sorted = [...of.operations].sort((a, b) => b.total_ns - a.total_ns);
  expect(alike.map((cells) => [cells[3], ...cells.slice(8)])).toEqual(
    sorted.map((o) => [
      bytes(o.bytes),
      ns(o.unmatched_ns),
      `${o.algorithm_bytes_per_s} bytes/s`,
      `${o.bus_bytes_per_s} bytes/s`,
    ]),
  );
});

test('recommendations of a profile, and both sides of a comparison', async ({ page }) => {
  for (const [side, id] of [
    ['Run A', 'slow'],
    ['Run B', 'fast'],
  ] as const) {
    const { steps, run: about } = reportOf(id);
    if (side === 'Run A') await open(page, '/compare/slow/fast');
    expect(await stats(page.getByRole('region', { name: side, exact: true }))).toMatchObject({
      'Step, median': ns(some(steps.duration_ns).p50),
      Steps: grouped(steps.count),
      'Run time': ns(about.duration_ns),
    });
  }
  withData('v100');
  const found = reportOf('v100').recommendations.rows.filter((r) => r.status !== 'not_applicable');
  await open(page, '/run/v100/rules');
  await expect(page.locator('[data-recommendation]')).toHaveCount(found.length);
  const figure = ({ value, unit }: FigureSaid) =>
    unit === 'share' ? share(value ?? 0) : unit === 'ns' ? ns(value ?? 0) : grouped(value ?? 0);
  for (const r of found) {
    const time = r.at_most_ns === null ? 'not known' : ns(r.at_most_ns);
    const gain = r.at_most_share === null ? [] : [share(r.at_most_share), time];
    const said = [r, ...r.evidence].flatMap((sentence) => sentence.figures ?? []);
    const shown = await exactIn(page.locator(`[data-recommendation="${r.name}"]`));
    expect(shown).toEqual([...gain, ...said.map(figure)]);
  }
});

interface Slice {
  ts_ns: number;
  dur_ns: number;
  track: number;
  name: string;
  category: string;
}

test('the timeline: statistics, matches and a selection are those of the slices', async ({
  page,
}) => {
  const slices = rowsOf<Slice>('eight-ranks', 'slices');
  await timeline(page, '?tab=stretch&find=sgemm');
  const named = by(slices, (s) => `${s.name}\n${s.category}`);
  const table = grid(page, 'Statistics of the time range by name');
  await expect(table).toHaveAttribute('aria-rowcount', String(named.size + 1));
  for (const [name, category, ...cells] of await cellsOf(table)) {
    const own = some(named.get(`${name}\n${category}`)).map((s) => s.dur_ns);
    const [mean, least, most] = [sum(own) / own.length, Math.min(...own), Math.max(...own)];
    expect([cells[0], cells[1], ...cells.slice(3)], name).toEqual([
      grouped(own.length),
      ns(sum(own)),
      ...[Math.round(mean), least, most].map(ns),
    ]);
  }
  const matches = slices.filter((s) => s.name.includes('sgemm'));
  await page.getByRole('tab', { name: 'Matches' }).click();
  await expect(page.locator('.search .count')).toHaveText(String(matches.length));
  const first = some((await cellsOf(grid(page, 'Slices that match the search')))[0]);
  const [match] = matches.sort((a, b) => a.ts_ns - b.ts_ns);
  expect([first[0], first[2], first[3]]).toEqual([
    match?.name,
    ns(some(match).ts_ns),
    ns(some(match).dur_ns),
  ]);
  await page.getByRole('searchbox', { name: 'Search slices by name' }).press('Enter');
  await page.getByRole('tab', { name: 'Selection' }).click();
  const facts = page.locator('.selection .facts');
  await expect(facts).toContainText(ns(some(match).dur_ns));
  await expect(facts).toContainText(ns(some(match).ts_ns));
});
