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

/** A sentence of a report; of older versions without its figures. */
export interface Said {
  readonly text: string;
  readonly figures?: readonly FigureSaid[];
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

/** A sentence of a report as pages write it, with its figures as they are on hover and copy. */
export function sentenceOf({ text, figures = [] }: Said): Pieces {
  const characters = [...text];
  const parts: (string | Figure)[] = [];
  let from = 0;
  for (const figure of figures) {
    const length = [...figure.text].length;
    // Not where the text was cut before it.
    if (characters.slice(figure.at, figure.at + length).join('') !== figure.text) continue;
    parts.push(characters.slice(from, figure.at).join(''), figureOf(figure));
    from = figure.at + length;
  }
  parts.push(characters.slice(from).join(''));
  return parts.filter((part) => part !== '');
}

export const hasFigures = (sentences: readonly Said[]): boolean =>
  sentences.some(({ figures }) => figures !== undefined && figures.length > 0);

/** In a sentence: `train.py:21`, a line of a file. */
const PLACE = /([\w.-]+\.(?:py|pyx|ipynb):\d{1,9})(?!\w)/;

/** A text with the places in the code that it names apart: each second piece is one. */
export const aroundPlaces = (text: string): string[] => text.split(PLACE);

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
