// SPDX-License-Identifier: Apache-2.0
import type { View } from '../../state/view';

export const view: View = {
  id: 'overview',
  title: 'Overview',
  about: 'The verdict, what it rests on, and what to change.',
  group: 'Summary',
  order: 1,
  tables: [], // all that is missing is listed in it
  inReport: true,
  notApplicable: () => null,
  load: () => import('./Overview.svelte'),
};
