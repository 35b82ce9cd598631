# SPDX-License-Identifier: Apache-2.0
"""Makes of schema/hidden_characters.toml what C++, Python, the pages and the reference know of it.

usage: hidden_characters.py [--check]      from the root of the tree; --check writes nothing, and exit 1 names what is old
"""

import sys
from pathlib import Path

import tomllib

SOURCE = Path("schema/hidden_characters.toml")
MADE = f"Made by tools/hidden_characters.py of {SOURCE}."
PAGE = Path("docs/reference/inert-text.md")
BEGIN, END = "<!-- made by tools/hidden_characters.py -->\n", "<!-- made until here -->\n"


def declared():
    text = tomllib.loads(SOURCE.read_text(encoding="utf-8"))
    before = -2
    for one in text["ranges"]:
        if not before + 1 < one["from"] <= one["to"] <= 0x10FFFF:
            sys.exit(f"{SOURCE}: U+{one['from']:04X} does not follow the range before it")
        before = one["to"]
    return text["ranges"], [ord(sign) for sign in text["formula_signs"]]


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


def page(ranges, signs):
    """The page with its table as it should be; the rest of it is written by hand."""
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        sys.exit(f"{PAGE}: has no place for the table of ranges")
    return before + BEGIN + "\n".join(table(ranges, signs)) + "\n" + END + after


def whole(lines):
    return lambda ranges, signs: "\n".join(lines(ranges, signs)) + "\n"


FILES = {
    Path("src/base/hidden_characters.h"): whole(cpp),
    Path("python/steptrace/_hidden_characters.py"): whole(python),
    Path("ui/src/base/hidden_characters.ts"): whole(typescript),
    PAGE: page,
}


def main():
    ranges, signs = declared()
    old = 0
    for path, make in FILES.items():
        text = make(ranges, signs)
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        if "--check" in sys.argv[1:]:
            print(f"{path}: older than {SOURCE}; run .venv/bin/python tools/hidden_characters.py")
            old = 1
        else:
            path.write_text(text, encoding="utf-8")
    return old


if __name__ == "__main__":
    sys.exit(main())
