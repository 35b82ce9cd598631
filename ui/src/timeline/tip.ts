// SPDX-License-Identifier: Apache-2.0
// What stands under the pointer, in lines: a figure to read, and the same to the ns.
import { formatMetric, formatNs, formatShare, grouped, type Figure } from '../base/format';
import { unitOf, valueAt } from './counter';
import type { CounterSeries } from './series';
import type { Hovered } from './hit';
import { momentText } from './ticks';

/** `1.23 ms · 1,234,567 ns`; once where three digits are all of it. */
const both = ({ text, exact }: Figure): string =>
  text.replace('\u00a0', ' ') === exact ? exact : `${text} · ${exact}`;

export const bothNs = (ns: number): string => both(formatNs(ns));

/** The lines below the name. A gathered row tells of its pixel: how many, and how long busy. */
export function tipOf({ place, count, busyNs, category }: Hovered): string[] {
  const length = place.toNs - place.fromNs;
  const begin = `begins at ${momentText(place.fromNs, Math.max(length / 100, 1))} · ${grouped(place.fromNs)} ns`;
  if (count <= 1) return [`${bothNs(length)}${category === '' ? '' : ` · ${category}`}`, begin];
  const share = formatShare(busyNs / Math.max(length, 1)).text;
  return [
    `longest of ${grouped(count)} slices too short to draw one by one`,
    `together busy ${bothNs(busyNs)} of ${grouped(length)} ns, ${share}`,
  ];
}

/** A counter's value at a moment, whole; none before its first. A value of many tells of how far they reach. */
export function counterTipOf(metric: string, series: CounterSeries, ns: number): string[] {
  const i = valueAt(series, ns);
  if (i < 0) return [];
  const unit = unitOf(metric);
  const [low, mean, high] = [series.min[i], series.mean[i], series.max[i]].map((v) =>
    formatMetric(v ?? null, unit),
  );
  if (low === undefined || mean === undefined || high === undefined) return [];
  const lines = [both(mean)];
  if (low.exact !== high.exact) lines.push(`mean of ${low.exact} to ${high.exact}`);
  return [...lines, `since ${grouped(series.ts[i] ?? 0)} ns`];
}
