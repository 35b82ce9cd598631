// SPDX-License-Identifier: Apache-2.0
import type { View } from '../../state/view';
import { whyNone } from './section';

export const view: View = {
  id: 'tensors',
  title: 'Tensors',
  about: 'Whether the model is healthy: its loss, gradients and weights over the steps.',
  group: 'Device',
  order: 6,
  tables: ['tensor_stats', 'tensor_histograms'],
  inReport: true,
  notApplicable: whyNone,
  load: () => import('./TensorsView.svelte'),
};
