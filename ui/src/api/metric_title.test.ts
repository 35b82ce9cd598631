// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { metricTitle } from './metric_title';

it('says a metric in words, with the number of what it is of', () => {
  expect(metricTitle('cgroup.cpu_cores')).toBe('cgroup CPU');
  expect(metricTitle('cpu.iowait_share')).toBe('CPU I/O wait');
  expect(metricTitle('core.busy_share', 3)).toBe('core 3 busy');
  expect(metricTitle('process.rss_bytes', 815)).toBe('process 815 RSS');
});

it('leaves names of other tools as they are', () => {
  expect(metricTitle('Total Reserved', 0)).toBe('Total Reserved');
});
