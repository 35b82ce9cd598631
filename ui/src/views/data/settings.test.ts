// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { STAGE_MEANING, STARVING } from './settings';

/** As reports name them: the executable's own list. */
function stages(): string[] {
  const list = new URL('../../../../src/analyze/verdict/stages.cc', import.meta.url);
  const rows = readFileSync(list, 'utf8').matchAll(/\{"(\w+)", SuspectId::kDataPipeline\}/g);
  return [...rows].map(([, name = '']) => name);
}

it('every stage of the data pipeline is explained, and no other', () => {
  expect(stages()).toContain('lock');
  expect(Object.keys(STAGE_MEANING).sort()).toEqual(stages().sort());
});

it('the queue is empty in all stages but those that take over what is ready', () => {
  expect(stages().filter((name) => !STARVING.has(name))).toEqual(['receive', 'host_to_device']);
  for (const name of STARVING) expect(stages()).toContain(name);
});
