// SPDX-License-Identifier: Apache-2.0
// Of what the agent noticed, that which it did not take back, and where it is shown.
import type { Finding } from '../api/report';
import { ns, stretch } from '../base/time';
import type { Target } from './run.svelte';

export interface Standing extends Finding {
  readonly hang: boolean;
}

export const isMemory = (finding: Finding): boolean => /^memory\b/.test(finding.about);

/** A hang before all else; what the agent says of itself last. */
const order = (f: Finding): number =>
  f.kind !== 'alert' ? 1 : f.about === 'hang' ? 0 : f.about === 'agent' ? 2 : 1;

/** What stands, in the order in which it is shown. */
export function standing(findings: readonly Finding[] | undefined): Standing[] {
  return (findings ?? [])
    .filter((f) => f.standing)
    .map((f) => ({ ...f, hang: f.kind === 'alert' && f.about === 'hang' }))
    .sort((a, b) => order(a) - order(b) || a.ts_ns - b.ts_ns);
}

/** Half of what is shown around a moment. */
const AROUND_NS = 5e9;

/** The view that shows what a finding tells of. */
export function targetOf(finding: Finding): Target {
  if (finding.kind === 'rule')
    return { view: 'rules', stretch: null, params: { rule: finding.about } };
  if (finding.about === 'hang') {
    const from = Math.max(0, finding.ts_ns - AROUND_NS);
    return { view: 'timeline', stretch: stretch(ns(from), ns(finding.ts_ns + AROUND_NS)) };
  }
  if (finding.about === 'step time') return { view: 'steps', stretch: null };
  return { view: 'system', stretch: null };
}
