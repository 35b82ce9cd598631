// SPDX-License-Identifier: Apache-2.0
import type { View } from '../../state/view';

export const view: View = {
  id: 'system',
  title: 'System',
  about: 'CPUs, GPUs, memory, disks, network and processes of each node over the run.',
  group: 'Host',
  order: 2,
  tables: ['counters'],
  inReport: true,
  notApplicable: (report) =>
    report.system.rows.length === 0 ? 'No metric of the machine was collected in this run.' : null,
  load: () => import('./System.svelte'),
};
