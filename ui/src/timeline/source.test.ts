// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { editorLink, placeOf } from './source';

describe('source', () => {
  it.each([
    ['train.py(42): main', 'train.py', 42],
    ['/home/a b/train.py(42): main', null, 0],
    ['torch/nn/modules/conv.py(441): _conv_forward', 'torch/nn/modules/conv.py', 441],
    ['File "/srv/x y/train.py", line 7, in main', '/srv/x y/train.py', 7],
    ['resnet (resnet50_profiler_api.py:46)', 'resnet50_profiler_api.py', 46],
    ['aten::mm', null, 0],
    ['<built-in method run>', null, 0],
  ])('%s', (text, file, line) => {
    expect(placeOf(text)).toEqual(file === null ? null : { file, line });
  });

  it('does not stand still over a million letters', () => {
    expect(placeOf('x'.repeat(1_000_000))).toBeNull();
  });

  it('fills a template and lets no name out of its place', () => {
    const place = { file: '/a/b c"&.py', line: 3 };
    expect(editorLink('vscode://file/{file}:{line}', place)).toBe(
      'vscode://file//a/b%20c%22%26.py:3',
    );
    expect(editorLink('', place)).toBeNull();
    expect(editorLink('javascript:{file}', place)).toBeNull();
    expect(editorLink('vscode://file/{file}', null)).toBeNull();
  });
});
