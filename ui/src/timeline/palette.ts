// SPDX-License-Identifier: Apache-2.0
// Colours by a name's number, kept up as names come in. What a search does not match is faded.
import type { Packed, Theme } from './colour';
import { colourOf } from './colour';
import type { Names } from './tile';

const FADED_ALPHA = 0x38;

export class Palette {
  private colours = new Uint32Array(256);
  private known = 0;
  private theme: Theme = 'light';
  private query = '';

  constructor(private readonly names: Names) {}

  /** For this frame; costs only what is new since the last one. */
  for(theme: Theme, query: string): Uint32Array {
    if (theme !== this.theme || query !== this.query) this.known = 0;
    this.theme = theme;
    this.query = query;
    if (this.names.size > this.colours.length) {
      const larger = new Uint32Array(2 * this.names.size);
      larger.set(this.colours);
      this.colours = larger;
    }
    const part = query.toLowerCase();
    for (; this.known < this.names.size; ++this.known) {
      const name = this.names.name(this.known);
      const colour = colourOf(name, this.names.category(this.known), theme);
      const matches = part === '' || name.toLowerCase().includes(part);
      this.colours[this.known] = matches ? colour : faded(colour);
    }
    return this.colours;
  }
}

const faded = (colour: Packed): Packed => ((colour & 0xffffff) | (FADED_ALPHA << 24)) >>> 0;
