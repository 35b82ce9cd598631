// SPDX-License-Identifier: Apache-2.0
import { captureHint } from '../../base/capture';
import type { View } from '../../state/view';

export const view: View = {
  id: 'operators',
  title: 'Operators',
  about: 'What each operator costs on host and device, by shapes and by caller.',
  group: 'Device',
  order: 2,
  tables: ['slices', 'stacks'],
  inReport: true,
  notApplicable: (report) =>
    report.operators.rows.length > 0
      ? null
      : `The run holds no operators. ${captureHint(report.run_card, 'operators', 'ProfilerActivity.CPU')}`,
  load: () => import('./Operators.svelte'),
};
