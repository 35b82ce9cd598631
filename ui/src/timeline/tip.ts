// SPDX-License-Identifier: Apache-2.0
// What stands under the pointer, in lines: a figure to read, and the same to the ns.
import { formatNs, formatShare, grouped } from '../base/format';
import type { Hovered } from './hit';
import { momentText } from './ticks';

/** `1.23 ms · 1,234,567 ns`; below a microsecond the two are one. */
export function bothNs(ns: number): string {
  const { text, exact } = formatNs(ns);
  return text.replace('\u00a0', ' ') === exact ? exact : `${text} · ${exact}`;
}

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
