// SPDX-License-Identifier: Apache-2.0
// The time axis: round distances between ticks, and texts that tell ticks apart and no more.
import { formatMoment } from '../base/format';
import type { Span } from './viewport';

export interface Tick {
  ns: number;
  text: string;
}

const MINUTE_NS = 60e9;

/** 1, 2 or 5 times a power of ten, at least `least`; in ns, never under 1. */
export function roundStep(least: number): number {
  if (least > 10e9)
    return (
      [15e9, 30e9, 60e9, 120e9, 300e9, 600e9, 1800e9, 3600e9].find((s) => s >= least) ??
      3600e9 * Math.ceil(least / 3600e9)
    );
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  for (const times of [1, 2, 5]) if (times * power >= least) return times * power;
  return 10 * power;
}

/** Ticks at least `apartPx` apart over `width` pixels. */
export function ticks(view: Span, width: number, apartPx: number): Tick[] {
  const step = roundStep(((view.toNs - view.fromNs) / width) * apartPx);
  const list: Tick[] = [];
  for (let i = Math.ceil(view.fromNs / step); i * step <= view.toNs; ++i) {
    list.push({ ns: i * step, text: momentText(i * step, step) });
  }
  return list;
}

/** A moment of the run; past a minute as minutes and seconds, for nobody counts 1.37 minutes. */
export function momentText(ns: number, step: number): string {
  if (ns === 0) return '0';
  if (Math.abs(ns) < MINUTE_NS) return formatMoment(ns, Math.min(step, 1e9));
  const decimals = Math.min(Math.max(Math.ceil(-Math.log10(step / 1e9) - 1e-9), 0), 9);
  const minutes = Math.floor(Math.abs(ns) / MINUTE_NS);
  const seconds = ((Math.abs(ns) - minutes * MINUTE_NS) / 1e9).toFixed(decimals);
  const [whole = '0', part] = seconds.split('.');
  const text = `${minutes % 60}:${whole.padStart(2, '0')}${part === undefined ? '' : `.${part}`}`;
  const hours = Math.floor(minutes / 60);
  return `${ns < 0 ? '-' : ''}${hours > 0 ? `${hours}:${text.padStart(5, '0')}` : text}`;
}
