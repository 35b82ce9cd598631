// SPDX-License-Identifier: Apache-2.0
// What the walk over all pages does with them: it takes every number that is seen, each with its name, and asks
// which members of the report it can be, in every run in which that name stands.
import type { FigureSaid } from '../src/base/prose';
import { PERHAPS, type Members } from './members';
import { quantitiesIn, withoutNumbers, type Quantity } from './quantity';

/** A piece of a page, or of the terminal: a figure, or a text in which there are digits. */
export interface Seen {
  readonly part: string;
  /** What it is called there; of a row of a table its column. */
  readonly label: string;
  readonly row: string;
  /** The place among those that share the name; 0: it has it alone. */
  readonly at: number;
  readonly text: string;
  /** As it is on hover and copy; null: it is no figure. */
  readonly exact: string | null;
}

/** Runs in the page: everything in `root` that is seen and has a digit. */
export function seenIn(root: Element): Seen[] {
  const BLOCK =
    'p, li, dd, dt, td, th, h1, h2, h3, a, button, label, summary, [role=gridcell], div';
  const clean = (text: string | null | undefined) => (text ?? '').replace(/\s+/g, ' ').trim();
  const ofPart = (node: Element) =>
    clean(node.closest('section, [role=region]')?.querySelector('h2, h3')?.textContent);

  /** The words of a block without those of its figures. */
  function wordsOf(block: Element | null): string {
    if (!block) return '';
    const copy = block.cloneNode(true) as Element;
    for (const figure of copy.querySelectorAll('[data-exact]')) figure.textContent = '#';
    return clean(copy.textContent).slice(0, 160);
  }

  /** The place among the figures of a block that has no names for them. */
  function among(block: Element | null, node: Element): number {
    const all = [...(block?.querySelectorAll('[data-exact]') ?? [])];
    return all.length > 1 ? all.indexOf(node) + 1 : 0;
  }

  function named(node: Element): [string, string, number] {
    const cell = node.closest('[role=gridcell]');
    if (cell) {
      const heads = cell.closest('[role=grid]')?.querySelectorAll('[role=columnheader]') ?? [];
      const cells = [...(cell.parentElement?.children ?? [])];
      const first = cells.find((c) => c.textContent) as HTMLElement | undefined;
      return [
        clean(heads[cells.indexOf(cell)]?.textContent).replace(/ ?[↓↑]$/, ''),
        first?.title ?? '',
        0,
      ];
    }
    const stat = node.closest('.stat');
    if (stat) return [clean(stat.querySelector('dt')?.textContent), '', among(stat, node)];
    const td = node.closest('td');
    if (td) {
      const head = td.closest('table')?.querySelector('thead tr')?.children[td.cellIndex];
      const row = clean(td.parentElement?.firstElementChild?.textContent);
      return [clean(head?.textContent), row, head ? among(td, node) : td.cellIndex];
    }
    const item = node.closest('[data-what]');
    const name = item?.querySelector<HTMLElement>('[data-name]');
    if (item && name) return ['', name.title || clean(name.textContent), among(item, node)];
    const block = node.closest('p, li, dd, h2, div');
    return [wordsOf(block), '', among(block, node)];
  }

  const seen: Seen[] = [];
  for (const node of root.querySelectorAll<HTMLElement>('[data-exact]')) {
    if (!node.checkVisibility() || !node.textContent) continue;
    const [label, row, at] = named(node);
    const exact = node.dataset.exact ?? '';
    seen.push({ part: ofPart(node), label, row, at, text: clean(node.textContent), exact });
  }
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const within = node.parentElement;
    if (!within || !/\d/.test(node.textContent ?? '')) continue;
    if (within.closest('[data-exact], svg text') || !within.checkVisibility()) continue;
    const block = within.closest(BLOCK);
    const cell = within.closest('[role=gridcell], td');
    const [label, row, at] = cell ? named(within) : [wordsOf(block), '', 0];
    // What is cut to fit is reported in whole on hover.
    const whole = within.closest<HTMLElement>('[title]')?.title;
    const text = whole && within.closest('[role=gridcell], [data-name]') ? whole : node.textContent;
    seen.push({ part: ofPart(within), label, row, at, text: clean(text), exact: null });
  }
  return seen;
}

interface Place {
  readonly of: string;
  readonly row: string;
  readonly shown: string;
  readonly found: ReadonlySet<string>;
}

/** Numbers of one name, and the members that each of them can be. */
export interface Named {
  readonly name: string;
  readonly by: readonly string[];
  readonly places: readonly Place[];
}

/** Takes what is seen of the runs one by one, and tells at the end which numbers no member explains. */
export class Walk {
  /** Figures that read otherwise than they are. */
  readonly wrong: string[] = [];
  private readonly places = new Map<string, Place[]>();

