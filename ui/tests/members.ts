// SPDX-License-Identifier: Apache-2.0
// The numbers of a report, each under the path of its member, and what can be summed up of them: what a figure that
// is shown may be. Knows nothing of how the pages or the terminal make theirs.
import type { Quantity, Unit } from './quantity';
import { withoutTexts } from './texts';

/** Of the rows of a list all are under one path: `/distributed/ranks/[]/mean_step_ns`. */
interface Member {
  readonly value: number;
  readonly path: string;
  readonly unit: Unit | null;
  /** It is no member, but made of some. */
  readonly made: boolean;
}

/** What the rows say of which they are, and in which list they stand: lists are summed up by each. */
type Labels = Readonly<Record<string, string>>;
interface Leaf {
  readonly value: number;
  readonly labels: Labels;
}

const UNITS: Readonly<Record<string, Unit>> = {
  ns: 'ns',
  bytes: 'bytes',
  'bytes/s': 'bytes',
  share: 'share',
};

/** Of a member by its name, or by that of what it lies in: `duration_ns/p50`. */
function unitOf(path: string): Unit | null {
  for (const name of path.split('/').reverse()) {
    if (/(^|_)ns$/.test(name)) return 'ns';
    if (/(^|_)bytes/.test(name)) return 'bytes';
    if (/share|utilization|efficiency|occupancy/.test(name)) return 'share';
  }
  return null;
}

const WHICH = /^(rank|device|stream|step|node|pid|at)( \(|$)/;
/** Texts, answers, and numbers that say which, not how much. */
const isWhich = (name: string, value: unknown) =>
  typeof value === 'string' || typeof value === 'boolean' || WHICH.test(name);

/** Not of numbers that say which, nor of the numbers of a shape or a curve, anything is summed up. */
const isAmount = (path: string) => !WHICH.test(nameOf(path)) && !path.endsWith('[]');
const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);

/** The list in whose rows it stands. */
const listOf = (path: string) => path.slice(0, path.lastIndexOf('[]') + 2);
/** What others are measured by. */
const WHOLE = /(^|_|\/)(span|dur|duration|total|busy|waits?|ns|bytes|calls|count|samples)(_ns)?$/;

/** What is made of members, before a number of few digits: there is so much of it that one is met by chance. */
export const PERHAPS = 'perhaps ';

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
const SUMMED: readonly (readonly [string, (values: readonly number[]) => number])[] = [
  ['sum of', sum],
  ['mean of', (values) => sum(values) / values.length],
  ['most of', (values) => values.reduce((a, b) => Math.max(a, b), -Infinity)],
  ['least of', (values) => values.reduce((a, b) => Math.min(a, b), Infinity)],
  ['number of', (values) => values.length],
  ['number, but for 0, of', (values) => values.filter((v) => v !== 0).length],
];

export class Members {
  /** Takes names, commands and sentences out of a text. */
  readonly without: (text: string) => string;
  /** All in which there is a digit. */
  private readonly texts = new Set<string>();
  private readonly leaves = new Map<string, Leaf[]>();
  private readonly units = new Map<string, Unit>();
  private readonly members: Member[] = [];
  private seen = new Map<string, Set<number>>();
  private lists = 0;

  /** `mean`: of a step, ns; shares of steps are told as times of it too. */
  constructor(json: unknown, mean: number | null = null) {
    this.walk(json, '', {}, null);
    this.without = withoutTexts(this.texts);
    for (const [path, leaves] of this.leaves) {
      const unit = this.unit(path);
      for (const { value } of leaves) {
        if (!/^at( |$)/.test(nameOf(path))) this.add(path, value, unit, false);
        if (/_s(\/\w+)?$/.test(path) && !path.includes('per_s'))
          this.add(path, value * 1e9, 'ns', false);
        if (path.endsWith(')')) this.add(`${path}, its unit apart`, value, null, false);
        if (path.endsWith('_percent')) this.add(path, value / 100, unit, false);
        if (unit === 'share' && value >= 0 && value <= 1)
          this.add(`the rest beside ${path}`, 1 - value, unit);
        if (mean !== null && unit === 'share')
          this.add(`a step's ${path}`, Math.round(value * mean), 'ns', false);
      }
      if (path.includes('[]') && isAmount(path)) this.sumUp(path, leaves, unit);
    }
    this.compare();
    this.members.sort((a, b) => a.value - b.value);
    this.seen = new Map();
  }

  /** The members that a figure may be of: within its tolerance, in its unit. */
  find({ value, tolerance, unit }: Quantity): Set<string> {
    const found = new Set<string>();
    const look = (at: number, within: number, units: readonly (Unit | null)[]) => {
      const slack = Math.max(within, Math.abs(at) * 1e-9);
      for (let i = this.first(at - slack); i < this.members.length; ++i) {
        const member = this.members[i];
        if (!member || member.value > at + slack) break;
        if (!units.includes(member.unit)) continue;
        found.add(member.made && within > 0 ? `${PERHAPS}${member.path}` : member.path);
      }
    };
    if (unit !== 'share') look(value, tolerance, [unit]);
    else look(value / 100, tolerance / 100, ['share', null]);
    // Both ends of a range share one sign of percent, behind the second.
    if (unit === null) look(value / 100, tolerance / 100, ['share']);
    return found;
  }

