// SPDX-License-Identifier: Apache-2.0
import { kernelsHint } from '../../base/capture';
import type { View } from '../../state/view';

export const view: View = {
  id: 'kernels',
  title: 'Kernels',
  about: 'What each kernel costs, who launches it, and how well it fills the device.',
  group: 'Device',
  order: 3,
  tables: ['slices'],
  inReport: true,
  notApplicable: (report) =>
    report.kernels.rows.length > 0
      ? null
      : `The run holds no kernels of an NVIDIA GPU. ${kernelsHint(report.run_card)}`,
  load: () => import('./Kernels.svelte'),
};
