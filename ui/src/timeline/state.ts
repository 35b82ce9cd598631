// SPDX-License-Identifier: Apache-2.0
// What of the timeline an address holds: reload and a mailed link show the same. Everything comes
// from outside, so whatever cannot be read is as if it were not there. The chosen time range is not
// among it: all views share that (state/run.svelte.ts).
import type { Anchor } from './anchor';
import { anchorText, parseAnchor } from './anchor';
import type { SliceName } from './slice_name';
import { parseSlice, sliceText } from './slice_name';
import type { Span } from './viewport';

export interface TimelineState {
  /** null: the whole run. */
  view: Span | null;
  /** Rows whose folding differs from the first view. */
  toggled: string[];
  pinned: string[];
  /** The selected slice; a number in addresses of before they named it. */
  slice: SliceName | number | null;
  /** Marks set by `m`. */
  marks: number[];
  /** What is searched for among slices, and among rows. */
  query: string;
  rows: string;
  /** Rows without slices in view are left out; null: where a time range is selected. */
  busyRows: boolean | null;
  tab: Tab;
  /** How far the rows are scrolled; null: not at all. */
  top: Anchor | null;
  /** Whether the details are open; null: as soon as there is something to tell. */
  open: boolean | null;
  /** Height of the details in CSS pixels; null: as the window has room for. */
  height: number | null;
  /** Statistics of the rows in sight alone. */
  inSight: boolean;
}

export const TABS = ['selection', 'stretch', 'search', 'slices'] as const;
export type Tab = (typeof TABS)[number];

/** More would make an address that servers and mail programs cut. */
const MAX_LIST = 64;
const KEY = /^[a-z0-9]{1,24}$/;

export const emptyState = (): TimelineState => ({
  view: null,
  toggled: [],
  pinned: [],
  slice: null,
  marks: [],
  query: '',
  rows: '',
  busyRows: null,
  tab: 'selection',
  top: null,
  open: null,
  height: null,
  inSight: false,
});

function span(text: string | undefined): Span | null {
  const match = /^(-?\d{1,19})-(-?\d{1,19})$/.exec(text ?? '');
  if (match === null) return null;
  const fromNs = Number(match[1]);
  const toNs = Number(match[2]);
  return toNs > fromNs ? { fromNs, toNs } : null;
}

const spanText = (s: Span): string => `${Math.floor(s.fromNs)}-${Math.ceil(s.toNs)}`;

const keys = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .filter((key) => KEY.test(key))
    .slice(0, MAX_LIST);

const numbers = (text: string | undefined): number[] =>
  (text ?? '')
    .split(',')
    .filter((t) => /^-?\d{1,19}$/.test(t))
    .map(Number)
    .slice(0, MAX_LIST);

/** Of the details; their bounds of now are the window's (Drawer.svelte). */
export const MIN_HEIGHT = 90;
const MAX_HEIGHT = 4000;

function height(text: string | undefined): number | null {
  if (!/^\d{1,5}$/.test(text ?? '')) return null;
  return Math.min(Math.max(Number(text), MIN_HEIGHT), MAX_HEIGHT);
}

/** The parameters that are the timeline's: what else changes in an address is none of its business. */
const OWN = 'view fold pin sel mark find rows idle tab top drawer high only from_ns to_ns'.split(
  ' ',
);

/** Two addresses with the same of it show the same. */
export const ownPart = (query: Parameters): string =>
  JSON.stringify(OWN.map((name) => query[name] ?? null));

export type Parameters = Readonly<Record<string, string | undefined>>;

export function decode(from: Parameters): TimelineState {
  const tab = TABS.find((name) => name === from['tab']);
  return {
    view: span(from['view']),
    toggled: keys(from['fold']),
    pinned: keys(from['pin']),
    slice: parseSlice(from['sel']),
    marks: numbers(from['mark']),
    query: (from['find'] ?? '').slice(0, 200),
    rows: (from['rows'] ?? '').slice(0, 200),
    busyRows: from['idle'] === 'hidden' ? true : from['idle'] === 'shown' ? false : null,
    tab: tab ?? 'selection',
    top: parseAnchor(from['top']),
    open: from['drawer'] === 'open' ? true : from['drawer'] === 'closed' ? false : null,
    height: height(from['high']),
    inSight: from['only'] === 'sight',
  };
}

/** Only what differs from the first view, so that the plain address stays plain. */
export function encode(state: TimelineState): Record<string, string | null> {
  const text = (value: string): string | null => (value === '' ? null : value);
  return {
    view: state.view === null ? null : spanText(state.view),
    fold: text(state.toggled.slice(0, MAX_LIST).join(',')),
    pin: text(state.pinned.slice(0, MAX_LIST).join(',')),
    sel: sliceParam(state.slice),
    mark: text(state.marks.slice(0, MAX_LIST).map(Math.round).join(',')),
    find: text(state.query),
    rows: text(state.rows),
    idle: state.busyRows === null ? null : state.busyRows ? 'hidden' : 'shown',
    tab: state.tab === 'selection' ? null : state.tab,
    top: state.top === null ? null : anchorText(state.top),
    drawer: state.open === null ? null : state.open ? 'open' : 'closed',
    high: state.height === null ? null : String(Math.round(state.height)),
    only: state.inSight ? 'sight' : null,
  };
}

export const sliceParam = (slice: SliceName | number | null): string | null =>
  slice === null || typeof slice === 'number' ? (slice?.toString() ?? null) : sliceText(slice);

/** With a mark more, or one less where there was one within reach. */
export function marked(marks: number[], at: number, reach: number): number[] {
  const near = marks.find((m) => Math.abs(m - at) <= reach);
  return near === undefined
    ? [...marks, Math.round(at)].sort((a, b) => a - b)
    : marks.filter((m) => m !== near);
}
