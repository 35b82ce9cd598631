// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import type { Finding } from '../api/report';
import { ns } from '../base/time';
import { isMemory, standing, targetOf } from './noticed';

const finding = (at: number, kind: string, subject: string, severity = 'warning'): Finding => ({
  ts_ns: ns(at),
  kind,
  subject,
  severity,
  text: `${subject} at ${at}`,
});

it('a finding stands until it is taken back, and a hang comes first', () => {
  const told = standing([
    finding(1, 'alert', 'memory of rank 0'),
    finding(0, 'alert', 'step time'),
    finding(2, 'alert', 'agent'),
    finding(3, 'rule', 'StepOutlier'),
    finding(4, 'alert', 'agent', 'info'),
    finding(5, 'alert', 'hang', 'error'),
    finding(6, 'rule', 'StepOutlier'),
  ]);
  expect(told.map((f) => f.text)).toEqual([
    'hang at 5',
    'step time at 0',
    'memory of rank 0 at 1',
    'StepOutlier at 6',
  ]);
  expect(told.map((f) => f.hang)).toEqual([true, false, false, false]);
  expect(standing(undefined)).toEqual([]);
  expect(
    standing([finding(1, 'alert', 'hang', 'error'), finding(2, 'alert', 'hang', 'info')]),
  ).toEqual([]);
});

it('each leads to what shows it', () => {
  const views = ['hang', 'memory of rank 1', 'step time', 'agent'].map(
    (subject) => targetOf(finding(9e9, 'alert', subject)).view,
  );
  expect(views).toEqual(['timeline', 'system', 'steps', 'system']);
  expect(targetOf(finding(9e9, 'rule', 'Dataloader')).params).toEqual({ rule: 'Dataloader' });
  expect(targetOf(finding(2e9, 'alert', 'hang')).stretch).toEqual({ from: 0, to: 7e9 });
  expect(isMemory(finding(1, 'alert', 'memory of rank 0'))).toBe(true);
  expect(isMemory(finding(1, 'alert', 'agent'))).toBe(false);
});
