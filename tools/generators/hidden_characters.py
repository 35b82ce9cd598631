# SPDX-License-Identifier: Apache-2.0
"""The characters that are shown escaped."""

import sys
from pathlib import Path

import tomllib

from . import text

SOURCE = Path("schema/hidden_characters.toml")
MADE = text.made_of(SOURCE)
PAGE = Path("docs/reference/inert-text.md")
BEGIN, END = "<!-- made by tools/generate.py -->\n", "<!-- made until here -->\n"


def declared():
    schema = tomllib.loads(SOURCE.read_text(encoding="utf-8"))
    before = -2
    for one in schema["ranges"]:
        if not before + 1 < one["from"] <= one["to"] <= 0x10FFFF:
            sys.exit(f"{SOURCE}: U+{one['from']:04X} does not follow the range before it")
        before = one["to"]
    return schema["ranges"], [ord(sign) for sign in schema["formula_signs"]]


def cpp(ranges, signs):
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield f"// {MADE}"
    yield "#pragma once"
    yield ""
    yield "namespace steptrace {"
    yield ""
    yield "struct CharacterRange {"
    yield "  char32_t from, to;"
    yield "};"
    yield ""
    yield "// clang-format off"
    yield "inline constexpr CharacterRange kHiddenCharacters[] = {"
    for one in ranges:
        yield f"    {{0x{one['from']:04X}, 0x{one['to']:04X}}},  // {one['what']}"
    yield "};"
    yield ""
    yield "inline constexpr char32_t kFormulaSigns[] = {"
    yield f"    {', '.join(f'0x{sign:04X}' for sign in signs)}}};"
    yield "// clang-format on"
    yield ""
    yield "}  // namespace steptrace"


def python(ranges, _):
    yield "# SPDX-License-Identifier: Apache-2.0"
    yield f'"""{MADE}"""'
    yield ""
    yield "# fmt: off"
    yield "RANGES = ("
    for one in ranges:
        yield f"    (0x{one['from']:04X}, 0x{one['to']:04X}),  # {one['what']}"
    yield ")"


def typescript(ranges, signs):
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield f"// {MADE}"
    yield ""
    yield "export const HIDDEN: readonly (readonly [number, number])[] = ["
    for one in ranges:
        yield f"  [0x{one['from']:04x}, 0x{one['to']:04x}], // {one['what']}"
    yield "];"
    yield ""
    yield f"export const FORMULA_SIGNS = '{''.join(chr(sign) for sign in signs)}';"


def table(ranges, _):
    yield "| characters | what they are |"
    yield "| --- | --- |"
    for one in ranges:
        last = f" to U+{one['to']:04X}" if one["to"] > one["from"] else ""
        yield f"| U+{one['from']:04X}{last} | {one['what']} |"


def files():
    made = declared()
    return {
        Path("src/base/hidden_characters.h"): text.whole(cpp(*made)),
        Path("python/steptrace/_hidden_characters.py"): text.whole(python(*made)),
        Path("ui/src/base/hidden_characters.ts"): text.whole(typescript(*made)),
        PAGE: text.between(PAGE, BEGIN, END, table(*made)),
    }
