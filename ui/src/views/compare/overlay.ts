// SPDX-License-Identifier: Apache-2.0
// The step times of two runs on one axis, by the number of the step.
import type { Steps } from '../../api/steps';

export interface Overlay {
  /** Numbers of steps, ascending. */
  readonly x: readonly number[];
  /** ns; null: that run lacks the step. Of several ranks the longest: ranks make their steps together. */
  readonly a: readonly (number | null)[];
  readonly b: readonly (number | null)[];
}

type Read = Pick<Steps, 'length' | 'step' | 'dur' | 'kind'>;

/** Training steps alone: an evaluation is no step of the other run. */
function longest(steps: Read): Map<number, number> {
  const found = new Map<number, number>();
  for (let i = 0; i < steps.length; ++i) {
    const step = steps.step[i];
    if (step === undefined || steps.kind[i] === 'eval') continue;
    found.set(step, Math.max(found.get(step) ?? 0, steps.dur[i] ?? 0));
  }
  return found;
}

export function overlay(a: Read, b: Read): Overlay {
  const [ofA, ofB] = [longest(a), longest(b)];
  const x = [...new Set([...ofA.keys(), ...ofB.keys()])].sort((one, other) => one - other);
  return { x, a: x.map((n) => ofA.get(n) ?? null), b: x.map((n) => ofB.get(n) ?? null) };
}
