// SPDX-License-Identifier: Apache-2.0
// The section `tensors` (docs/reference/report.md), and tensors over the steps as the server tells
// them (docs/reference/http.md, /tensors): what a page shows of them.
import type { LossHistory, Report, TensorRule } from '../../api/report';
import { isImported } from '../../base/capture';
import { grouped, type Figure } from '../../base/format';
import type { ChartLine } from '../../widgets/chart';

export const STATISTICS = [
  { id: 'rms', title: 'root mean square' },
  { id: 'norm', title: 'norm' },
  { id: 'mean', title: 'mean' },
  { id: 'mean_abs', title: 'mean |x|' },
  { id: 'max_abs', title: 'largest |x|' },
  { id: 'min', title: 'least' },
  { id: 'max', title: 'largest' },
  { id: 'zero_share', title: 'zeros' },
] as const;
export type TensorStatistic = (typeof STATISTICS)[number]['id'];

export const statisticOf = (asked: string | null): TensorStatistic =>
  STATISTICS.find((s) => s.id === asked)?.id ?? 'rms';

export interface GridLine {
  readonly tensor: string;
  readonly type: string;
  readonly numel: number;
  readonly values: readonly (number | null)[];
  readonly looked: readonly boolean[];
  readonly not_finite: readonly number[];
}

/** Steps of the readings in a column. */
export interface Readings {
  readonly from_step: number;
  readonly last_step: number;
}

export interface Grid {
  readonly roles: readonly { readonly role: string; readonly tensors: number }[];
  readonly role: string | null;
  readonly ranks: readonly number[];
  readonly rank: number;
  readonly columns: readonly Readings[];
  readonly readings_in_column: number;
  readonly tensors: readonly GridLine[];
  readonly left_out: number;
}

export interface Spread {
  readonly rank: number | null;
  readonly columns: readonly number[];
  readonly exponents: readonly { readonly exponent: number; readonly counts: readonly number[] }[];
  readonly zeros: readonly number[];
  readonly not_finite: readonly number[];
}

export const HOW_TO = 'Record them: steptrace run --tensors -- python train.py';

/** Why there is nothing to show; null: there is something. */
export function whyNone({
  tensors,
  run_card,
}: Pick<Report, 'tensors' | 'run_card'>): string | null {
  if (tensors.status === 'found') return null;
  return isImported(run_card)
    ? 'Imported profiles have no tensor statistics.'
    : `No tensors were looked at. ${HOW_TO}`;
}

/** Norms go over many orders of size: three digits, with an exponent where it is short. */
export function formatValue(value: number | null | undefined): Figure {
  if (value == null || Number.isNaN(value)) return { text: '–', exact: 'not known' };
  return { text: String(Number(value.toPrecision(3))), exact: String(value) };
}

export interface HeatLine {
  readonly name: string;
  /** NaN: not known. */
  readonly values: readonly number[];
  /** 0 to 1: what is drawn; NaN: nothing. */
  readonly shades: readonly number[];
  /** Readings at which elements were not finite. */
  readonly marks: readonly number[];
}

/**
 * Rows of the heat map. But for shares the shade goes by the order of size between the least and the
 * largest absolute value that is not 0; a 0 has the least shade, what is not known none.
 */
export function heatLines(
  grid: { readonly tensors: readonly Pick<GridLine, 'tensor' | 'values' | 'not_finite'>[] },
  statistic: TensorStatistic,
): HeatLine[] {
  const sizes = grid.tensors.flatMap((t) =>
    t.values.flatMap((v) => (v === null || v === 0 ? [] : [Math.log10(Math.abs(v))])),
  );
  const low = sizes.reduce((a, b) => Math.min(a, b), Infinity);
  const high = sizes.reduce((a, b) => Math.max(a, b), -Infinity);
  const shade = (v: number | null) => {
    if (v === null) return NaN;
    if (statistic === 'zero_share') return v;
    if (v === 0) return 0;
    return high > low ? (Math.log10(Math.abs(v)) - low) / (high - low) : 1;
  };
  return grid.tensors.map((t) => ({
    name: t.tensor,
    values: t.values.map((v) => v ?? NaN),
    shades: t.values.map(shade),
    marks: t.not_finite,
  }));
}

/** Rows of a tensor's histogram, the largest exponent first. */
export function spreadLines({
  exponents,
  not_finite,
}: Pick<Spread, 'exponents' | 'not_finite'>): HeatLine[] {
  const most = exponents.reduce((m, e) => e.counts.reduce((a, b) => Math.max(a, b), m), 0);
  return [...exponents].reverse().map(({ exponent, counts }, row) => ({
    name: `2^${exponent}`,
    values: counts,
    shades: counts.map((c) => (c === 0 ? NaN : Math.log1p(c) / Math.log1p(most))),
    // What is not finite is above all of them.
    marks: row === 0 ? not_finite : counts.map(() => 0),
  }));
}

/** So many colours there are. */
export const MOST_LINES = 8;

/** Whose values are drawn: what the address names, else what was not finite and both ends of the model. */
export function shownTensors<Of extends Pick<GridLine, 'tensor' | 'not_finite'>>(
  asked: string | null,
  lines: readonly Of[],
): Of[] {
  const names = new Set((asked ?? '').split(',').filter(Boolean));
  const chosen = lines.filter((l) => names.has(l.tensor));
  if (chosen.length > 0) return chosen.slice(0, MOST_LINES);
  const bad = lines.filter((l) => l.not_finite.some((n) => n > 0)).slice(0, 2);
  const ends = [...lines.slice(0, 1), ...lines.slice(1).slice(-1)];
  return lines.filter((l) => bad.includes(l) || ends.includes(l));
}

