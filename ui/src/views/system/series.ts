// SPDX-License-Identifier: Apache-2.0
// Metrics over time, as the charts, the heat map and the list of processes take them.
import type { Columns } from '../../api/arrow';
import type { MemoryLimit } from '../../api/report_types';
import { metricInfo, type Metric, type ProcessMetric } from '../../api/metrics';
import { formatMetric, formatNs, type Figure } from '../../base/format';

export interface MetricSeries {
  readonly metric: string;
  readonly node: number;
  readonly track: number;
  /** Number of the core or accelerator; null: of the node, the job or a process. */
  readonly device: number | null;
  readonly at: readonly number[];
  /** When it was read first and last: `at` of several readings is where their time range begins. */
  readonly seen: readonly [number, number];
  readonly mean: readonly number[];
  readonly min: readonly number[];
  readonly max: readonly number[];
  /** How many readings each of these is of. */
  readonly count: readonly number[];
}

interface Growing {
  metric: string;
  node: number;
  track: number;
  device: number | null;
  at: number[];
  seen: [number, number];
  mean: number[];
  min: number[];
  max: number[];
  count: number[];
}

/** One series a track; the server sends the rows of each in the order of time. */
export function seriesOf(columns: Columns): MetricSeries[] {
  const metric = columns.strings('metric');
  const [node, track, device, at, first, last, mean, min, max, count] = (
    [
      'node',
      'track',
      'device',
      'bucket_ns',
      'first_ns',
      'last_ns',
      'mean',
      'min',
      'max',
      'count',
    ] as const
  ).map((name) => columns.numbers(name));
  const byTrack = new Map<number, Growing>();
  for (let i = 0; i < columns.length; i++) {
    const id = track?.[i] ?? 0;
    let series = byTrack.get(id);
    if (!series) {
      const number = device?.[i] ?? NaN;
      series = {
        metric: metric[i] ?? '',
        node: node?.[i] ?? 0,
        track: id,
        device: number >= 0 ? number : null, // -1 and null: of no single one
        at: [],
        seen: [first?.[i] ?? at?.[i] ?? 0, 0],
        mean: [],
        min: [],
        max: [],
        count: [],
      };
      byTrack.set(id, series);
    }
    series.at.push(at?.[i] ?? 0);
    series.seen[1] = last?.[i] ?? at?.[i] ?? 0;
    series.mean.push(mean?.[i] ?? NaN);
    series.min.push(min?.[i] ?? NaN);
    series.max.push(max?.[i] ?? NaN);
    series.count.push(count?.[i] ?? 1);
  }
  return [...byTrack.values()];
}

/** Several series on one axis: all moments of any, NaN where one has none. */
export function aligned(list: readonly MetricSeries[]): { x: number[]; values: number[][] } {
  const x = [...new Set(list.flatMap((s) => s.at))].sort((a, b) => a - b);
  const place = new Map(x.map((at, i) => [at, i]));
  const values = list.map((s) => {
    const row = new Array<number>(x.length).fill(NaN);
    s.at.forEach((at, i) => {
      row[place.get(at) ?? 0] = s.mean[i] ?? NaN;
    });
    return row;
  });
  return { x, values };
}

/** Rows of a heat map over `count` equal parts of from..to; a part without a value takes the last before it. */
export function heatRows(
  list: readonly MetricSeries[],
  from: number,
  to: number,
  count: number,
): { name: string; values: Float64Array }[] {
  const width = (to - from) / count || 1;
  const order = [...list].sort(
    (a, b) => a.node - b.node || rankOf(a) - rankOf(b) || (a.device ?? -1) - (b.device ?? -1),
  );
  const nodes = new Set(list.map((s) => s.node)).size;
  return order.map((s) => {
    const values = new Float64Array(count).fill(NaN);
    s.at.forEach((at, i) => {
      const cell = Math.floor((at - from) / width);
      if (cell >= 0 && cell < count) values[cell] = s.mean[i] ?? NaN;
    });
    return { name: deviceName(s, nodes > 1), values: carried(values, s, width) };
  });
}

const isOfGpu = (s: MetricSeries) => metricInfo(s.metric)?.scope === 'gpu';
const rankOf = (s: MetricSeries) => (isOfGpu(s) ? 0 : 1);

export function deviceName(s: MetricSeries, withNode: boolean): string {
  const kind = isOfGpu(s) ? 'GPU' : 'core';
  return `${withNode ? `node ${s.node} ` : ''}${kind} ${s.device ?? ''}`.trim();
}

