# SPDX-License-Identifier: Apache-2.0
"""Made by tools/generate.py of schema/hidden_characters.toml."""

# fmt: off
RANGES = (
    (0x0000, 0x001F),  # controls (C0): tab and line breaks too
    (0x007F, 0x009F),  # delete, controls (C1), which terminals obey as well
    (0x00AD, 0x00AD),  # soft hyphen
    (0x034F, 0x034F),  # combining grapheme joiner
    (0x061C, 0x061C),  # Arabic letter mark (direction)
    (0x115F, 0x1160),  # Hangul fillers
    (0x17B4, 0x17B5),  # Khmer vowels that are not drawn
    (0x180B, 0x180F),  # Mongolian variation selectors and vowel separator
    (0x200B, 0x200F),  # zero-width space and joiners (of emoji too), direction marks
    (0x2028, 0x202E),  # line and paragraph separators, direction embeddings and overrides
    (0x2060, 0x206F),  # word joiner, invisible operators, direction isolates
    (0x3164, 0x3164),  # Hangul filler
    (0xD800, 0xF8FF),  # halves of surrogate pairs; private use, which any font draws its own way
    (0xFDD0, 0xFDEF),  # noncharacters
    (0xFE00, 0xFE0F),  # variation selectors (of emoji too)
    (0xFEFF, 0xFEFF),  # byte order mark, zero-width no-break space
    (0xFFA0, 0xFFA0),  # halfwidth Hangul filler
    (0xFFF0, 0xFFFB),  # reserved and invisible, interlinear annotations
    (0xFFFE, 0xFFFF),  # noncharacters
    (0x13430, 0x1343F),  # Egyptian hieroglyph format controls
    (0x1BCA0, 0x1BCA3),  # shorthand format controls
    (0x1D173, 0x1D17A),  # musical format controls
    (0x1FFFE, 0x1FFFF),  # noncharacters
    (0x2FFFE, 0x2FFFF),  # noncharacters
    (0x3FFFE, 0x3FFFF),  # noncharacters
    (0x4FFFE, 0x4FFFF),  # noncharacters
    (0x5FFFE, 0x5FFFF),  # noncharacters
    (0x6FFFE, 0x6FFFF),  # noncharacters
    (0x7FFFE, 0x7FFFF),  # noncharacters
    (0x8FFFE, 0x8FFFF),  # noncharacters
    (0x9FFFE, 0x9FFFF),  # noncharacters
    (0xAFFFE, 0xAFFFF),  # noncharacters
    (0xBFFFE, 0xBFFFF),  # noncharacters
    (0xCFFFE, 0xCFFFF),  # noncharacters
    (0xDFFFE, 0x10FFFF),  # noncharacters, tags, variation selectors, private use
)
