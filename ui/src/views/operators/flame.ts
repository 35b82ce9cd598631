// SPDX-License-Identifier: Apache-2.0
// Call stacks as a flame graph: frames that share their callers are one box, as wide as their time.
import { settle, type Flame } from '../../timeline/flame';
import type { Operator } from './section';

export type Measure = 'device' | 'host';

/** `outermost` first; operators are the leaves. Time without a stack is under one box that says so. */
export function flameOf(
  operators: readonly Operator[],
  measure: Measure,
  rank: number | null,
): Flame {
  const field = measure === 'device' ? 'device_self_ns' : 'host_self_ns';
  const root: Flame = { name: 'all', value: 0, count: 0, depth: 0, from: 0, children: [] };
  const add = (to: Flame, value: number, calls: number) => {
    to.value += value;
    to.count = (to.count ?? 0) + calls;
  };
  const index = new Map<Flame, Map<string, Flame>>();
  const child = (of: Flame, name: string, category: NonNullable<Flame['category']>): Flame => {
    let known = index.get(of);
    if (known === undefined) index.set(of, (known = new Map()));
    let found = known.get(name);
    if (found === undefined) {
      found = { name, category, value: 0, count: 0, depth: of.depth + 1, from: 0, children: [] };
      known.set(name, found);
      of.children.push(found);
    }
    return found;
  };
  for (const operator of operators) {
    if (rank !== null && operator.rank !== rank) continue;
    let told = 0;
    let calls = 0;
    for (const stack of operator.stacks) {
      const value = stack[field];
      calls += stack.calls;
      if (value <= 0) continue;
      told += value;
      let at = root;
      add(at, value, stack.calls);
      const frames = [...stack.call_stack].filter((f) => f !== '').reverse();
      for (const frame of frames) {
        at = child(at, frame, 'python_function');
        add(at, value, stack.calls);
      }
      add(child(at, operator.name, 'cpu_op'), value, stack.calls);
    }
    const rest = operator[field] - told;
    if (rest > 0) {
      const others = Math.max(operator.calls - calls, 0);
      const without = child(root, '(no call stack)', 'cpu_op');
      const leaf = child(without, operator.name, 'cpu_op');
      for (const box of [root, without, leaf]) add(box, rest, others);
    }
  }
  settle(root);
  return root;
}