  /** `of`: the run. `where`: the view, or the command. */
  add(of: string, where: string, members: Members, all: readonly Seen[]): void {
    for (const one of all) {
      const place = (one.at > 0 ? `, ${one.at}` : '') + (one.exact === null ? ' (text)' : '');
      const name = `${[where, one.part, one.label].map(withoutNumbers).join(' › ')}${place}`;
      const put = (all: readonly Quantity[], find: (of: Quantity) => Set<string>) =>
        this.put(name, { of, row: one.row }, all, find);
      const [told, ...more] = quantitiesIn(one.exact ?? '', true);
      if (told && more.length === 0) {
        if (misread(one.text, told))
          this.wrong.push(`${of}: ${name}: reads ${one.text}, is ${one.exact ?? ''}`);
        put([told], (quantity) => members.find(quantity));
      } else
        put(quantitiesIn(members.without(one.exact ?? one.text)), (quantity) =>
          found(members, quantity),
        );
    }
  }

  private put(
    name: string,
    where: { of: string; row: string },
    all: readonly Quantity[],
    find: (of: Quantity) => Set<string>,
  ) {
    for (const [i, quantity] of all.entries()) {
      const key = all.length > 1 ? `${name} (${i + 1})` : name;
      const places = this.places.get(key) ?? [];
      places.push({ ...where, shown: quantity.text, found: find(quantity) });
      this.places.set(key, places);
    }
  }

  /** A member explains all numbers of a name; else one all of each row, in all runs, or at least in each. */
  *named(): Generator<Named> {
    for (const [name, places] of this.places)
      for (const one of split({ name, places }, ({ row }) => row))
        if (one.by.length > 0) yield one;
        else yield* split(one, ({ row, of }) => (row === '' ? '' : of));
  }
}

/** All as one where a member explains all, else apart by `key`. */
function* split(
  { name, places }: Omit<Named, 'by'>,
  key: (place: Place) => string,
): Generator<Named> {
  const by = inCommon(places);
  if (by.length > 0) return yield { name, places, by };
  for (const part of new Set(places.map(key))) {
    const own = places.filter((place) => key(place) === part);
    yield { name: part === '' ? name : `${name} [${part}]`, places: own, by: inCommon(own) };
  }
}

function inCommon(places: readonly Place[]): string[] {
  const [first, ...rest] = places;
  return [...(first?.found ?? [])].filter(
    (path) =>
      rest.every(({ found }) => found.has(path)) &&
      (!path.startsWith(PERHAPS) || new Set(places.map(({ shown }) => shown)).size > 1),
  );
}

/** A number without a unit may be a count, or three digits of something else: "25" is 24.97, too. */
function found(members: Members, quantity: Quantity): Set<string> {
  const all = members.find(quantity);
  const { value, tolerance } = quantity;
  if (tolerance > 0 || value === 0) return all;
  const third = 0.5001 * 10 ** (Math.floor(Math.log10(Math.abs(value))) - 2);
  return new Set([...all, ...members.find({ ...quantity, tolerance: third })]);
}

/** What is read is what it is exactly, but for what was rounded. */
function misread(text: string, told: Quantity): boolean {
  const [read] = quantitiesIn(text);
  if (/^[–-]?$/.test(text)) return false;
  if (!read) return true;
  if (text.startsWith('<')) return told.value >= read.value;
  const rounded = read.tolerance > 0 || !Number.isInteger(told.value) ? read.digit : 0;
  return Math.abs(read.value - told.value) > rounded * (1 + 1e-9) + Math.abs(told.value) * 1e-12;
}

/** What the terminal prints: a line each, with the heading under which it stands. */
export function seenInText(text: string, members: Members): Seen[] {
  let part = '';
  return members
    .without(text)
    .split('\n')
    .flatMap((line) => {
      const [heading] = line.split(/ {2,}/);
      if (/^\S/.test(line)) part = heading ?? '';
      const label = line
        .replace(/[\u2581-\u258f]+/g, ' ')
        .replace(/\s+/g, ' ')
        .trim();
      return /\d/.test(label) ? [{ part, label, row: '', at: 0, text: label, exact: null }] : [];
    });
}

/** Figures of a report's sentences that do not read as they are. */
export function misreadSentences(json: unknown): string[] {
  if (typeof json !== 'object' || json === null) return [];
  const { text, figures } = json as { text?: unknown; figures?: unknown };
  const own = Array.isArray(figures) ? (figures as FigureSaid[]).filter(isMisread) : [];
  return [
    ...own.map((figure) => `${String(text)}: ${JSON.stringify(figure)}`),
    ...Object.values(json).flatMap(misreadSentences),
  ];
}

function isMisread({ text, value, unit }: FigureSaid): boolean {
  const [read] = quantitiesIn(text);
  if (value === null || !read) return value !== null;
  if (text.startsWith('<')) return value * (unit === 'share' ? 100 : 1) >= read.value;
  return Math.abs(read.value - value * (unit === 'share' ? 100 : 1)) > read.digit * (1 + 1e-9);
}
