// SPDX-License-Identifier: Apache-2.0
import type { View } from '../../state/view';

export const view: View = {
  id: 'rules',
  title: 'Rules',
  about: 'SageMaker Debugger’s rules: what they found, on what, and with other parameters.',
  group: 'Job',
  order: 2,
  tables: ['steps', 'counters', 'run_metadata', 'slices', 'memory'],
  inReport: true,
  notApplicable: (report) =>
    report.rules.rows.length > 0 || report.recommendations.rows.length > 0
      ? null
      : 'The report holds no results of rules.',
  load: () => import('./Rules.svelte'),
};
