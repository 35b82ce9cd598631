// SPDX-License-Identifier: Apache-2.0
import {
  formatBytes,
  formatCount,
  formatNs,
  formatShare,
  formatTimes,
  grouped,
  percentOf,
  type Figure,
  type Pieces,
} from './format';

/** A figure of a report's sentence: the value that was rounded for it. */
export interface FigureSaid {
  /** Where in the text, in characters of Unicode. */
  readonly at: number;
  readonly text: string;
  readonly value: number | null;
  readonly unit: string;
}

/** A line of a file that a report's sentence names. */
export interface PlaceSaid {
  /** As of a figure. */
  readonly at: number;
  readonly text: string;
  readonly file: string;
  readonly line: number;
}

/** A sentence of a report; of older versions without its figures. */
export interface Said {
  readonly text: string;
  readonly figures?: readonly FigureSaid[];
  readonly places?: readonly PlaceSaid[];
}

export interface ProsePiece {
  readonly text: string;
  /** It stood between backticks: a command, a name of code. */
  readonly code: boolean;
}

function exactOf({ text, value, unit }: FigureSaid): string {
  if (value === null) return text;
  switch (unit) {
    case 'ns':
      return formatNs(value).exact;
    case 'share':
      return formatShare(value).exact;
    case 'share_number':
      return percentOf(value);
    case 'bytes':
      return formatBytes(value).exact;
    case 'count':
      return formatCount(value).exact;
    case 'cores':
      return `${String(value)} ${value === 1 ? 'core' : 'cores'}`;
    case 'times':
      return formatTimes(value).exact;
    default:
      return grouped(value);
  }
}

const figureOf = (said: FigureSaid): Figure => ({ text: said.text, exact: exactOf(said) });

/** A text with what stands at known places in it apart. */
function around<T extends { at: number; text: string }>(
  text: string,
  marks: readonly T[],
): (string | T)[] {
  const characters = [...text];
  const parts: (string | T)[] = [];
  let from = 0;
  for (const mark of [...marks].sort((a, b) => a.at - b.at)) {
    const length = [...mark.text].length;
    // Not where the text was cut before it.
    if (characters.slice(mark.at, mark.at + length).join('') !== mark.text) continue;
    parts.push(characters.slice(from, mark.at).join(''), mark);
    from = mark.at + length;
  }
  parts.push(characters.slice(from).join(''));
  return parts.filter((part) => part !== '');
}

/** A sentence of a report as pages write it, with its figures as they are on hover and copy. */
export const sentenceOf = ({ text, figures = [] }: Said): Pieces =>
  around(text, figures).map((part) => (typeof part === 'string' ? part : figureOf(part)));

/** The same with its code and the lines of files that it names. */
export const proseOf = ({ text, figures = [], places = [] }: Said) =>
  around<FigureSaid | PlaceSaid>(text, [...figures, ...places]).flatMap<
    ProsePiece | Figure | PlaceSaid
  >((part) => {
    if (typeof part === 'string') return pieces(part);
    return ['file' in part ? part : figureOf(part)];
  });

export const hasFigures = (sentences: readonly Said[]): boolean =>
  sentences.some(({ figures }) => figures !== undefined && figures.length > 0);

/** A sentence of the report in pieces; a backtick without its other one stays. */
export function pieces(text: string): ProsePiece[] {
  return text
    .split(/(`[^`]+`)/)
    .filter((piece) => piece !== '')
    .map((piece) =>
      /^`[^`]+`$/.test(piece)
        ? { text: piece.slice(1, -1), code: true }
        : { text: piece, code: false },
    );
}

/** Why there is no step; a verdict on none, or on no training, says so itself. */
export function whyNone({
  reason,
  headline,
}: {
  reason: { id: string } | null;
  headline: string;
}): string {
  if (reason?.id !== 'no_steps' && reason?.id !== 'no_training')
    return `No step was seen: ${headline}`;
  return headline.charAt(0).toUpperCase() + headline.slice(1);
}
