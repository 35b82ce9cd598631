// SPDX-License-Identifier: Apache-2.0
// The head of the timeline: ruler, overview of the whole run with the view on it, band of steps.
import type { Labels } from './labels';
import type { Look } from './look';
import { FONT, FONT_STRONG } from '../base/font';
import type { Step } from './steps';
import { inView } from './steps';
import { ticks } from './ticks';
import type { Span } from './viewport';
import { fit, toPixel } from './viewport';

export const OVERVIEW_HEIGHT = 18;
export const RULER_HEIGHT = 22;
export const STEPS_HEIGHT = 20;
export const HEAD_HEIGHT = OVERVIEW_HEIGHT + RULER_HEIGHT + STEPS_HEIGHT;
const TICK_APART_PX = 96;

export interface Head {
  view: Span;
  bounds: Span;
  width: number;
  dpr: number;
  steps: readonly Step[];
  marks: readonly number[];
  timeRange: Span | null;
  look: Look;
}

export function drawHead(context: CanvasRenderingContext2D, head: Head, labels: Labels): void {
  const { width, dpr, look } = head;
  context.setTransform(dpr, 0, 0, dpr, 0, 0);
  context.fillStyle = look.surface;
  context.fillRect(0, 0, width, HEAD_HEIGHT);
  overview(context, head);
  ruler(context, head);
  band(context, head, labels);
}

/** The whole run as a bar: its steps, and where the view is. */
function overview(context: CanvasRenderingContext2D, head: Head): void {
  const whole = fit(head.bounds);
  const { width, look } = head;
  context.fillStyle = look.sunken;
  context.fillRect(0, 0, width, OVERVIEW_HEIGHT);
  let painted = -1;
  for (const step of head.steps) {
    const x0 = toPixel(step.fromNs, whole, width);
    const x1 = toPixel(step.toNs, whole, width);
    // Steps thinner than a pixel are one bar: thousands of them cost no more than the pixels.
    if (x1 <= painted + 0.5) continue;
    const from = Math.max(x0, painted);
    context.fillStyle = step.kind === 'eval' ? look.lineStrong : look.steps;
    context.fillRect(from, 6, Math.max(x1 - from - (x1 - x0 > 4 ? 1 : 0), 0.5), 6);
    painted = x1;
  }
  const x0 = toPixel(head.view.fromNs, whole, width);
  const x1 = Math.max(toPixel(head.view.toNs, whole, width), x0 + 4);
  context.save();
  context.fillStyle = look.accent;
  context.globalAlpha = 0.18;
  context.fillRect(x0, 1, x1 - x0, OVERVIEW_HEIGHT - 2);
  context.globalAlpha = 1;
  context.strokeStyle = look.accent;
  context.strokeRect(x0 + 0.5, 1.5, Math.max(x1 - x0 - 1, 2), OVERVIEW_HEIGHT - 3);
  context.restore();
  context.fillStyle = look.line;
  context.fillRect(0, OVERVIEW_HEIGHT - 1, width, 1);
}

function ruler(context: CanvasRenderingContext2D, head: Head): void {
  const { view, width, look } = head;
  const base = OVERVIEW_HEIGHT + RULER_HEIGHT;
  context.font = FONT;
  context.textBaseline = 'middle';
  for (const tick of ticks(view, width, TICK_APART_PX)) {
    const x = Math.round(toPixel(tick.ns, view, width));
    context.fillStyle = look.lineStrong;
    context.fillRect(x, base - 7, 1, 7);
    context.fillStyle = look.text2;
    context.fillText(tick.text, x + 4, base - RULER_HEIGHT / 2);
  }
  if (head.timeRange !== null) {
    const x0 = toPixel(head.timeRange.fromNs, view, width);
    const x1 = toPixel(head.timeRange.toNs, view, width);
    context.fillStyle = look.accent;
    context.fillRect(x0, base - 3, x1 - x0, 3);
  }
  for (const mark of head.marks) flag(context, Math.round(toPixel(mark, view, width)), base, look);
  context.fillStyle = look.line;
  context.fillRect(0, base - 1, width, 1);
}

function flag(context: CanvasRenderingContext2D, x: number, base: number, look: Look): void {
  context.fillStyle = look.accent;
  context.fillRect(x, OVERVIEW_HEIGHT, 1, base - OVERVIEW_HEIGHT);
  context.beginPath();
  context.moveTo(x, OVERVIEW_HEIGHT + 1);
  context.lineTo(x + 8, OVERVIEW_HEIGHT + 4.5);
  context.lineTo(x, OVERVIEW_HEIGHT + 8);
  context.fill();
}

function band(context: CanvasRenderingContext2D, head: Head, labels: Labels): void {
  const { view, width, look } = head;
  const top = OVERVIEW_HEIGHT + RULER_HEIGHT;
  let painted = -1;
  for (const step of inView(head.steps, view)) {
    const x0 = Math.max(toPixel(step.fromNs, view, width), 0);
    const x1 = Math.min(toPixel(step.toNs, view, width), width);
    if (x1 <= painted + 0.5) continue;
    context.fillStyle = step.kind === 'train' ? look.steps : look.lineStrong;
    context.fillRect(x0, top + 2, Math.max(x1 - x0 - (x1 - x0 > 3 ? 1 : 0), 0.5), STEPS_HEIGHT - 5);
    painted = x1;
    const name = step.kind === 'train' ? `step ${step.step}` : `step ${step.step} · ${step.kind}`;
    const room = x1 - x0 - 10;
    const text = labels.width(name) <= room ? name : labels.cut(String(step.step), room);
    if (text === '') continue;
    // Here, for measuring may have set another.
    context.font = FONT_STRONG;
    context.fillStyle = look.text;
    context.fillText(text, x0 + 5, top + STEPS_HEIGHT / 2);
  }
  context.fillStyle = look.line;
  context.fillRect(0, HEAD_HEIGHT - 1, width, 1);
}
