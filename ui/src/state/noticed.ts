// SPDX-License-Identifier: Apache-2.0
// Of what the agent noticed, that which it did not take back, and where it is shown.
import type { LiveKind } from '../api/finding_kinds';
import type { Finding, Topic } from '../api/report';
import { ns, timeRange } from '../base/time';
import type { RunTarget } from './run.svelte';

export interface Standing extends Finding {
  readonly hang: boolean;
}

export const isMemory = (finding: Finding): boolean => finding.topic === 'memory';

/** A hang before all else; what the agent says of itself last. */
const ORDER: Readonly<Record<Topic, number>> = {
  hang: 0,
  rule: 1,
  memory: 1,
  step_time: 1,
  tensor: 1,
  agent: 2,
};
const order = (f: Finding): number => (f.topic ? ORDER[f.topic] : 1);

/** What stands, in the order in which it is shown. */
export function standing(findings: readonly Finding[] | undefined): Standing[] {
  return (findings ?? [])
    .filter((f) => f.standing)
    .map((f) => ({ ...f, hang: f.topic === 'hang' }))
    .sort((a, b) => order(a) - order(b) || a.ts_ns - b.ts_ns);
}

/** Half of what is shown around a moment. */
const AROUND_NS = 5e9;

const SYSTEM: RunTarget = { view: 'system', timeRange: null };

const OF_GRADIENTS: ReadonlySet<string> = new Set<LiveKind>([
  'live.gradient_vanishing',
  'live.gradient_exploding',
  'live.gradient_spike',
]);

/** The tensor that a finding names, in the role that its kind is about, at its step. */
function tensorTarget({ finding, values }: Finding): RunTarget {
  const gradient = OF_GRADIENTS.has(finding) || values.gradient === true;
  const role = gradient ? 'gradient' : values.weight === true ? 'weight' : null;
  const { tensor, step } = values;
  const params =
    role !== null && typeof tensor === 'string'
      ? { role, tensor, ...(typeof step === 'number' ? { step: String(step) } : {}) }
      : {};
  return { view: 'tensors', timeRange: null, params };
}

const TARGETS: Readonly<Record<Topic, (finding: Finding) => RunTarget>> = {
  hang: ({ ts_ns }) => {
    const from = Math.max(0, ts_ns - AROUND_NS);
    return { view: 'timeline', timeRange: timeRange(ns(from), ns(ts_ns + AROUND_NS)) };
  },
  rule: ({ about }) => ({ view: 'rules', timeRange: null, params: { rule: about } }),
  memory: () => SYSTEM,
  step_time: () => ({ view: 'steps', timeRange: null }),
  tensor: tensorTarget,
  agent: () => SYSTEM,
};

/** The view that shows what a finding tells of. */
export const targetOf = (finding: Finding): RunTarget =>
  finding.topic ? TARGETS[finding.topic](finding) : SYSTEM;
