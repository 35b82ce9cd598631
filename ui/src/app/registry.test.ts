// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { viewTitle } from '../state/view';
import { views } from './registry';

it('links call a view what the navigation calls it', () => {
  expect(views.length).toBeGreaterThan(10);
  for (const { id, title } of views) expect(viewTitle(id)).toBe(title);
});
