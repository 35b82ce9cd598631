// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import {
  binColumns,
  chartColumns,
  fileName,
  headed,
  heatColumns,
  partColumns,
  toCsv,
  withShares,
} from './csv';

it('a chart is a row a place, exact, with the units in its heading', () => {
  const lines = [
    { name: 'rank 0', values: [1234567, null, 3], color: '--x' },
    { name: 'rank 1', values: [0.1 + 0.2, 2, NaN], color: '--y' },
  ];
  const x = Float64Array.of(1, 9007199254740991, 3);
  expect(toCsv(chartColumns('time since the run began (ns)', x, lines, 'ns'))).toBe(
    'time since the run began (ns),rank 0 (ns),rank 1 (ns)\n' +
      '1,1234567,0.30000000000000004\n' +
      '9007199254740991,,2\n' +
      '3,3,\n',
  );
});

it('a stacked layer is its own value, not the edge that is drawn', () => {
  const lines = [{ name: 'waiting', values: [70], told: [30], color: '--x' }];
  expect(toCsv(chartColumns('step', [4], lines, 'bytes'))).toBe('step,waiting (bytes)\n4,30\n');
});

it('a heat map is a row a cell of time', () => {
  const rows = [
    { name: 'core 0', values: [0.5, NaN] },
    { name: 'core 1', values: [1, 0] },
  ];
  expect(toCsv(heatColumns(rows, [0, 10, 20], 'share'))).toBe(
    'from (ns),to (ns),core 0 (share),core 1 (share)\n0,10,0.5,1\n10,20,,0\n',
  );
});

it('a histogram is its bins', () => {
  const bins = [
    { from: 1, to: 2.5, count: 3 },
    { from: 2.5, to: 4, count: 0 },
  ];
  expect(toCsv(binColumns(bins, 'ns'))).toBe('from (ns),to (ns),count\n1,2.5,3\n2.5,4,0\n');
});

it('a whole is its parts, with the unit of its figures', () => {
  const parts = withShares([
    { name: 'a', title: 'A part', value: 3 },
    { name: 'b', value: 1 },
  ]);
  expect(toCsv(partColumns(parts, 'ns'))).toBe('name,value (ns),share\nA part,3,0.75\nb,1,0.25\n');
  expect(toCsv(partColumns(withShares([{ name: 'a', value: 0 }]), ''))).toBe(
    'name,value,share\na,0,\n',
  );
});

it('names are text: quoted, and no formula', () => {
  const column = (title: string) => toCsv([{ title, values: [] }]);
  expect(column('a, "b"\nc')).toBe('"a, ""b""\\nc"\n');
  expect(column('\t=1\u202e')).toBe('\\t=1\\u202e\n');
  expect(column('a;=1; "-2')).toBe(`"a;'=1; ""'-2"\n`);
  expect(column('\uff1d1')).toBe(`'\uff1d1\n`);
  expect(column('=1+1')).toBe("'=1+1\n");
  expect(column('@x,y')).toBe(`"'@x,y"\n`);
  expect(toCsv([{ title: 'n', values: [-1, '-1'] }])).toBe("n\n-1\n'-1\n");
  expect(headed('queue', '')).toBe('queue');
});

it('files are named by the run and the chart', () => {
  expect(fileName('train-1', 'Duration of each step')).toBe('train-1.duration-of-each-step');
  expect(fileName('', '../../x')).toBe('x');
  expect(fileName('Läufe', 'µ')).toBe('läufe.µ');
  expect(fileName('/', '..')).toBe('chart');
});
