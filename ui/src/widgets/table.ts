// SPDX-License-Identifier: Apache-2.0
// What a table does with its rows, apart from how it looks.
import type { ListedStatus } from '../api/report';
import type { Figure } from '../base/format';
import { GLOSSARY, type Word } from '../base/glossary';
import { inertCell } from '../base/inert';

export type Cell = string | number | boolean | null | undefined;

export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  /** What the column sorts, filters and, unless it is a curve, copies by. Numbers stand right, text left. */
  readonly value: (row: Row) => Cell;
  /** How it reads; without it the value itself. */
  readonly format?: (row: Row) => Figure;
  /** 0 to 1: a bar behind the figure. */
  readonly bar?: (row: Row) => number | null;
  /** Name whose colour stands before the text. */
  readonly swatch?: (row: Row) => string;
  /** A small curve in place of the value. */
  readonly spark?: (row: Row) => readonly number[];
  /** A run's status, shown as such; null: the value as any other. */
  readonly chip?: (row: Row) => ListedStatus | null;
  readonly href?: (row: Row) => string | null | undefined;
  /** A CSS grid track; the default is right for figures. */
  readonly width?: string;
  readonly align?: 'left' | 'right';
  /** Explains the column on hover. */
  readonly help?: string;
  /** The word of the glossary that the column is about: its definition is told on hover, too. */
  readonly word?: Word;
  readonly mono?: boolean;
}

/** What a heading tells on hover: what the column is, and what it does. */
export const headingTitle = ({
  title,
  help,
  word,
}: Pick<Column<never>, 'title' | 'help' | 'word'>) =>
  [word && GLOSSARY[word], help ?? `Sort by ${title}`].filter(Boolean).join('\n');

/** What a cell tells on hover: what its column is, and under it the exact figure. */
export const cellTitle = ({ word }: Pick<Column<never>, 'word'>, exact: string): string =>
  word ? `${GLOSSARY[word]}\n${exact}` : exact;

export interface Sort {
  readonly column: string;
  readonly down: boolean;
}

/** 'name' sorts upwards, '-name' downwards. */
export function parseSort(text: string | null): Sort | null {
  if (!text) return null;
  return text.startsWith('-')
    ? { column: text.slice(1), down: true }
    : { column: text, down: false };
}

export const formatSort = (sort: Sort): string => (sort.down ? `-${sort.column}` : sort.column);

const missing = (value: Cell) => value == null || (typeof value === 'number' && isNaN(value));

function compareCells(a: Cell, b: Cell): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const x = String(a);
  const y = String(b);
  return x < y ? -1 : x > y ? 1 : 0;
}

/** Order of the rows: stable, what is not known last in either direction. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sort: Sort | null,
): readonly Row[] {
  const column = sort && columns.find((c) => c.id === sort.column);
  if (!column) return rows;
  const keys = rows.map(column.value);
  const order = rows.map((_, i) => i);
  order.sort((i, j) => {
    const a = keys[i];
    const b = keys[j];
    if (missing(a) || missing(b)) return Number(missing(a)) - Number(missing(b)) || i - j;
    return (sort.down ? compareCells(b, a) : compareCells(a, b)) || i - j;
  });
  return order.map((i) => rows[i] as Row);
}

/** Rows in which every word stands in some text column, any case. */
export function filterRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  filter: string,
): readonly Row[] {
  const needles = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (needles.length === 0) return rows;
  return rows.filter((row) => {
    const text = columns
      .map((c) => c.value(row))
      .filter((v) => typeof v === 'string')
      .join('\n')
      .toLowerCase();
    return needles.every((needle) => text.includes(needle));
  });
}

/** Exact values with a heading, cells between tabs: what a spreadsheet takes. */
export function toTsv<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const clean = (value: Cell) =>
    typeof value === 'string' ? inertCell(value.replace(/[\t\r\n]+/g, ' ')) : String(value ?? '');
  const cell = (c: Column<Row>, row: Row) => c.spark?.(row).join(' ') ?? clean(c.value(row));
  const lines = rows.map((row) => columns.map((c) => cell(c, row)).join('\t'));
  return [columns.map((c) => c.title).join('\t'), ...lines].join('\n');
}

export interface RowsInSight {
  readonly first: number;
  readonly end: number;
}

/** Rows to draw for what is in sight, with some beyond both edges so that scrolling shows no gap. */
export function rowsInSight(
  scrollTop: number,
  height: number,
  row: number,
  count: number,
): RowsInSight {
  const beyond = 8;
  const first = Math.max(0, Math.min(count, Math.floor(scrollTop / row)) - beyond);
  return { first, end: Math.min(count, Math.ceil((scrollTop + height) / row) + beyond) };
}

/** The row that a key leads to from `at` (-1: none yet); null: no key of the table. */
export function rowAfterKey(key: string, at: number, count: number, page: number): number | null {
  const to = (i: number) => Math.max(0, Math.min(count - 1, i));
  switch (key) {
    case 'ArrowDown':
      return to(at + 1);
    case 'ArrowUp':
      return to(at - 1);
    case 'PageDown':
      return to(at + page);
    case 'PageUp':
      return to(at - page);
    case 'Home':
      return to(0);
    case 'End':
      return to(count - 1);
    default:
      return null;
  }
}

/** Least width of a row, px: of the tracks' least widths, the gaps and the margins. */
export function leastWidth(tracks: readonly string[], gap: number, margin: number): number {
  const least = (track: string) => Number(/(\d+(?:\.\d+)?)px/.exec(track)?.[1] ?? 0);
  return (
    tracks.reduce((sum, t) => sum + least(t), 0) + gap * Math.max(0, tracks.length - 1) + 2 * margin
  );
}
