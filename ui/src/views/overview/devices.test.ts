// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { deviceText, hasSeveral } from './devices';

it('counts devices of a kind, where they were seen', () => {
  const seen = [{ name: 'A100' }, { name: 'H100' }, { name: 'A100' }, { name: '' }];
  expect(deviceText(['A100', 'H100'], seen)).toBe('2 × A100, H100');
  expect(deviceText(['A100'], [])).toBe('A100');
  expect(deviceText([], seen)).toBe('');
});

it('counts a device once on which several ranks compute', () => {
  const seen = [
    { name: 'H200', uuid: 'a' },
    { name: 'H200', uuid: 'a' },
  ];
  expect(deviceText(['H200'], seen)).toBe('H200');
  expect(hasSeveral(['H200'], seen)).toBe(false);
  expect(deviceText(['H200'], [...seen, { name: 'H200', uuid: 'b' }])).toBe('2 × H200');
  expect(hasSeveral(['H200'], [...seen, { name: 'H200', uuid: 'b' }])).toBe(true);
});

it('counts devices without an identity as the ranks tell them', () => {
  const seen = [
    { name: 'H200', uuid: null },
    { name: 'H200', uuid: '' },
  ];
  expect(deviceText(['H200'], seen)).toBe('2 × H200');
  expect(hasSeveral(['H200', 'A100'], [])).toBe(true);
});
