// SPDX-License-Identifier: Apache-2.0
import type { View } from '../../state/view';

export const view: View = {
  id: 'kernels',
  title: 'Kernels',
  about: 'What each kernel costs, who launches it, and how well it fills the device.',
  group: 'Device',
  order: 3,
  inReport: true,
  notApplicable: (report) =>
    report.kernels.length > 0 ? null : 'The run holds no kernels: it is no profile of a GPU.',
  load: () => import('./Kernels.svelte'),
};
