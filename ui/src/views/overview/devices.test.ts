// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { deviceText } from './devices';

it('counts devices of a kind, where they were seen', () => {
  const seen = [{ name: 'A100' }, { name: 'H100' }, { name: 'A100' }, { name: '' }];
  expect(deviceText(['A100', 'H100'], seen)).toBe('2 × A100, H100');
  expect(deviceText(['A100'], [])).toBe('A100');
  expect(deviceText([], seen)).toBe('');
});
