// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import type { Finding } from '../api/report';
import { ns } from '../base/time';
import { isMemory, standing, targetOf } from './noticed';

const finding = (at: number, kind: string, about: string, stands = true): Finding => ({
  ts_ns: ns(at),
  kind,
  about,
  id: '',
  subject: {},
  severity: 'warning',
  text: `${about} at ${at}`,
  figures: [],
  finding: 'legacy.text',
  values: {},
  standing: stands,
});

it('of what stands a hang comes first and the agent last; whether it does the report says', () => {
  const told = standing([
    finding(0, 'alert', 'agent'),
    finding(1, 'alert', 'memory of rank 0'),
    finding(2, 'alert', 'step time'),
    finding(3, 'rule', 'StepOutlier', false),
    finding(5, 'alert', 'hang'),
    finding(6, 'rule', 'StepOutlier'),
    finding(7, 'alert', 'step time', false),
  ]);
  expect(told.map((f) => f.text)).toEqual([
    'hang at 5',
    'memory of rank 0 at 1',
    'step time at 2',
    'StepOutlier at 6',
    'agent at 0',
  ]);
  expect(told.map((f) => f.hang)).toEqual([true, false, false, false, false]);
  expect(standing(undefined)).toEqual([]);
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
