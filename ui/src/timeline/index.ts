// SPDX-License-Identifier: Apache-2.0
import type { View } from '../state/view';

export const view: View = {
  id: 'timeline',
  title: 'Timeline',
  about: 'Every recorded slice of hosts and devices against time.',
  group: 'Summary',
  order: 9,
  tables: [], // its tree tells what of them is damaged
  inReport: false,
  notApplicable: () => null,
  load: () => import('./Timeline.svelte'),
};
