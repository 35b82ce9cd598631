// SPDX-License-Identifier: Apache-2.0
// Colours by name. The colours themselves are tokens (app/palette.css), one set a theme; here is only which
// name gets which of them. The eight are told apart with every common colour blindness.

import { infoOf } from './suspects';

export const CATEGORIES: readonly string[] = Array.from({ length: 8 }, (_, i) => `--cat-${i}`);

/** FNV-1a, so that a name has one colour in every view, session and machine. */
export function hashName(name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) {
    hash ^= name.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  return hash >>> 0;
}

/** What has a colour of its own, and is neither a suspect nor a stage. */
const FIXED: Readonly<Record<string, string>> = {
  data: '--data',
  dataloader: '--data',
  computation: '--model',
  kernel: '--model',
  runtime: '--overhead',
  other: '--other',
  idle: '--other',
  step: '--accent',
  put: '--cat-2',
};

/** The token of a name's colour, e.g. `--cat-3`. */
export function tokenOf(name: string): string {
  const own = infoOf(name)?.color ?? FIXED[name];
  return own ?? (CATEGORIES[hashName(name) % CATEGORIES.length] as string);
}

/** The same beside others, which are added to `used`: of two that would share one of the eight, the later takes the next. */
export function freeToken(name: string, used: string[]): string {
  const own = tokenOf(name);
  const at = CATEGORIES.indexOf(own);
  const next = CATEGORIES.map((_, i) => CATEGORIES[(at + i) % CATEGORIES.length] as string);
  const chosen = at < 0 ? own : (next.find((token) => !used.includes(token)) ?? own);
  used.push(chosen);
  return chosen;
}

/** For a style: `var(--cat-3)`. */
export const colorOf = (name: string): string => `var(${tokenOf(name)})`;
