// SPDX-License-Identifier: Apache-2.0
// Figures that views make of the run's tables, against sums that are made of them here once more, apart from the
// pages' own code.
import { expect } from '@playwright/test';
import { percentOf, title, words } from '../src/base/format';
import {
  bytes,
  cores,
  drawn,
  exactIn,
  grid,
  ns,
  part,
  rowsOf,
  share,
  some,
  stats,
  sum,
} from './exactly';
import { address, cellsOf, grouped, open, test } from './pages';
import { reportOf } from './runs';

type Step = Record<string, number> & { kind: string };
// Columns of the table: `other` is other work and unattributed time together.
const SUSPECTS = ['data_pipeline', 'model', 'communication', 'framework_overhead', 'other'];

test.describe('rows of steps', () => {
  for (const id of ['slow', 'eight-ranks']) {
    test(id, async ({ page }) => {
      const { steps: told } = reportOf(id);
      await open(page, `/run/${id}/steps?steps.sort=-dur`);
      expect((await stats(page.locator('main'))).Speed).toBe(`${some(told.steps_per_s)} steps/s`);
      const steps = rowsOf<Step>(id, 'steps');
      const longest = [...steps].sort((a, b) => some(b.dur_ns) - some(a.dur_ns));
      const rows = (await cellsOf(grid(page, 'Steps'))).slice(0, 8);
      const cause = (s: Step) =>
        SUSPECTS.reduce((most, c) => (some(s[`${c}_ns`]) > some(s[`${most}_ns`]) ? c : most));
      expect(rows.map((cells) => cells.slice(4))).toEqual(
        longest
          .slice(0, 8)
          .map((s) => [
            ns(some(s.dur_ns)),
            words(cause(s)),
            share(some(s[`${cause(s)}_ns`]) / some(s.dur_ns)),
          ]),
      );
      for (const cells of rows) {
        const step = some(
          steps.find((s) => String(s.step) === cells[0] && String(s.rank) === cells[1]),
        );
        expect(cells.slice(2, 5)).toEqual([step.kind, ns(some(step.ts_ns)), ns(some(step.dur_ns))]);
      }
      if (told.outliers.length > 0)
        expect((await cellsOf(grid(page, 'Slow steps'))).slice(0, 6)).toEqual(
          [...told.outliers]
            .sort((a, b) => b.dur_ns - a.dur_ns)
            .slice(0, 6)
            .map((o) => [
              ...[grouped(o.step), String(o.rank), ns(o.ts_ns), ns(o.dur_ns), words(o.cause)],
              ns(o.excess_ns),
              'timeline',
            ]),
        );
      // Each step is in one bucket of the drawing, and each of its nanoseconds in one layer.
      const layers = await drawn(page, 'Causes over the run');
      const at = Object.keys(layers).slice(1);
      const taking = SUSPECTS.filter((c) => sum(steps.map((s) => some(s[`${c}_ns`]))) > 0);
      const inTime = [...steps].sort((a, b) => some(a.ts_ns) - some(b.ts_ns));
      const size = Math.max(1, Math.ceil(inTime.length / 160));
      const ofSteps = size === 1 ? 'duration (ns)' : 'longest (ns)';
      expect(at.sort()).toEqual([...taking.map((s) => `${title(s)} (share)`), ofSteps].sort());
      const middles = some(layers['time since the run began (ns)']);
      if (id === 'slow')
        for (const name of taking)
          for (const i of middles.keys()) {
            const own = inTime.slice(i * size, (i + 1) * size);
            const whole = sum(own.map((s) => some(s.dur_ns)));
            const part = sum(own.map((s) => some(s[`${name}_ns`])));
            expect(layers[`${title(name)} (share)`]?.[i]).toBeCloseTo(part / whole, 9);
            expect(layers[ofSteps]?.[i]).toBe(Math.max(...own.map((s) => some(s.dur_ns))));
          }
    });
  }
});

interface Stage {
  name: string;
  share: number;
  share_low: number | null;
  share_high: number | null;
  functions?: { function: string; share: number }[];
}

