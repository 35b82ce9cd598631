// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import type { Report } from '../api/report';
import { placeLinks } from './known_places';

const report = {
  verdict: {
    subject: { source: { file: '/home/me/train.py', line: 21 } },
    function: { file: '/home/me/train.py', line: 21 },
    evidence: [{ subject: { source: { file: '/a/model.py', line: 3 } } }],
    advice: [{ subject: { source: { file: '/b/model.py', line: 3 } } }],
  },
  data_pipeline: { stages: [{ functions: [{ file: '/home/me/data.py', line: 7 }] }] },
  failure: { exception: null },
} as unknown as Report;

it('a place that a sentence names opens in the editor', () => {
  const link = placeLinks(report, 'vscode://file{file}:{line}');
  expect(link('train.py:21')).toBe('vscode://file/home/me/train.py:21');
  expect(link('data.py:7')).toBe('vscode://file/home/me/data.py:7');
});

it('not where it is not known, nor where two files go by the name', () => {
  const link = placeLinks(report, 'vscode://file{file}:{line}');
  expect(link('train.py:22')).toBeNull();
  expect(link('model.py:3')).toBeNull();
  expect(placeLinks(report, '')('train.py:21')).toBeNull();
});
