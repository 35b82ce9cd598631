// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import {
  cellTitle,
  filterRows,
  leastWidth,
  formatSort,
  headingTitle,
  parseSort,
  rowAfterKey,
  rowsInSight,
  sortRows,
  toTsv,
  type Column,
} from './table';

interface Row {
  name: string;
  ns: number | null;
}

const columns: Column<Row>[] = [
  { id: 'name', title: 'Name', value: (r) => r.name },
  { id: 'ns', title: 'Time', value: (r) => r.ns },
];
const rows: Row[] = [
  { name: 'mm', ns: 5 },
  { name: 'add', ns: null },
  { name: 'Copy', ns: 7 },
  { name: 'relu', ns: 5 },
];
const names = (of: readonly Row[]) => of.map((r) => r.name).join(' ');

describe('a column about a word of the glossary', () => {
  it('tells its definition, and under it what it does or the exact figure', () => {
    type Headed = Pick<Column<Row>, 'title' | 'help' | 'word'>;
    const plain: Headed = { title: 'Time' };
    const own: Headed = { title: 'Own', help: 'On the host', word: 'own time' };
    expect(headingTitle(plain)).toBe('Sort by Time');
    expect(headingTitle(own)).toMatch(/^The time of .*calls\.\nOn the host$/);
    expect(cellTitle(plain, '12 ns')).toBe('12 ns');
    expect(cellTitle(own, '12 ns').split('\n')[1]).toBe('12 ns');
  });
});

describe('sorting', () => {
  it.each([
    ['ns', 'mm relu Copy add'],
    ['-ns', 'Copy mm relu add'], // equal rows keep their order, what is not known stays last
    ['name', 'Copy add mm relu'],
    ['gone', 'mm add Copy relu'],
    [null, 'mm add Copy relu'],
  ])('%s', (sort, expected) => {
    expect(names(sortRows(rows, columns, parseSort(sort)))).toBe(expected);
  });

  it('reads and writes itself', () => {
    for (const text of ['ns', '-ns']) expect(formatSort(parseSort(text) ?? never())).toBe(text);
  });
});

function never(): never {
  throw new Error('no sort');
}

it('filtering takes every word, any case, from text columns only', () => {
  expect(names(filterRows(rows, columns, 'COP'))).toBe('Copy');
  expect(names(filterRows(rows, columns, 'e l'))).toBe('relu');
  expect(names(filterRows(rows, columns, '5'))).toBe('');
  expect(filterRows(rows, columns, '  ')).toBe(rows);
});

it('copies exact values, one line a row', () => {
  expect(toTsv([{ name: 'a\tb\nc', ns: 1234567 }], columns)).toBe('Name\tTime\na b c\t1234567');
  expect(toTsv([{ name: '=1+1', ns: -1 }], columns)).toBe("Name\tTime\n'=1+1\t-1");
});

it('draws what is in sight, whatever the number of rows', () => {
  expect(rowsInSight(0, 300, 30, 100_000)).toEqual({ first: 0, end: 18 });
  expect(rowsInSight(1_500_000, 300, 30, 100_000)).toEqual({ first: 49_992, end: 50_018 });
  expect(rowsInSight(9e9, 300, 30, 5)).toEqual({ first: 0, end: 5 });
  expect(rowsInSight(0, 300, 30, 0)).toEqual({ first: 0, end: 0 });
});

it('keys stay inside the table', () => {
  expect(rowAfterKey('ArrowDown', -1, 3, 10)).toBe(0);
  expect(rowAfterKey('ArrowUp', 0, 3, 10)).toBe(0);
  expect(rowAfterKey('PageDown', 1, 3, 10)).toBe(2);
  expect(rowAfterKey('End', 0, 3, 10)).toBe(2);
  expect(rowAfterKey('x', 0, 3, 10)).toBeNull();
});

it('a row is as wide as its tracks ask for at least', () => {
  expect(leastWidth(['24px', 'minmax(160px, 2fr)', '70.5px'], 16, 16)).toBe(
    24 + 160 + 70.5 + 32 + 32,
  );
});
