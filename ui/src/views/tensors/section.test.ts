// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import {
  byOrderOfSize,
  curveOf,
  endOfName,
  formatLog,
  formatValue,
  heatLines,
  logOf,
  markLine,
  notFiniteIn,
  ruleRow,
  shownTensors,
  spreadAt,
  spreadLines,
  toggled,
} from './section';

const line = (tensor: string, values: (number | null)[], not_finite = values.map(() => 0)) => ({
  tensor,
  type: 'float32',
  numel: 4,
  values,
  looked: values.map(() => true),
  not_finite,
});

describe('the heat map', () => {
  test('shades go by the order of size; what is not known has none', () => {
    const rows = heatLines(
      { tensors: [line('a', [1e-6, 1, null]), line('b', [0, 1e-3, -1])] },
      'rms',
    );
    expect(rows[0]?.shades).toEqual([0, 1, NaN]);
    expect(rows[1]?.shades).toEqual([0, 0.5, 1]);
    expect(rows[0]?.values).toEqual([1e-6, 1, NaN]);
  });
  test('shares are what they are', () => {
    expect(heatLines({ tensors: [line('a', [0.25, 1])] }, 'zero_share')[0]?.shades).toEqual([
      0.25, 1,
    ]);
  });
  test('marks stay where no value is', () => {
    expect(heatLines({ tensors: [line('a', [null], [1])] }, 'rms')[0]?.marks).toEqual([1]);
  });
});

test('a histogram has the largest exponent first, and nothing where no element is', () => {
  const rows = spreadLines({
    exponents: [
      { exponent: -3, counts: [0, 4] },
      { exponent: -2, counts: [4, 0] },
    ],
    not_finite: [0, 2],
  });
  expect(rows.map((r) => r.name)).toEqual(['2^-2', '2^-3']);
  expect(rows[0]?.shades).toEqual([1, NaN]);
  expect(rows.map((r) => r.marks)).toEqual([
    [0, 2],
    [0, 0],
  ]);
});

test('a histogram is of the step that is asked for, else of the last', () => {
  const spread = {
    rank: 0,
    columns: [10, 20],
    exponents: [{ exponent: -3, counts: [1, 4] }],
    zeros: [7, 0],
    not_finite: [0, 2],
  };
  expect(spreadAt(spread, '10')).toMatchObject({ step: 10, counts: [1], zeros: 7 });
  expect(spreadAt(spread, '11')).toMatchObject({ step: 20, counts: [4], notFinite: 2 });
  expect(spreadAt({ ...spread, columns: [] }, null)).toBeNull();
});

test('what is not finite is marked above all values, and tells its readings', () => {
  const bad = notFiniteIn([line('a', [1, null], [0, 1]), line('b', [3, 2], [0, 1])]);
  expect(bad).toEqual([0, 2]);
  const [mark] = markLine(
    [
      [1, null],
      [3, 2],
    ],
    bad,
  );
  expect(mark?.values).toEqual([null, 3]);
  expect(mark?.told).toEqual([null, 2]);
  expect(markLine([[1]], [0])).toEqual([]);
});

test('an axis by the order of size where values are far apart, and all have one', () => {
  expect(byOrderOfSize([line('a', [1e-6, null]), line('b', [1])])).toBe(true);
  expect(byOrderOfSize([line('a', [1, 2])])).toBe(false);
  expect(byOrderOfSize([line('a', [0, 1e-6, 1])])).toBe(false);
  expect(byOrderOfSize([line('a', [null])])).toBe(false);
  expect(logOf([100, null])).toEqual([2, null]);
  expect(formatLog(-3)).toEqual({ text: '0.001', exact: '0.001' });
});

test('of a long name the end stays', () => {
  expect(endOfName('layers.0.weight', 9)).toBe('…0.weight');
  expect(endOfName('bias', 9)).toBe('bias');
});

test('both ends of the model and what was not finite are drawn, until others are chosen', () => {
  const lines = [line('a', [1]), line('b', [1]), line('c', [null], [1]), line('d', [1])];
  expect(shownTensors(null, lines).map((l) => l.tensor)).toEqual(['a', 'c', 'd']);
  expect(shownTensors('b', lines).map((l) => l.tensor)).toEqual(['b']);
  expect(toggled(shownTensors('b', lines), 'b')).toBeNull();
  expect(toggled(shownTensors('b', lines), 'd')).toBe('b,d');
  expect(shownTensors(null, lines.slice(0, 1))).toHaveLength(1);
});

test('a part of the loss that is not finite is a gap', () => {
  const part = { to_step: 1, readings: 1, not_finite: 0, low: 2, high: 2 };
  const curve = curveOf({
    curve: [
      { ...part, from_step: 0, mean: 2 },
      { ...part, from_step: 1, mean: null, low: null, high: null, not_finite: 1 },
    ],
  });
  expect(curve.mean).toEqual([2, null]);
  expect(curve.several).toBe(false);
});

test('a rule says on what it rests', () => {
  const rule = {
    rule: 'live.loss_not_falling',
    status: 'cannot_tell',
    needs: 'loss',
    readings: 3,
    least_readings: 576,
    findings: 0,
  } as const;
  expect(ruleRow(rule)).toEqual({
    name: 'loss not falling',
    status: 'cannot tell',
    why: 'loss: 3 readings, it needs 576',
  });
});

test('values of any size have three digits', () => {
  expect(formatValue(1.23456e-9)).toEqual({ text: '1.23e-9', exact: '1.23456e-9' });
  expect(formatValue(null).text).toBe('–');
});