/** Cells between two readings hold the one before, for as long as readings are usually apart, twice. */
function carried(values: Float64Array, series: MetricSeries, width: number): Float64Array {
  const gaps = series.at.slice(1).map((at, i) => at - (series.at[i] ?? at));
  const usual = [...gaps].sort((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? width;
  const reach = Math.ceil((2 * usual) / width);
  let last = NaN;
  let age = 0;
  return values.map((v) => {
    if (!Number.isNaN(v)) [last, age] = [v, 0];
    else age += 1;
    return age <= reach ? last : NaN;
  });
}

/** A group of charts; each chart's metrics share a unit and an axis. */
export interface ChartSpec {
  readonly title: string;
  readonly unit: string;
  /** What its lines are, where their names alone do not say. */
  readonly note?: string;
  readonly metrics: readonly string[];
  /** Full height of the axis where it is known. */
  readonly max: number | null;
  /** Which limits are drawn in it, where they are known and near. */
  readonly limits?: readonly MemoryLimit['of'][];
  /** Prefix of the series of each core or GPU that can be laid over it. */
  readonly each?: string;
}

/** A chart that every node can have is of metrics that are declared. */
interface KnownChart extends ChartSpec {
  readonly metrics: readonly Metric[];
  readonly each?: Metric;
}

export const CHARTS: readonly KnownChart[] = [
  {
    title: 'CPU',
    unit: 'share',
    note: 'All cores; system: in the kernel, iowait: idle while storage answers, steal: taken by other machines on the host',
    metrics: ['cpu.busy_share', 'cpu.system_share', 'cpu.iowait_share', 'cpu.steal_share'],
    max: 1,
    each: 'core.busy_share',
  },
  { title: 'GPU', unit: 'share', metrics: [], max: 1, each: 'gpu.utilization_share' },
  {
    title: 'GPU memory',
    unit: 'bytes',
    metrics: [],
    max: null,
    each: 'gpu.memory_used_bytes',
    limits: ['gpu'],
  },
  { title: 'GPU power', unit: 'W', metrics: [], max: null, each: 'gpu.power_watts' },
  {
    title: 'Cores used',
    unit: 'cores',
    note: 'cpu: the job runs; run delay: it could run and has no core; cgroup: all of its container',
    metrics: ['job.cpu_cores', 'job.run_delay_cores', 'cgroup.cpu_cores', 'cgroup.throttled_cores'],
    max: null,
  },
  {
    title: 'Memory',
    unit: 'bytes',
    note: 'used: of the node; job rss: of the job’s processes, memory that several share counted in each',
    metrics: ['memory.used_bytes', 'job.rss_bytes', 'swap.used_bytes'],
    max: null,
    limits: ['machine', 'cgroup'],
  },
  {
    title: 'Disk',
    unit: 'bytes/s',
    note: 'All of the node; job read: what the job’s processes took from storage',
    metrics: ['disk.read_bytes_per_s', 'disk.write_bytes_per_s', 'job.read_bytes_per_s'],
    max: null,
  },
  {
    title: 'Network',
    unit: 'bytes/s',
    note: 'All of the node’s physical interfaces; in a container all but the loopback',
    metrics: [
      'network.receive_bytes_per_s',
      'network.send_bytes_per_s',
      'network.rdma_receive_bytes_per_s',
      'network.rdma_send_bytes_per_s',
    ],
    max: null,
  },
  {
    title: 'Pressure',
    unit: 'share',
    note: 'Share of the time in which some task waited for it (Linux PSI)',
    metrics: ['psi.cpu_some_share', 'psi.io_some_share', 'psi.memory_some_share'],
    max: 1,
  },
];

const all = new Set<string>(CHARTS.flatMap((c) => [...c.metrics, c.each ?? '']));

/** A metric's name in a chart: without its unit, and without the prefix that the chart's first has too. */
export function lineName(metric: string, chart: ChartSpec): string {
  const info = metricInfo(metric);
  if (info === undefined) return metric;
  const own = info.group === metricInfo(chart.metrics[0] ?? '')?.group || metric === chart.each;
  return own ? info.words : `${info.group} ${info.words}`;
}

/** The charts that a node has; `extra`: a metric that the address asks for and no chart holds. */
export function chartsOf(
  list: readonly MetricSeries[],
  extra: { metric: string; unit: string } | null,
): ChartSpec[] {
  const there = new Set(list.map((s) => s.metric));
  const seen = CHARTS.filter(
    (c) => c.metrics.some((m) => there.has(m)) || (c.each !== undefined && there.has(c.each)),
  );
  if (!extra || all.has(extra.metric) || !there.has(extra.metric)) return seen;
  return [{ title: extra.metric, unit: extra.unit, metrics: [extra.metric], max: null }, ...seen];
}

/** All metrics that the charts take, for one request. */
export const WANTED: readonly string[] = [...all].filter(Boolean);

export interface ProcessRow {
  readonly pid: number;
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly cpuMean: number;
  readonly cpuMax: number;
  readonly rssMax: number;
  readonly threads: number;
  readonly starved: number;
  readonly read: number;
}

/** Of all readings: those of a long run come several at once, and not as many each time. */
function mean(of: MetricSeries | undefined): number {
  if (of === undefined) return 0;
  const readings = of.count.reduce((a, b) => a + b, 0);
  return of.mean.reduce((sum, v, i) => sum + v * (of.count[i] ?? 0), 0) / (readings || 1);
}

/** Processes of the job by their metrics' tracks. `pids` tells whose track is whose. */
export function processes(
  list: readonly MetricSeries[],
  pids: ReadonlyMap<number, number>,
  names: ReadonlyMap<number, string>,
): ProcessRow[] {
  const byPid = new Map<number, Map<string, MetricSeries>>();
  for (const s of list) {
    const pid = pids.get(s.track);
    if (pid === undefined) continue;
    const own = byPid.get(pid) ?? new Map<string, MetricSeries>();
    own.set(s.metric, s);
    byPid.set(pid, own);
  }
  return [...byPid].map(([pid, own]) => {
    const of = (metric: ProcessMetric) => own.get(metric);
    const most = (metric: ProcessMetric) => Math.max(0, ...(of(metric)?.max ?? []));
    const at = [...own.values()].flatMap((s) => s.seen);
    return {
      pid,
      name: names.get(pid) ?? '',
      from: Math.min(...at),
      to: Math.max(...at),
      cpuMean: mean(of('process.cpu_cores')),
      cpuMax: most('process.cpu_cores'),
      rssMax: most('process.rss_bytes'),
      threads: most('process.threads'),
      starved: mean(of('process.run_delay_cores')),
      read: mean(of('process.read_bytes_per_s')),
    };
  });
}

/** From its first reading to its last; of a single one nobody knows. */
export const seenFor = ({ from, to }: ProcessRow): Figure =>
  to > from ? formatNs(to - from) : { text: 'a moment', exact: 'seen at one moment alone' };

export const figureOf =
  (unit: string) =>
  (value: number): Figure =>
    formatMetric(value, unit);
