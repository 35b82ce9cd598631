// SPDX-License-Identifier: Apache-2.0

export interface Piece {
  readonly text: string;
  /** It stood between backticks: a command, a name of code. */
  readonly code: boolean;
}

/** A sentence of the report as pages write it: reports are ASCII, so their microseconds are "us". */
export const readable = (text: string): string => text.replace(/(\d) us\b/g, '$1 µs');

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
