// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { tokenOf } from './color';
import { duration, overlaps, stretch } from './time';

it('a stretch is whole, ordered and never empty', () => {
  expect(stretch(10.4, 2.6)).toEqual({ from: 3, to: 10 });
  expect(stretch(5, 5)).toEqual({ from: 5, to: 6 });
  expect(duration(stretch(2, 9))).toBe(7);
});

it('stretches that touch do not overlap', () => {
  expect(overlaps(stretch(0, 5), stretch(5, 9))).toBe(false);
  expect(overlaps(stretch(0, 6), stretch(5, 9))).toBe(true);
});

it('a name keeps its colour', () => {
  expect(tokenOf('data_pipeline')).toBe('--data');
  expect(tokenOf('aten::mm')).toBe(tokenOf('aten::mm'));
  expect(tokenOf('aten::mm')).toMatch(/^--cat-[0-7]$/);
});
