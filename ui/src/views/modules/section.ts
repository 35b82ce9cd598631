// SPDX-License-Identifier: Apache-2.0
// The section `modules` (docs/reference/operators.md) as a tree and as rows.
import type * as report from '../../api/report';
import { settle, type Flame } from '../../timeline/flame';

export type Module = report.Seen<
  report.Module,
  | 'rank'
  | 'name'
  | 'module'
  | 'parent'
  | 'depth'
  | 'source'
  | 'occurrences'
  | 'operators'
  | 'host_total_ns'
  | 'host_self_ns'
  | 'device_total_ns'
  | 'device_self_ns'
> & {
  backward: Totals | null;
  per_step: Totals | null;
};
type Totals = report.Seen<report.ModuleTimes, 'host_total_ns' | 'device_total_ns'>;

export interface ModulesSection {
  modules: report.Rows<Module>;
}

export type Measure = 'device' | 'host';

/** What a module takes: forward and, where it is known, backward. */
export function timeOf(module: Module, measure: Measure): number {
  const field = measure === 'device' ? 'device_total_ns' : 'host_total_ns';
  return module[field] + (module.backward?.[field] ?? 0);
}

/** The modules of one rank as boxes; a module is at least as wide as what is in it. */
export function treeOf(modules: readonly Module[], measure: Measure): Flame {
  const root: Flame = { name: 'all', value: 0, depth: 0, from: 0, children: [] };
  const made: Flame[] = [];
  modules.forEach((module, i) => {
    const parent = module.parent === null ? root : (made[module.parent] ?? root);
    const flame: Flame = {
      name: module.name,
      value: timeOf(module, measure),
      ...(module.occurrences === null ? {} : { count: module.occurrences }),
      depth: parent.depth + 1,
      from: 0,
      children: [],
    };
    made[i] = flame;
    parent.children.push(flame);
  });
  widen(root);
  settle(root);
  return root;
}

function widen(flame: Flame): number {
  const inside = flame.children.reduce((sum, child) => sum + widen(child), 0);
  flame.value = Math.max(flame.value, inside);
  return flame.value;
}

/** `network / layer1 / conv1`: where a module lies. */
export function pathsOf(modules: readonly Module[]): string[] {
  const paths: string[] = [];
  modules.forEach((module, i) => {
    const above = module.parent === null ? undefined : paths[module.parent];
    paths[i] = above === undefined ? module.name : `${above} / ${module.name}`;
  });
  return paths;
}

const SOURCES: Record<string, string> = {
  ranges: 'from the profiler’s ranges of modules (with_stack)',
  hierarchy: 'from the operators’ module hierarchy (with_modules)',
  stacks: 'from call stacks: a module is the place that calls it',
};

export const sourceText = (source: string): string => SOURCES[source] ?? `from ${source}`;
