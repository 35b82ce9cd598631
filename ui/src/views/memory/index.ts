// SPDX-License-Identifier: Apache-2.0
import { captureHint } from '../../base/capture';
import type { View } from '../../state/view';
import { isMemory, standing } from '../../state/noticed';

export const view: View = {
  id: 'memory',
  title: 'Memory',
  about: 'What was allocated when, by whom, and what grows.',
  group: 'Device',
  order: 5,
  tables: ['memory'],
  inReport: true,
  notApplicable: (report) => {
    const { devices } = report.memory as { devices?: unknown[] };
    const grows = standing(report.findings.rows).some(isMemory);
    return grows || (devices && devices.length > 0)
      ? null
      : `The run holds no allocations. ${captureHint(report.run_card, 'memory', 'profile_memory=True')}`;
  },
  load: () => import('./Memory.svelte'),
};