test('data pipeline: stages, workers, the queue', async ({ page }) => {
  const { data_pipeline: data, suspects, steps: told } = reportOf('slow');
  const mean = some(told.duration_ns).mean;
  const of = some(suspects.rows.find((s) => s.name === 'data_pipeline')).share;
  await open(page, '/run/slow/data');
  expect(await stats(page.locator('main'))).toEqual({
    'Of the step': share(of),
    'Time a step': ns(Math.round(of * mean)),
    Workers: String(data.workers),
    'Waits for a batch': grouped(data.waits),
    'Next batch not ready': grouped(data.starved_waits),
  });
  for (const stage of (data.stages as Stage[]).filter((s) => s.share > 0)) {
    const shown = await exactIn(page.locator(`[data-stage="${stage.name}"]`));
    const step = ns(Math.round(stage.share * mean));
    expect([shown[0], shown.at(-1)]).toEqual([share(stage.share), step]);
    if (shown.length > 2)
      expect(shown[1]).toBe(`${share(some(stage.share_low))} to ${share(some(stage.share_high))}`);
    for (const { function: name, share: part } of (stage.functions ?? []).slice(0, 1))
      expect(await exactIn(page.locator(`[data-function="${name}"]`).first())).toContain(
        share(part),
      );
  }
  interface Slice {
    track: number;
    ts_ns: number;
    dur_ns: number;
    name: string;
    args: string;
  }
  const slices = rowsOf<Slice>('slow', 'slices', "category = 'worker'");
  const workers = [...new Set(slices.filter((s) => s.name === 'fetch').map((s) => s.track))]
    .map((track) => slices.filter((s) => s.track === track))
    .map((own) => {
      const from = Math.min(...own.map((s) => s.ts_ns));
      const life = Math.max(...own.map((s) => s.ts_ns + s.dur_ns)) - from;
      const fetches = own.filter((s) => s.name === 'fetch');
      const spent = (name: string) => sum(own.filter((s) => s.name === name).map((s) => s.dur_ns));
      const args = fetches.map(
        (s) => JSON.parse(s.args) as { cpu_ns: number; run_queue_ns: number },
      );
      const starved = sum(args.map((a) => a.run_queue_ns));
      const blocked = spent('fetch') - sum(args.map((a) => a.cpu_ns)) - starved;
      return [
        ...[ns(from), ns(life), grouped(fetches.length), ns(spent('fetch') - spent('collate'))],
        ...[ns(spent('collate')), ns(life - spent('fetch') - spent('put')), ns(starved)],
        ns(Math.max(0, blocked)),
      ];
    });
  expect(workers.length).toBe(data.workers);
  const shown = (await cellsOf(grid(page, 'Workers'))).map((cells) => cells.slice(2));
  expect(shown.sort()).toEqual(workers.sort());
  const steps = rowsOf<Step & { min_queue_depth: number | null }>('slow', 'steps')
    .filter((s) => s.min_queue_depth !== null)
    .sort((a, b) => some(a.ts_ns) - some(b.ts_ns));
  expect(await drawn(page, 'Queue depth')).toEqual({
    'time since the run began (ns)': steps.map((s) => s.ts_ns),
    'ready (batches)': steps.map((s) => s.min_queue_depth),
  });
});

interface Counter {
  ts_ns: number;
  track: number;
  value: number;
}
interface Track {
  track: number;
  parent: number | null;
  kind: string;
  device: number | null;
  pid: number | null;
  name: string;
}

