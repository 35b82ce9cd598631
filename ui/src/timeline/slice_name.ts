// SPDX-License-Identifier: Apache-2.0
// How an address names a slice: by where it lies and what it is called. Its number would not do: a run
// that grows gives it to another slice.
import { hashName } from '../base/color';
import type { Place } from './place';

/** Views cut names, details do not; so many letters are there in both. */
const DISTINCT_LETTERS = 100;

export const isName = (a: string, b: string): boolean =>
  a.slice(0, DISTINCT_LETTERS) === b.slice(0, DISTINCT_LETTERS);

export interface SliceName {
  readonly track: number;
  /** A hint: the first lane that is free may be another one after the run has grown. */
  readonly lane: number;
  /** Its begin, to the ns. */
  readonly fromNs: number;
  /** Of its name: two slices may begin at once. */
  readonly hash: string;
}

export const hashOf = (name: string): string =>
  hashName(name.slice(0, DISTINCT_LETTERS)).toString(36);

export const nameSlice = (place: Pick<Place, 'track' | 'lane' | 'fromNs'>, name: string) => ({
  track: place.track,
  lane: place.lane,
  fromNs: place.fromNs,
  hash: hashOf(name),
});

/** `t17.0.5123456789.1k3j9x`: track, lane, begin, name. */
export const sliceText = (of: SliceName): string =>
  `t${of.track}.${of.lane}.${of.fromNs}.${of.hash}`;

/** A number, as older addresses have it; null: the text names no slice. */
export function parseSlice(text: string | undefined): SliceName | number | null {
  if (/^\d{1,15}$/.test(text ?? '')) return Number(text);
  const match = /^t(-?\d{1,11})\.(\d{1,6})\.(-?\d{1,19})\.([0-9a-z]{1,7})$/.exec(text ?? '');
  if (match === null) return null;
  const fromNs = Number(match[3]);
  if (!Number.isSafeInteger(fromNs)) return null;
  return { track: Number(match[1]), lane: Number(match[2]), fromNs, hash: match[4] ?? '' };
}
