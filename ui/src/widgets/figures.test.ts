// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { figureAfterKey, type FigureBox } from './figures';

// Two columns of three lines, the last line with one figure under the second column:
//   0 1
//   2 3
//     4
const box = (column: number, line: number): FigureBox => ({
  left: column * 60,
  right: column * 60 + 50,
  top: line * 26,
  bottom: line * 26 + 26,
});
const boxes = [box(0, 0), box(1, 0), box(0, 1), box(1, 1), box(1, 2)];
const go = (from: number, key: string) => figureAfterKey(key, from, boxes);

describe('arrow keys walk over figures', () => {
  it.each([
    ['ArrowRight', -1, 0],
    ['ArrowDown', -1, 0],
    ['ArrowRight', 0, 1],
    ['ArrowRight', 1, 2],
    ['ArrowRight', 4, 4],
    ['ArrowLeft', 0, 0],
    ['ArrowDown', 1, 3],
    ['ArrowDown', 2, 4], // the nearest of the next line that has any
    ['ArrowDown', 4, 4],
    ['ArrowUp', 4, 3],
    ['ArrowUp', 2, 0],
    ['ArrowUp', 0, 0],
    ['Home', 3, 0],
    ['End', 0, 4],
  ])('%s from %d', (key, from, to) => {
    expect(go(from, key)).toBe(to);
  });

  it('other keys are the page’s', () => {
    expect(go(0, 'Escape')).toBeNull();
  });
});
