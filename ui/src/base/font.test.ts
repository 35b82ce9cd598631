// SPDX-License-Identifier: Apache-2.0
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FONT_FAMILY } from './font';

const SOURCES = join(import.meta.dirname, '..');

it('canvases write in the font of the pages, which is spelled here and in the tokens alone', () => {
  const tokens = readFileSync(join(SOURCES, 'app/tokens.css'), 'utf8');
  expect(/--font: ([^;]+);/.exec(tokens)?.[1]).toBe(FONT_FAMILY);
  const spelled = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(
    (name) =>
      /\.(ts|svelte|css)$/.test(name) &&
      readFileSync(join(SOURCES, name), 'utf8').includes(FONT_FAMILY),
  );
  expect(spelled.sort()).toEqual(['app/tokens.css', 'base/font.ts']);
});
