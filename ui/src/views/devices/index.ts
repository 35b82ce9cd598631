// SPDX-License-Identifier: Apache-2.0
import { metricInfo } from '../../api/metrics';
import type { View } from '../../state/view';

export const view: View = {
  id: 'devices',
  title: 'Devices',
  about: 'How busy the GPUs and CPUs were, with what, and in which precision.',
  group: 'Device',
  order: 1,
  tables: ['slices', 'counters'],
  inReport: true,
  notApplicable: (report) =>
    report.devices.rows.length > 0 ||
    report.system.rows.some((row) => metricInfo(row.metric)?.scope === 'gpu')
      ? null
      : 'No GPU was seen, and the run holds no profile of device work.',
  load: () => import('./Devices.svelte'),
};
