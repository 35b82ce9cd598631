// SPDX-License-Identifier: Apache-2.0
// Colours by name. The colours themselves are tokens (app/palette.css), one set a theme; here is only which
// name gets which of them. The eight are told apart with every common colour blindness.

import { infoOf } from './suspects';

export const CATEGORIES = 8;

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
  return own ?? `--cat-${hashName(name) % CATEGORIES}`;
}

/** For a style: `var(--cat-3)`. */
export const colorOf = (name: string): string => `var(${tokenOf(name)})`;
