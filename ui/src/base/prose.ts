// SPDX-License-Identifier: Apache-2.0

export interface Piece {
  readonly text: string;
  /** It stood between backticks: a command, a name of code. */
  readonly code: boolean;
}

/** A sentence of the report as pages write it: reports are ASCII, so their microseconds are "us", and times are "x". */
export const readable = (text: string): string =>
  text.replace(/(\d) us\b/g, '$1 µs').replace(/(\d)x (?=faster|slower)/g, '$1× ');

/** A sentence of the report in pieces; a backtick without its other one stays. */
export function pieces(text: string): Piece[] {
  return text
    .split(/(`[^`]+`)/)
    .filter((piece) => piece !== '')
    .map((piece) =>
      /^`[^`]+`$/.test(piece)
        ? { text: piece.slice(1, -1), code: true }
        : { text: readable(piece), code: false },
    );
}

/** Why there is no step; most verdicts say themselves that there is none. */
export function whyNone(headline: string): string {
  if (!/^no (whole )?step/.test(headline)) return `No step was seen: ${headline}`;
  return headline.charAt(0).toUpperCase() + headline.slice(1);
}
