// SPDX-License-Identifier: Apache-2.0
import type { View } from '../../state/view';
import { whyNone } from '../../base/prose';

export const view: View = {
  id: 'steps',
  title: 'Steps',
  about: 'How long steps take, over the run and in their spread; select a time range of them.',
  group: 'Summary',
  order: 2,
  tables: ['steps'],
  inReport: true,
  notApplicable: (report) => (report.steps.count === 0 ? whyNone(report.verdict) : null),
  load: () => import('./StepsView.svelte'),
};
