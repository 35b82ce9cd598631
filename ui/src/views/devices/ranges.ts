// SPDX-License-Identifier: Apache-2.0
// Durations of the ranges that the script or the framework named, by name. Names that differ in a number at
// their end alone (`step_12`, `step_13`) are told together where there are many of them, and each can be had.
import type { Columns } from '../../api/arrow';
import { hashName } from '../../base/color';
import { grouped } from '../../base/format';

export interface NamedRange {
  /** The name, whole; of names that are told together a `#` in place of the number. */
  name: string;
  category: string;
  /** In the address. */
  key: string;
  durations: number[];
  longest: { from: number; to: number };
  /** The names that are told together, the most frequent first; none: it is one name. */
  members: NamedRange[];
}

/** Options of a list: with more of them a page stands still. */
export const MOST_LISTED = 500;
/**
 * Fewer names are told one by one: `layer1` to `layer4` are rather four things than one. A `#` before the number
 * says that it counts one thing, as `ProfilerStep#3` does.
 */
export const MANY = 12;
/** Of a name in an address or a list: longer, nobody reads it. */
const MOST_IN_KEY = 200;

/** Two ranges of a name, one of each category, are two; and a name may look like what stands for many. */
function keyOf(category: string, name: string, many = ''): string {
  const short =
    name.length <= MOST_IN_KEY
      ? name
      : `${name.slice(0, MOST_IN_KEY)}…${hashName(name).toString(16)}-${name.length}`;
  return `${category}${many}:${short}`;
}

/** What names that differ in their last number share; null: there is no number at the end. */
export function stem(name: string): string | null {
  const before = name.replace(/\d+$/, '');
  return before === name || before === '' ? null : before;
}

const most = (a: NamedRange, b: NamedRange) =>
  b.durations.length - a.durations.length || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

function together(category: string, shared: string, members: NamedRange[]): NamedRange {
  const sorted = [...members].sort(most);
  const long = (r: NamedRange) => r.longest.to - r.longest.from;
  const name = shared.endsWith('#') ? shared : `${shared}#`;
  return {
    name,
    category,
    key: keyOf(category, name, ' names'),
    durations: sorted.flatMap((r) => r.durations),
    longest: sorted.reduce((best, r) => (long(r) > long(best) ? r : best)).longest,
    members: sorted,
  };
}

function byName(
  category: string,
  names: readonly string[],
  from: ArrayLike<number>,
  dur: ArrayLike<number>,
): NamedRange[] {
  const found = new Map<string, NamedRange>();
  for (let i = 0; i < names.length; ++i) {
    const name = names[i] ?? '';
    const length = dur[i] ?? 0;
    const longest = { from: from[i] ?? 0, to: (from[i] ?? 0) + length };
    const range = found.get(name);
    if (range === undefined) {
      found.set(name, {
        category,
        name,
        key: keyOf(category, name),
        durations: [length],
        longest,
        members: [],
      });
      continue;
    }
    range.durations.push(length);
    if (length > range.longest.to - range.longest.from) range.longest = longest;
  }
  return [...found.values()];
}

/** Every range of a category is in exactly one of these; the most frequent first. */
export function ranges(
  category: string,
  names: readonly string[],
  from: ArrayLike<number>,
  dur: ArrayLike<number>,
): NamedRange[] {
  const families = new Map<string, NamedRange[]>();
  const alone: NamedRange[] = [];
  for (const range of byName(category, names, from, dur)) {
    const shared = stem(range.name);
    if (shared === null) alone.push(range);
    else {
      const members = families.get(shared);
      if (members) members.push(range);
      else families.set(shared, [range]);
    }
  }
  for (const [shared, members] of families) {
    if (members.length >= MANY || (shared.endsWith('#') && members.length > 1))
      alone.push(together(category, shared, members));
    else alone.push(...members);
  }
  return alone.sort(most);
}

/** The range that the address names, and of names told together the one that it names. */
export function chosenOf(
  found: readonly NamedRange[],
  key: string | null,
  of: string | null,
): { range: NamedRange | undefined; shown: NamedRange | undefined } {
  const range = found.find((r) => r.key === key) ?? found[0];
  return { range, shown: range?.members.find((r) => r.key === of) ?? range };
}

/** A name short enough to read, with its end: by that such names differ. */
export const brief = (name: string): string =>
  name.length <= 80 ? name : `${name.slice(0, 56)}…${name.slice(-20)}`;

/** How many slices each category holds: `rows` are the statistics of the timeline (docs/reference/http.md). */
export function countsOf(rows: Columns): ReadonlyMap<string, number> {
  const counts = rows.numbers('count');
  const sums = new Map<string, number>();
  rows
    .strings('category')
    .forEach((name, i) => sums.set(name, (sums.get(name) ?? 0) + (counts[i] ?? 0)));
  return sums;
}

export interface Cut {
  category: string;
  /** Rows that are counted. */
  read: number;
  /** Rows that there are; null: not known. */
  all: number | null;
}

/** What is left out, in a sentence; empty: nothing. */
export function cutText(cuts: readonly Cut[], within: boolean): string {
  return cuts
    .map(({ category, read, all }) => {
      const whole = all === null ? 'more' : grouped(Math.max(all, read));
      return `Of category ${category} the first ${grouped(read)} of ${whole} ranges${within ? ' that run in the time range' : ''} are counted.`;
    })
    .join(' ');
}
