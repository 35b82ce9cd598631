// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { formatScaled } from './scaled';

it('scales by thousands', () => {
  expect(formatScaled(312e12, 'FLOP/s').text.replace(/\s/, ' ')).toBe('312 TFLOP/s');
  expect(formatScaled(12, '/s').text.replace(/\s/, ' ')).toBe('12 /s');
});
