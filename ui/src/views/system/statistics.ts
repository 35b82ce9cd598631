// SPDX-License-Identifier: Apache-2.0
// The statistics of each metric as a table: one row a metric of a node or of a device.
import type { SystemRow } from '../../api/report';
import { formatCount, formatMetric } from '../../base/format';
import type { Column } from '../../widgets/table';

/** The means that the curve is of, as they are. */
const sparkText = (r: SystemRow): string =>
  `means of ${r.sparkline.length} equal parts: ${r.sparkline.map((v) => formatMetric(v, r.unit).exact).join('; ')}`;

/** How much more it was at the run's end than at its begin; null: no curve. */
function rise({ sparkline }: SystemRow): number | null {
  const [first, last] = [sparkline[0], sparkline.at(-1)];
  return first === undefined || last === undefined ? null : last - first;
}

const statistic = (
  id: 'mean' | 'min' | 'p50' | 'p95' | 'p99' | 'max',
  title: string,
): Column<SystemRow> => ({
  id,
  title,
  value: (r) => r[id],
  format: (r) => formatMetric(r[id], r.unit),
  width: 'minmax(82px, 0.6fr)',
});

const isOwn = ({ metric }: SystemRow): boolean => metric.startsWith('agent.');

/** What the profiler tells of itself comes last. */
export const ownLast = (rows: readonly SystemRow[]): SystemRow[] => [
  ...rows.filter((row) => !isOwn(row)),
  ...rows.filter(isOwn),
];

/** Of a node alone its number is not shown, and without devices none of theirs. */
export function columnsFor(rows: readonly SystemRow[]): Column<SystemRow>[] {
  const nodes = new Set(rows.map((r) => r.node)).size;
  const devices = rows.some((r) => r.device !== null);
  return [
    {
      id: 'metric',
      title: 'Metric',
      value: (r) => r.metric,
      mono: true,
      width: 'minmax(186px, 1.6fr)',
    },
    ...(nodes > 1
      ? [{ id: 'node', title: 'Node', value: (r: SystemRow) => r.node, width: '60px' }]
      : []),
    ...(devices
      ? [{ id: 'device', title: 'Device', value: (r: SystemRow) => r.device, width: '48px' }]
      : []),
    {
      id: 'over',
      title: 'Over the run',
      help: 'Sorts by how much more the last part is than the first',
      value: rise,
      format: (r) => ({ text: '', exact: sparkText(r) }),
      align: 'left',
      spark: (r) => r.sparkline,
      width: '104px',
    },
    statistic('mean', 'Mean'),
    statistic('min', 'Min'),
    statistic('p50', 'Median'),
    statistic('p95', 'p95'),
    statistic('p99', 'p99'),
    statistic('max', 'Max'),
    {
      id: 'samples',
      title: 'Readings',
      value: (r) => r.samples,
      format: (r) => formatCount(r.samples),
      width: '64px',
    },
  ];
}
