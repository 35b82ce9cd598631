// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { formatNs } from '../base/format';
import { alone, axisValues, clean, nearest, placeAfterKey, readout, timeSplits } from './chart';
import { heatColors } from './heat';

const plain = (texts: readonly string[]) => texts.map((t) => t.replaceAll('\u00a0', ' '));

it('gaps are nulls', () => {
  expect(clean(Float64Array.of(1, NaN, 0))).toEqual([1, null, 0]);
});

it('a value without neighbours is found: no line shows it', () => {
  expect(alone([1, null, 2, 3, null, 4])).toEqual([0, 5]);
  expect(alone([1, 2])).toEqual([]);
});

it('finds the values under the cursor, and only existing ones', () => {
  const lines = [
    { name: 'a', values: [1, 2], color: '--x' },
    { name: 'b', values: [NaN, 4], color: '--y' },
  ];
  expect(readout(0, [10, 20], lines, formatNs, formatNs)?.values.map((v) => v.name)).toEqual(['a']);
  expect(readout(7, [10, 20], lines, formatNs, formatNs)).toBeNull();
});

it('keys move along a chart and stay in it', () => {
  const from = (at: number | null, ...keys: string[]) =>
    keys.reduce<number | null>((place, key) => placeAfterKey(key, place, 100), at);
  expect(from(null, 'ArrowRight')).toBe(0);
  expect(from(null, 'ArrowLeft')).toBe(99);
  expect(from(50, 'PageDown', 'ArrowRight')).toBe(61);
  expect(from(5, 'PageUp')).toBe(0);
  expect([from(5, 'Home'), from(5, 'End')]).toEqual([0, 99]);
  expect(from(5, 'Enter')).toBeNull();
  expect(placeAfterKey('End', null, 0)).toBeNull();
});

it('time axes have round marks in the unit that fits', () => {
  const axis = (low: number, high: number) =>
    plain(axisValues(timeSplits(low, high, 4), true, formatNs));
  expect(axis(0, 2e9)).toEqual(['0.0 s', '0.5 s', '1.0 s', '1.5 s', '2.0 s']);
  expect(axis(0, 600e9)).toEqual(['0 min', '5 min', '10 min']);
  expect(axis(0, 80e9)).toEqual(['0 s', '20 s', '40 s', '60 s', '80 s']);
  expect(axis(0, 120e9)).toEqual(['0.0 min', '0.5 min', '1.0 min', '1.5 min', '2.0 min']);
  expect(axis(0, 7200e9)).toEqual(['0.0 h', '0.5 h', '1.0 h', '1.5 h', '2.0 h']);
  expect(axis(0, 40 * 3600e9)).toEqual(['0 h', '10 h', '20 h', '30 h', '40 h']);
  expect(axis(90e6, 980e6)).toEqual(['200 ms', '400 ms', '600 ms', '800 ms']);
  expect(plain(axisValues([5e8], true, formatNs))).toEqual(['500 ms']);
  expect(axis(7, 7)).toEqual([]);
});

it('heat runs through its stops', () => {
  const heat = heatColors(['#000000', '#ff0000', '#ffffff']);
  expect([heat(-1), heat(0.25), heat(0.5), heat(2)]).toEqual([
    'rgb(0 0 0)',
    'rgb(128 0 0)',
    'rgb(255 0 0)',
    'rgb(255 255 255)',
  ]);
});

it('the nearest dot is so in both directions', () => {
  const same = { x: (v: number) => v, y: (v: number) => v };
  const [x, values] = [
    [0, 10, 10.5, 90],
    [25, 370, 25, 30],
  ];
  expect(nearest({ x: 10, y: 365 }, x, [values], same, 40)).toBe(1);
  expect(nearest({ x: 10, y: 28 }, x, [values], same, 40)).toBe(2);
  expect(nearest({ x: 50, y: 200 }, x, [values], same, 40)).toBeNull();
  expect(nearest({ x: 10, y: 365 }, x, [[25, null, 25, 30]], same, 40)).toBeNull();
});
