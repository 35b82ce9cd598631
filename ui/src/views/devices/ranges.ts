// SPDX-License-Identifier: Apache-2.0
// Durations of the user's own ranges by name.

export interface Range {
  name: string;
  durations: number[];
  longest: { from: number; to: number };
}

/** Longer, nobody reads it, and a page with a million letters in an attribute stands still. */
const MAX_NAME = 512;

/** `step_12` and `step_13` are one range: numbers at the end count copies of it. */
export const rangeName = (name: string): string =>
  name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name.replace(/[#_ -]?\d+$/, '') || name;

export function ranges(
  names: readonly string[],
  from: ArrayLike<number>,
  dur: ArrayLike<number>,
): Range[] {
  const found = new Map<string, Range>();
  for (let i = 0; i < names.length; ++i) {
    const name = rangeName(names[i] ?? '');
    const length = dur[i] ?? 0;
    const begin = from[i] ?? 0;
    const range = found.get(name);
    if (range === undefined) {
      found.set(name, { name, durations: [length], longest: { from: begin, to: begin + length } });
      continue;
    }
    range.durations.push(length);
    if (length > range.longest.to - range.longest.from) {
      range.longest = { from: begin, to: begin + length };
    }
  }
  return [...found.values()].sort((a, b) => b.durations.length - a.durations.length);
}
