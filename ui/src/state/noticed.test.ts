// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import type { Finding, Topic } from '../api/report';
import { ns } from '../base/time';
import { isMemory, standing, targetOf } from './noticed';

const finding = (at: number, topic: Topic | null, about: string, stands = true): Finding => ({
  ts_ns: ns(at),
  kind: topic === 'rule' ? 'rule' : 'alert',
  topic,
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
    finding(0, 'agent', 'agent'),
    finding(1, 'memory', 'memory of rank 0'),
    finding(2, 'step_time', 'step time'),
    finding(3, 'rule', 'StepOutlier', false),
    finding(5, 'hang', 'no steps'),
    finding(6, 'rule', 'hang'),
    finding(7, 'step_time', 'step time', false),
    finding(8, null, 'of tomorrow'),
  ]);
  expect(told.map((f) => f.text)).toEqual([
    'no steps at 5',
    'memory of rank 0 at 1',
    'step time at 2',
    'hang at 6',
    'of tomorrow at 8',
    'agent at 0',
  ]);
  expect(told.map((f) => f.hang)).toEqual([true, false, false, false, false, false]);
  expect(standing(undefined)).toEqual([]);
});

it('each leads to what shows it', () => {
  const topics: (Topic | null)[] = ['hang', 'memory', 'step_time', 'agent', null];
  const views = topics.map((topic) => targetOf(finding(9e9, topic, 'x')).view);
  expect(views).toEqual(['timeline', 'system', 'steps', 'system', 'system']);
  expect(targetOf(finding(9e9, 'rule', 'Dataloader')).params).toEqual({ rule: 'Dataloader' });
  expect(targetOf(finding(2e9, 'hang', 'hang')).timeRange).toEqual({ from: 0, to: 7e9 });
  const tensor = { ...finding(1, 'tensor', 'tensor'), finding: 'live.gradient_vanishing' };
  expect(targetOf({ ...tensor, values: { tensor: 'a.weight', step: 7 } })).toEqual({
    view: 'tensors',
    timeRange: null,
    params: { role: 'gradient', tensor: 'a.weight', step: '7' },
  });
  expect(targetOf({ ...tensor, finding: 'live.loss_not_falling' }).params).toEqual({});
  expect(isMemory(finding(1, 'memory', 'x'))).toBe(true);
  expect(isMemory(finding(1, 'agent', 'memory'))).toBe(false);
});
