// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { FONT, FONT_STRONG } from '../base/font';
import { drawHead, type Head } from './axis';
import { Labels } from './labels';

/** What a canvas's context is asked to write, and in which font. */
function recorder() {
  const written: { text: string; font: string }[] = [];
  const context = new Proxy({ font: '' } as Record<string, unknown>, {
    get: (target, name) =>
      name === 'fillText'
        ? (text: string) => written.push({ text, font: String(target.font) })
        : (target[String(name)] ?? (() => undefined)),
  });
  return { context: context as unknown as CanvasRenderingContext2D, written };
}

it('writes the names of steps in one font, measured before or not', () => {
  const { context, written } = recorder();
  const labels = new Labels((text) => {
    context.font = FONT;
    return 6 * text.length;
  });
  const span = { fromNs: 0, toNs: 200 };
  const step = (number: number) => ({
    step: number,
    kind: 'train',
    fromNs: number * 100,
    toNs: number * 100 + 100,
  });
  const head = {
    view: span,
    bounds: span,
    width: 800,
    dpr: 1,
    steps: [step(0), step(1)],
    marks: [],
    timeRange: null,
    look: {},
  } as unknown as Head;
  drawHead(context, head, labels);
  drawHead(context, head, labels);
  const names = written.filter(({ text }) => text.startsWith('step'));
  expect(names).toHaveLength(4);
  expect(new Set(names.map(({ font }) => font))).toEqual(new Set([FONT_STRONG]));
});
