// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { viewTitle } from '../state/view';
import { views } from './registry';

// Beside the views there are the list of runs and two runs compared, which the frame itself shows.
it('every folder of views is shown', () => {
  const files = Object.keys(import.meta.glob('../views/*/*.svelte'));
  const folders = new Set(files.map((path) => path.split('/')[2]));
  const exported = Object.keys(import.meta.glob('../views/*/index.ts'));
  const shown = exported.map((path) => path.split('/')[2]);
  expect([...folders].sort()).toEqual([...shown, 'compare', 'runs'].sort());
});

it('links call a view what the navigation calls it', () => {
  expect(views.length).toBeGreaterThan(10);
  for (const { id, title } of views) expect(viewTitle(id)).toBe(title);
});