/** The address's list with this tensor in it, or without it where it was. */
export function toggled(shown: readonly Pick<GridLine, 'tensor'>[], tensor: string): string | null {
  const names = shown.map((l) => l.tensor);
  const next = names.includes(tensor)
    ? names.filter((n) => n !== tensor)
    : [...names, tensor].slice(-MOST_LINES);
  return next.length > 0 ? next.join(',') : null;
}

/** A loss's curve, at the first step of each part; a part that is not finite is a gap. */
export const curveOf = (loss: Pick<LossHistory, 'curve'>) => ({
  x: loss.curve.map((p) => p.from_step),
  mean: loss.curve.map((p) => p.mean),
  low: loss.curve.map((p) => p.low),
  high: loss.curve.map((p) => p.high),
  notFinite: loss.curve.map((p) => p.not_finite),
  several: loss.curve.some((p) => p.readings > 1),
});

type Values = readonly (number | null)[];

/**
 * Marks where something was not finite, on top of all that is drawn: what is not finite has no place
 * of its own. What they tell is how many readings it was.
 */
export function markLine(drawn: readonly Values[], notFinite: readonly number[]): ChartLine[] {
  if (!notFinite.some((n) => n > 0)) return [];
  const top = drawn.flat().reduce<number>((m, v) => (v === null ? m : Math.max(m, v)), -Infinity);
  return [
    {
      name: 'not finite (readings)',
      color: '--bad',
      kind: 'dots',
      values: notFinite.map((n) => (n > 0 ? (Number.isFinite(top) ? top : 0) : null)),
      told: notFinite.map((n) => (n > 0 ? n : null)),
    },
  ];
}

/** Readings of some tensors in each column at which elements were not finite. */
export const notFiniteIn = (lines: readonly Pick<GridLine, 'not_finite'>[]): number[] =>
  (lines[0]?.not_finite ?? []).map((_, at) =>
    lines.reduce((sum, line) => sum + (line.not_finite[at] ?? 0), 0),
  );

/** How many elements had which exponent at a reading: the address's step, else the last; null: no look. */
export function spreadAt(spread: Spread, asked: string | null) {
  const found = asked === null ? -1 : spread.columns.indexOf(Number(asked));
  const at = found >= 0 ? found : spread.columns.length - 1;
  const step = spread.columns[at];
  if (step === undefined) return null;
  return {
    step,
    exponents: spread.exponents.map((e) => e.exponent),
    counts: spread.exponents.map((e) => e.counts[at] ?? 0),
    zeros: spread.zeros[at] ?? 0,
    notFinite: spread.not_finite[at] ?? 0,
  };
}

export const stepsOf = ({ from_step, last_step }: Readings): string =>
  from_step === last_step ? `step ${from_step}` : `steps ${from_step} to ${last_step}`;

/** The end of a name tells more than its begin. */
export const endOfName = (name: string, most: number): string =>
  name.length > most ? `…${name.slice(name.length - Math.max(1, most - 1))}` : name;

const STATUS: Readonly<Record<string, string>> = {
  found: 'found',
  not_found: 'not found',
  cannot_tell: 'cannot tell',
  not_applicable: 'not applicable',
};

/** What a rule made of the run, and on what that rests. */
export function ruleRow(rule: TensorRule): { name: string; status: string; why: string } {
  return {
    name: rule.rule.replace(/^[a-z]+\./, '').replaceAll('_', ' '),
    status: STATUS[rule.status] ?? rule.status,
    why: whyOf(rule),
  };
}

function whyOf({ needs, status, readings, least_readings }: TensorRule): string {
  const role = needs ?? 'tensor';
  if (readings === 0) return `no ${role} was looked at`;
  if (status === 'not_applicable') return 'there was nothing to judge; the findings say why';
  const few = readings < least_readings ? `, it needs ${grouped(least_readings)}` : '';
  return `${role}: ${grouped(readings)} ${readings === 1 ? 'look' : 'readings'}${few}`;
}

/** So many columns are asked for. */
export const COLUMNS = 240;

export const formatStep = (step: number | null | undefined): string =>
  step == null ? '' : `step ${step}`;

/**
 * Whether the values are drawn by their order of size: where the largest is many times the least, the
 * others would lie on the axis. What has no logarithm forbids it.
 */
export function byOrderOfSize(lines: readonly Pick<GridLine, 'values'>[]): boolean {
  const known = lines.flatMap((l) => l.values.filter((v) => v !== null));
  if (known.length === 0 || known.some((v) => v <= 0)) return false;
  const ends = known.reduce(([low, high], v) => [Math.min(low, v), Math.max(high, v)] as const, [
    Infinity,
    0,
  ] as readonly [number, number]);
  return ends[1] > 30 * ends[0];
}

/** What is drawn of values by their order of size, and how a place on that axis reads. */
export const logOf = (values: Values): Values => values.map((v) => v && Math.log10(v));
export const formatLog = (log: number): Figure => {
  const value = Number((10 ** log).toPrecision(9));
  return { ...formatValue(value), exact: String(value) };
};
