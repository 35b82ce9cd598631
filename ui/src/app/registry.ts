// SPDX-License-Identifier: Apache-2.0
// The views there are: every folder that exports one. No list to edit.
import { GROUPS, type Group, type View } from '../state/view';

type Module = { view: View };

const modules = {
  ...import.meta.glob<Module>('../views/*/index.ts', { eager: true }),
  ...import.meta.glob<Module>('../timeline/index.ts', { eager: true }),
};

export const views: readonly View[] = Object.values(modules)
  .map((module) => module.view)
  .sort((a, b) => GROUPS.indexOf(a.group) - GROUPS.indexOf(b.group) || a.order - b.order);

export const viewOf = (id: string): View | undefined => views.find((v) => v.id === id);

export function grouped(of: readonly View[]): [Group, View[]][] {
  return GROUPS.map((group): [Group, View[]] => [
    group,
    of.filter((v) => v.group === group),
  ]).filter(([, members]) => members.length > 0);
}