  private add(path: string, value: number, unit: Unit | null, made = true): void {
    if (!Number.isFinite(value)) return;
    let values = this.seen.get(path);
    if (!values) this.seen.set(path, (values = new Set()));
    if (values.has(value)) return;
    values.add(value);
    this.members.push({ path, value, unit, made });
  }

  private readonly unit = (path: string) => this.units.get(path) ?? unitOf(path);

  private sumUp(path: string, leaves: readonly Leaf[], unit: Unit | null) {
    const whole = sum(leaves.map((leaf) => leaf.value));
    for (const [by, groups] of grouped(leaves)) {
      for (const [what, of] of SUMMED)
        for (const group of groups.values())
          this.add(
            `${what} ${path}${by}`,
            of(group),
            what.startsWith('number') ? null : unit,
            !/^(sum|number)/.test(what),
          );
      for (const group of groups.values())
        if (whole > 0) this.add(`part of ${path}${by}`, sum(group) / whole, 'share');
      this.add(`number of${by}, of ${path}`, groups.size, null, false);
    }
    if (whole > 0)
      for (const { value } of leaves) this.add(`part of ${path}`, value / whole, 'share');
  }

  /** Parts of each row, by what is a whole in it, and the same of what the rows sum to. */
  private compare() {
    const lists = new Map<string, string[]>();
    for (const path of this.leaves.keys())
      lists.set(listOf(path), [...(lists.get(listOf(path)) ?? []), path]);
    for (const paths of lists.values())
      for (const whole of paths.filter((path) => WHOLE.test(path)))
        for (const part of paths.filter(isAmount))
          if (part !== whole) this.compareBoth(part, whole);
  }

  private compareBoth(part: string, whole: string) {
    const [parts, wholes] = [this.leaves.get(part) ?? [], this.leaves.get(whole) ?? []];
    if (parts.length !== wholes.length) return;
    const alike = this.unit(part) === this.unit(whole);
    const unit = alike ? 'share' : this.unit(whole) === null ? this.unit(part) : null;
    const rate = !alike && this.unit(part) === 'bytes' && this.unit(whole) === 'ns';
    const put = (by: string, a: number, b: number) => {
      const value = rate ? (a / b) * 1e9 : a / b;
      this.add(`${part} / ${whole}${by}`, value, rate ? 'bytes' : unit);
      if (unit === 'ns') this.add(`${part} / ${whole}${by}`, Math.round(value), unit);
    };
    parts.forEach(({ value }, i) => put('', value, wholes[i]?.value ?? 0));
    const groups = new Map(grouped(wholes));
    for (const [by, own] of grouped(parts))
      for (const [label, values] of own)
        put(by, sum(values), sum(groups.get(by)?.get(label) ?? []));
  }

  private walk(value: unknown, path: string, labels: Labels, unit: Unit | null): void {
    if (typeof value === 'string' && !/^\d+(\.\d+)?$/.test(value)) {
      if (/\d/.test(value)) this.texts.add(value);
    } else if (typeof value === 'string') this.walk(Number(value), path, labels, unit);
    else if (typeof value === 'number') {
      const leaves = this.leaves.get(path) ?? [];
      leaves.push({ value, labels });
      this.leaves.set(path, leaves);
      if (unit !== null) this.units.set(path, unit);
    } else if (Array.isArray(value)) {
      const own = { ...labels, [`list ${path}`]: String(++this.lists) };
      for (const item of value) this.walk(item, `${path}/[]`, own, unit);
    } else if (typeof value === 'object' && value !== null) this.walkObject(value, path, labels);
  }

  private walkObject(object: object, path: string, labels: Labels): void {
    const fields = Object.entries(object);
    const own = Object.fromEntries(
      fields
        .filter(([name, value]) => path.endsWith('[]') && isWhich(name, value))
        .map(([name, value]) => [`${path}/${name}`, String(value)]),
    );
    // Of rows that tell their unit, those of each unit are a member of their own.
    const told = 'unit' in object && typeof object.unit === 'string' ? object.unit : '';
    for (const [name, value] of fields) {
      const as = told !== '' && typeof value === 'number' ? `${name} (${told})` : name;
      this.walk(value, `${path}/${as}`, { ...labels, ...own }, UNITS[told] ?? null);
    }
  }

  /** Index of the first member that is not below. */
  private first(value: number): number {
    let [low, high] = [0, this.members.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.members[middle]?.value ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** All values, and those of each group of rows that have something in common: in all lists of a kind, and in one. */
function* grouped(leaves: readonly Leaf[]): Generator<[string, Map<string, number[]>]> {
  yield ['', new Map([['', leaves.map((leaf) => leaf.value)]])];
  const names = Object.keys(leaves[0]?.labels ?? {});
  const list = names.findLast((name) => name.startsWith('list '));
  for (const name of names) {
    const all = grouping(leaves, (labels) => labels[name] ?? '');
    if (all.size > 1 || name === list) yield [` by ${name}`, all];
    if (list === undefined || !name.startsWith(`${list.slice('list '.length)}/[]`)) continue;
    const own = grouping(leaves, (labels) => `${labels[list] ?? ''} ${labels[name] ?? ''}`);
    if (own.size > all.size) yield [` by ${name} in a list`, own];
  }
}

function grouping(leaves: readonly Leaf[], key: (labels: Labels) => string): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (const { value, labels } of leaves) {
    const group = groups.get(key(labels));
    if (group) group.push(value);
    else groups.set(key(labels), [value]);
  }
  return groups;
}
