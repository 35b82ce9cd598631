// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SHOWN, type EvidenceKind } from '../api/finding_kinds';
import { PANELS } from './evidence_panels';

const folder = (view: string) => new URL(`../views/${view}/`, import.meta.url);
const sources = (view: string): string =>
  readdirSync(folder(view))
    .filter((name) => /\.(svelte|ts)$/.test(name))
    .map((name) => readFileSync(new URL(name, folder(view)), 'utf8'))
    .join('\n');

it.each(Object.keys(PANELS) as EvidenceKind[])('the view of %s has its panel', (kind) => {
  const { view } = SHOWN[kind];
  const panel = PANELS[kind];
  if (panel === null) expect(view).toBe('timeline');
  else if (typeof panel === 'string') expect(sources(view)).toContain(`part="${panel}"`);
  else {
    expect(view).toBe('system');
    expect(sources(view)).toContain(`'${panel.metric}'`);
  }
});
