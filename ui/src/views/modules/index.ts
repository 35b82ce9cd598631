// SPDX-License-Identifier: Apache-2.0
import type { View } from '../../state/view';

export const view: View = {
  id: 'modules',
  title: 'Modules',
  about: 'The model as a tree, by the time of its parts.',
  group: 'Device',
  order: 4,
  inReport: true,
  notApplicable: (report) =>
    report.modules.length > 0
      ? null
      : 'The run tells nothing of modules (with_stack, with_modules).',
  load: () => import('./Modules.svelte'),
};
