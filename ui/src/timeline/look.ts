// SPDX-License-Identifier: Apache-2.0
// What a canvas needs to know of the theme: it knows no CSS variables.
import type { Theme } from './colour';

export interface Look {
  theme: Theme;
  surface: string;
  sunken: string;
  line: string;
  lineStrong: string;
  text: string;
  text2: string;
  text3: string;
  accent: string;
  selected: string;
  steps: string;
  evaluation: string;
  launch: string;
  collective: string;
  counter: string;
}

const TOKENS = {
  surface: '--surface',
  sunken: '--sunken',
  line: '--line',
  lineStrong: '--line-strong',
  text: '--text',
  text2: '--text-2',
  text3: '--text-3',
  accent: '--accent',
  selected: '--selected',
  steps: '--heat-1',
  evaluation: '--heat-0',
  launch: '--cat-4',
  collective: '--communication',
  counter: '--accent',
} as const;

/** `token` gives a CSS variable's value. */
export function lookOf(theme: Theme, token: (name: string) => string): Look {
  const entries = Object.entries(TOKENS).map(([name, variable]) => [name, token(variable)]);
  return { theme, ...(Object.fromEntries(entries) as Record<keyof typeof TOKENS, string>) };
}
