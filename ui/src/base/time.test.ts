// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { freeToken, tokenOf } from './color';
import { duration, overlaps, timeRange } from './time';

it('a time range has whole nanoseconds, is ordered and never empty', () => {
  expect(timeRange(10.4, 2.6)).toEqual({ from: 3, to: 10 });
  expect(timeRange(5, 5)).toEqual({ from: 5, to: 6 });
  expect(duration(timeRange(2, 9))).toBe(7);
});

it('touching time ranges do not overlap', () => {
  expect(overlaps(timeRange(0, 5), timeRange(5, 9))).toBe(false);
  expect(overlaps(timeRange(0, 6), timeRange(5, 9))).toBe(true);
});

it('a name keeps its colour', () => {
  expect(tokenOf('data_pipeline')).toBe('--data');
  expect(tokenOf('aten::mm')).toBe(tokenOf('aten::mm'));
  expect(tokenOf('aten::mm')).toMatch(/^--cat-[0-7]$/);
});

it('of two that would share a colour the later takes the next that is free', () => {
  const used: string[] = [];
  const tokens = Array.from({ length: 8 }, () => freeToken('put', used));
  expect(tokens.slice(0, 2)).toEqual(['--cat-2', '--cat-3']);
  expect(new Set(tokens).size).toBe(8);
  expect(freeToken('put', used)).toBe('--cat-2');
  expect([freeToken('idle', used), freeToken('other', used)]).toEqual(['--other', '--other']);
});
