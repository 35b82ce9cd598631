// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/hidden_characters.toml.

export const HIDDEN: readonly (readonly [number, number])[] = [
  [0x0000, 0x001f], // controls (C0): tab and line breaks too
  [0x007f, 0x009f], // delete, controls (C1), which terminals obey as well
  [0x00ad, 0x00ad], // soft hyphen
  [0x034f, 0x034f], // combining grapheme joiner
  [0x061c, 0x061c], // Arabic letter mark (direction)
  [0x115f, 0x1160], // Hangul fillers
  [0x17b4, 0x17b5], // Khmer vowels that are not drawn
  [0x180b, 0x180f], // Mongolian variation selectors and vowel separator
  [0x200b, 0x200f], // zero-width space and joiners (of emoji too), direction marks
  [0x2028, 0x202e], // line and paragraph separators, direction embeddings and overrides
  [0x2060, 0x206f], // word joiner, invisible operators, direction isolates
  [0x3164, 0x3164], // Hangul filler
  [0xd800, 0xf8ff], // halves of surrogate pairs; private use, which any font draws its own way
  [0xfdd0, 0xfdef], // noncharacters
  [0xfe00, 0xfe0f], // variation selectors (of emoji too)
  [0xfeff, 0xfeff], // byte order mark, zero-width no-break space
  [0xffa0, 0xffa0], // halfwidth Hangul filler
  [0xfff0, 0xfffb], // reserved and invisible, interlinear annotations
  [0xfffe, 0xffff], // noncharacters
  [0x13430, 0x1343f], // Egyptian hieroglyph format controls
  [0x1bca0, 0x1bca3], // shorthand format controls
  [0x1d173, 0x1d17a], // musical format controls
  [0x1fffe, 0x1ffff], // noncharacters
  [0x2fffe, 0x2ffff], // noncharacters
  [0x3fffe, 0x3ffff], // noncharacters
  [0x4fffe, 0x4ffff], // noncharacters
  [0x5fffe, 0x5ffff], // noncharacters
  [0x6fffe, 0x6ffff], // noncharacters
  [0x7fffe, 0x7ffff], // noncharacters
  [0x8fffe, 0x8ffff], // noncharacters
  [0x9fffe, 0x9ffff], // noncharacters
  [0xafffe, 0xaffff], // noncharacters
  [0xbfffe, 0xbffff], // noncharacters
  [0xcfffe, 0xcffff], // noncharacters
  [0xdfffe, 0x10ffff], // noncharacters, tags, variation selectors, private use
];

export const FORMULA_SIGNS = '=+-@＝＋－＠';
