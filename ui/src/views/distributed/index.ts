// SPDX-License-Identifier: Apache-2.0
import type { View } from '../../state/view';

export const view: View = {
  id: 'distributed',
  title: 'Distributed',
  about: 'The ranks compared: which wait, for whom, and why.',
  group: 'Job',
  order: 1,
  tables: ['steps', 'slices'],
  inReport: true,
  notApplicable: (report) =>
    report.distributed.status !== 'not_applicable'
      ? null
      : 'One rank alone, and it called no collective.',
  load: () => import('./DistributedView.svelte'),
};
