// SPDX-License-Identifier: Apache-2.0
import type { View } from '../../state/view';

export const view: View = {
  id: 'data',
  title: 'Data pipeline',
  about: 'Queue, workers and what they do; which settings to change.',
  group: 'Host',
  order: 1,
  tables: ['steps', 'run_metadata', 'slices', 'samples', 'stacks'],
  inReport: true,
  notApplicable: (report) =>
    report.data_pipeline.status !== 'not_applicable'
      ? null
      : 'No data loader was seen in this run.',
  shownAnyway: true, // the stacks that were sampled
  load: () => import('./DataPipeline.svelte'),
};
