// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { GLOSSARY } from './glossary';

it('holds what the docs define, without their marks, as much as a tooltip holds', () => {
  expect(GLOSSARY['own time']).toMatch(/^The time of a function/);
  for (const definition of Object.values(GLOSSARY)) {
    expect(definition).toMatch(/\.$/);
    expect(definition).not.toMatch(/[*`]|\]\(/);
    expect(definition.length).toBeLessThan(300);
  }
});
