// SPDX-License-Identifier: Apache-2.0
import { captureHint } from '../../base/capture';
import type { View } from '../../state/view';

export const view: View = {
  id: 'modules',
  title: 'Modules',
  about: 'The model as a tree, by the time of its parts.',
  group: 'Device',
  order: 4,
  tables: ['slices', 'stacks'],
  inReport: true,
  notApplicable: (report) =>
    report.modules.rows.length > 0
      ? null
      : `The run has no modules. ${captureHint(report.run_card, 'stacks', 'with_stack=True or with_modules=True')}`,
  load: () => import('./Modules.svelte'),
};
