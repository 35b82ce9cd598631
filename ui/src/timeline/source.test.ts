// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { editorLink, placeFigure, placeOf } from './source';

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

  it('opens no file of which only a part of the path is known, and none that is built in', () => {
    const link = (file: string) => editorLink('vscode://file/{file}:{line}', { file, line: 46 });
    expect(link('resnet50_profiler_api.py')).toBeNull();
    expect(link('torch/nn/modules/conv.py')).toBeNull();
    expect(link('<built-in time>')).toBeNull();
    expect(link('C:/work/train.py')).toBe('vscode://file/C%3A/work/train.py:46');
  });

  it.each([
    ['/job/data.py', 7, 'data.py:7', '/job/data.py:7'],
    ['/job/data.py', 0, 'data.py', '/job/data.py'],
    ['/job/data.py', null, 'data.py', '/job/data.py'],
    ['<string>', 3, '<string>:3', '<string>:3'],
    ['<built-in time>', 6, 'built in', '<built-in time>'],
    ['', 6, '–', 'not known'],
  ])('%s, line %s, is shown as %s', (file, line, text, exact) => {
    expect(placeFigure(file, line)).toEqual({ text, exact });
  });
});
