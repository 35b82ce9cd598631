// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { toCsv } from '../widgets/csv';
import { boxAfterKey, boxOf, flameColumns, keyOf, pathTo, settle, told, type Flame } from './flame';

type Drawn = readonly [string, number, ...Drawn[]];

function flame([name, value, ...children]: Drawn, depth = 0): Flame {
  const made = children.map((child) => flame(child, depth + 1));
  return { name, value, count: value / 10, depth, from: 0, children: made };
}

function graph(drawn: Drawn): Flame {
  const root = flame(drawn);
  settle(root);
  return root;
}

const at = (root: Flame, ...names: string[]): Flame =>
  names.reduce((of, name) => of.children.find((c) => c.name === name) ?? of, root);

const root = graph([
  'all',
  100,
  ['main', 90, ['load', 60, ['read', 50]], ['step', 30]],
  ['gc', 10],
]);
const read = at(root, 'main', 'load', 'read');

it('is saved as rows that name the row of their caller', () => {
  expect(toCsv(flameColumns(root, 'ns', 'call')).split('\n')).toEqual([
    'row,row of caller,depth,name,total (ns),own (ns),calls',
    '1,,0,all,100,0,10',
    '2,1,1,main,90,0,9',
    '3,1,1,gc,10,10,1',
    '4,2,2,load,60,10,6',
    '5,2,2,step,30,30,3',
    '6,4,3,read,50,50,5',
    '',
  ]);
  expect(flameColumns(read, 'ns', '').map((c) => c.values)).toEqual([
    [1],
    [NaN],
    [3],
    ['read'],
    [50],
    [50],
  ]);
});

describe('the key of a box', () => {
  it('the key of a box selects that box, and the root has none', () => {
    expect(boxOf(root, keyOf(root, read))).toBe(read);
    expect(keyOf(root, root)).toBe('');
    expect(boxOf(root, '')).toBe(root);
    expect(pathTo(root, read).map((f) => f.name)).toEqual(['all', 'main', 'load', 'read']);
  });

  it('is that of its callers: another measure or newer data has it elsewhere', () => {
    const grown = graph(['all', 300, ['gc', 200], ['main', 100, ['load', 99, ['read', 1]]]]);
    expect(boxOf(grown, keyOf(root, read))).toBe(at(grown, 'main', 'load', 'read'));
    const other = graph(['all', 9, ['read', 9, ['read', 5]]]);
    expect(boxOf(other, keyOf(root, read))).toBe(other);
    expect(keyOf(other, at(other, 'read'))).not.toBe(keyOf(other, at(other, 'read', 'read')));
  });

  it('an invalid key selects the whole graph', () => {
    expect(boxOf(root, '<b>')).toBe(root);
  });
});

describe('keys', () => {
  const drawn = new Set([root, ...root.children, ...at(root, 'main').children]);
  const after = (key: string, from: Flame) => boxAfterKey(key, root, from, drawn)?.name ?? null;
  it.each([
    ['ArrowDown', root, 'main'],
    ['ArrowDown', at(root, 'main'), 'load'],
    ['ArrowDown', at(root, 'main', 'load'), null], // `read` is too narrow to be drawn
    ['ArrowUp', at(root, 'main', 'step'), 'main'],
    ['ArrowUp', root, null],
    ['ArrowRight', at(root, 'main'), 'gc'],
    ['ArrowRight', at(root, 'gc'), null],
    ['ArrowLeft', at(root, 'main', 'step'), 'load'],
    ['ArrowLeft', at(root, 'main'), null],
    ['Home', at(root, 'main', 'step'), 'all'],
    ['x', root, null],
  ] as const)('%s of %o', (key, from, name) => expect(after(key, from)).toBe(name));
});

it('tells a box exactly: its time, of how much, and how often', () => {
  const big = graph(['all', 2_000_000, ['f', 1_234_567]]);
  const f = { ...at(big, 'f'), count: 12_345 };
  const plain = (text: string) => text.replaceAll('\u00a0', ' ');
  const said = told(big, f, 'sample');
  expect(plain(said.time)).toBe('1.23 ms · 1,234,567 ns');
  expect(plain(said.share)).toBe('61.7 % of 2,000,000 ns');
  expect(said.count).toBe('12,345 samples');
  expect(told(big, { ...f, count: 1 }, 'call').count).toBe('1 call');
  expect(told(big, { name: 'g', value: 1, depth: 1, from: 0, children: [] }, 'call').count).toBe(
    '',
  );
});