test('system: statistics, readings over time, processes and profiler overhead', async ({
  page,
}) => {
  const { system, run: about } = reportOf('slow');
  await page.setViewportSize({ width: 1600, height: 1400 });
  await open(page, '/run/slow/system');
  const counters = rowsOf<Counter>('slow', 'counters');
  const tracks = rowsOf<Track>('slow', 'tracks');
  const readings = (name: string, pid: number | null = null) => {
    const own = tracks.filter((t) => t.kind === 'counter' && t.name === name && t.device === null);
    const of = new Set(own.filter((t) => t.pid === pid).map((t) => t.track));
    return counters.filter((c) => of.has(c.track)).sort((a, b) => a.ts_ns - b.ts_ns);
  };
  const rows = await cellsOf(grid(page, 'Statistics of metrics'));
  expect(rows.length).toBeGreaterThan(9);
  for (const cells of rows) {
    const metric = some(system.rows.find((r) => r.metric === cells[0]));
    const number = (text: string | undefined) => Number((text ?? '').replace(/[^\d.e-].*$|,/g, ''));
    const told = (v: number) => (metric.unit === 'share' ? Number(percentOf(v)) : v);
    const { mean, min, p50, p95, p99, max, samples } = metric;
    const wanted = [mean, min, p50, p95, p99, max].map(told);
    const shown = cells.slice(2, 8).map((text) => number(text.replaceAll(',', '')));
    expect(shown, metric.metric).toEqual(wanted);
    expect(cells[8]).toBe(grouped(samples));
    // The report's own figures are of the readings as the table holds them.
    const values = readings(metric.metric).map((c) => c.value);
    if (values.length > 0) expect(sum(values) / values.length).toBeCloseTo(mean, 6);
  }
  const busy = readings('cpu.busy_share');
  const curve = await drawn(page, 'CPU');
  expect(curve['busy (share)']?.filter((v) => !Number.isNaN(v))).toEqual(busy.map((c) => c.value));
  for (const cells of await cellsOf(grid(page, 'Processes'))) {
    const pid = Number(cells[0]);
    const own = (name: string) => readings(`process.${name}`, pid);
    const cpu = own('cpu_cores').map((c) => c.value);
    const most = (name: string) => Math.max(...own(name).map((c) => c.value));
    const all = tracks.filter((t) => t.pid === pid && t.name.startsWith('process.'));
    const times = counters.filter((c) => all.some((t) => t.track === c.track)).map((c) => c.ts_ns);
    const [first, last] = [Math.min(...times), Math.max(...times)];
    expect(cells.slice(2, 4), cells[1]).toEqual([ns(first), ns(last - first)]);
    expect(cells.slice(5, 6), cells[1]).toEqual([cores(Math.max(...cpu))]);
    expect(parseFloat(cells[4] ?? '')).toBeCloseTo(sum(cpu) / cpu.length, 9);
    expect([cells[7], cells[8]]).toEqual([bytes(most('rss_bytes')), grouped(most('threads'))]);
  }
  const of = (name: string) => some(system.rows.find((r) => r.metric === name));
  expect(await stats(part(page, 'Profiler overhead'))).toEqual({
    'Of the training thread': share(some(about.host_overhead_share)),
    'Agent, of one core': share(some(about.agent_cpu_share)),
    "Agent's memory, most": bytes(of('agent.rss_bytes').max),
    Records: `${of('agent.records_per_s').mean}/s`,
  });
});

interface Frame {
  parent: number;
  function: string;
  file: string;
  line: number;
  running_ns: number;
  waiting_ns: number;
  self_running_ns: number;
  self_waiting_ns: number;
}

test('sampled functions: own time and with what they call', async ({ page }) => {
  const answer = await fetch(`${address()}/api/runs/sampled/samples?threads=worker`);
  const { nodes } = (await answer.json()) as { nodes: Frame[] };
  const own = (f: Frame) => f.self_running_ns + f.self_waiting_ns;
  const all = sum(nodes.map(own));
  await open(page, '/run/sampled/data');
  const rows = await cellsOf(grid(page, 'Sampled functions'));
  expect(rows.length).toBe(nodes.length); // no function of these is called from two places
  for (const cells of rows) {
    const frame = some(nodes.find((f) => f.function === cells[0]));
    expect(cells.slice(1, 4)).toEqual([
      ns(own(frame)),
      share(own(frame) / all),
      ns(frame.running_ns + frame.waiting_ns),
    ]);
  }
});

test('every core over time: what was read last', async ({ page }) => {
  const { duration_ns: length } = reportOf('slow').run;
  const cores = rowsOf<Track>('slow', 'tracks').filter((t) => t.name === 'core.busy_share');
  const read = rowsOf<Counter>('slow', 'counters').sort((a, b) => a.ts_ns - b.ts_ns);
  await open(page, '/run/slow/system');
  const cells = await drawn(page, 'Cores and GPUs over time');
  for (const core of cores) {
    const values = some(cells[`core ${core.device} (share)`]);
    const own = read.filter((c) => c.track === core.track);
    let seen = 0;
    for (const { ts_ns: at, value } of own) {
      const cell = Math.floor((at / length) * 240);
      const later = own.some((c) => c.ts_ns > at && Math.floor((c.ts_ns / length) * 240) === cell);
      if (cell >= 240 || later) continue;
      expect(values[cell], `core ${core.device} at ${at} ns`).toBe(value);
      seen += 1;
    }
    expect(seen).toBeGreaterThan(5);
  }
});
