// SPDX-License-Identifier: Apache-2.0
// Texts cut to the width of their slice. Widths are the canvas's own (`measureText`), kept, for
// measuring costs more than drawing.

export type MeasureText = (text: string) => number;

const ELLIPSIS = '…';
/** Narrower, no text can be read. */
export const MIN_LABEL_PX = 22;
const MAX_KEPT = 20_000;

export class Labels {
  private readonly widths = new Map<string, number>();

  constructor(private readonly measure: MeasureText) {}

  forget(): void {
    this.widths.clear();
  }

  width(text: string): number {
    const known = this.widths.get(text);
    if (known !== undefined) return known;
    if (this.widths.size > MAX_KEPT) this.widths.clear();
    const width = this.measure(text);
    this.widths.set(text, width);
    return width;
  }

  /** The longest beginning of `text` that fits, with an ellipsis if cut; '' where two letters do not. */
  cut(text: string, room: number): string {
    if (room < MIN_LABEL_PX) return '';
    const full = this.width(text);
    if (full <= room) return text;
    // Nearly even letters: the share of the width is close, and a few steps make it right.
    let length = Math.min(Math.floor((text.length * room) / full), text.length - 1);
    while (length > 0 && this.measureCut(text, length) > room) --length;
    return length < 2 ? '' : text.slice(0, length).trimEnd() + ELLIPSIS;
  }

  private measureCut(text: string, length: number): number {
    return this.measure(text.slice(0, length) + ELLIPSIS);
  }
}
