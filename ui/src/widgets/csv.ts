// SPDX-License-Identifier: Apache-2.0
// What a chart shows, as a file for other programs: exact values, the units in the heading.
import { inertCell } from '../base/inert';
import type { ChartLine } from './chart';

type Value = string | number | null | undefined;

export interface CsvColumn {
  readonly title: string;
  readonly values: ArrayLike<Value>;
}

/** "step time (ns)"; what is counted or has no unit has none here. */
export const headed = (name: string, unit: string): string => (unit ? `${name} (${unit})` : name);

/** Names come from strangers: none may end its cell. */
function text(value: string): string {
  const cell = inertCell(value);
  return /[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function cell(value: Value): string {
  if (value == null || (typeof value === 'number' && !Number.isFinite(value))) return '';
  return typeof value === 'number' ? String(value) : text(value);
}

/** A line a row, as RFC 4180 has it but for its line ends; what is not known is empty. */
export function toCsv(columns: readonly CsvColumn[]): string {
  const length = Math.max(0, ...columns.map((column) => column.values.length));
  const lines = [columns.map((column) => text(column.title)).join(',')];
  for (let i = 0; i < length; i++)
    lines.push(columns.map((column) => cell(column.values[i])).join(','));
  return `${lines.join('\n')}\n`;
}

/** A row a place of the chart; of stacked layers their own values. */
export const chartColumns = (
  xTitle: string,
  x: ArrayLike<number>,
  lines: readonly ChartLine[],
  unit: string,
): CsvColumn[] => [
  { title: xTitle, values: x },
  ...lines.map((line) => ({
    title: headed(line.name, line.right?.unit ?? unit),
    values: line.told ?? line.values,
  })),
];

/** A row a cell of time, a column a row of the map. */
export function heatColumns(
  rows: readonly { name: string; values: ArrayLike<number> }[],
  edges: ArrayLike<number>,
  unit: string,
): CsvColumn[] {
  const moments = Array.from(edges);
  return [
    { title: 'from (ns)', values: moments.slice(0, -1) },
    { title: 'to (ns)', values: moments.slice(1) },
    ...rows.map((row) => ({ title: headed(row.name, unit), values: row.values })),
  ];
}

/** A row a bin; the last holds its end, the others do not. */
export const binColumns = (
  bins: readonly { from: number; to: number; count: number }[],
  unit: string,
): CsvColumn[] => [
  { title: headed('from', unit), values: bins.map((bin) => bin.from) },
  { title: headed('to', unit), values: bins.map((bin) => bin.to) },
  { title: 'count', values: bins.map((bin) => bin.count) },
];

interface Part {
  readonly name: string;
  readonly title?: string;
  readonly value: number;
  readonly share: number;
}

/** Values with their shares of the whole; NaN where there is nothing. */
export function withShares<T extends { value: number }>(parts: readonly T[]) {
  const total = parts.reduce((sum, part) => sum + part.value, 0);
  return parts.map((part) => ({ ...part, share: total > 0 ? part.value / total : NaN }));
}

/** A row a part of a whole. */
export const partColumns = (parts: readonly Part[], unit: string): CsvColumn[] => [
  { title: 'name', values: parts.map((part) => part.title ?? part.name) },
  { title: headed('value', unit), values: parts.map((part) => part.value) },
  { title: 'share', values: parts.map((part) => part.share) },
];

/** Of a name what every disk takes: "Duration of each step" → "duration-of-each-step". */
export const fileName = (...parts: readonly string[]): string =>
  parts
    .map((part) =>
      part
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, '-')
        .replace(/^-+|-+$/g, '')
        .slice(0, 80),
    )
    .filter(Boolean)
    .join('.') || 'chart';
