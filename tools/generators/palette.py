# SPDX-License-Identifier: Apache-2.0
"""The colours of what reports name, for the pages and for figures."""

import functools
import math
import re
import sys
from pathlib import Path

import tomllib

from . import text

SOURCE = Path("schema/palette.toml")
MADE = text.made_of(SOURCE)
CATEGORY = "cat-"


@functools.cache
def declared():
    colours = tomllib.loads(SOURCE.read_text(encoding="utf-8"))["colour"]
    seen = set()
    for one in colours:
        if not re.fullmatch(r"[a-z]+(-[a-z0-9]+)*", one["id"]) or one["id"] in seen:
            sys.exit(f"{SOURCE}: '{one['id']}' is not a name, or occurs twice")
        seen.add(one["id"])
        for theme in ("light", "dark"):
            if not re.fullmatch(r"#[0-9a-f]{6}", one[theme]):
                sys.exit(f"{SOURCE}: {one['id']} has no {theme} colour of six digits")
    return colours


def of_token(token):
    """The light colour of a token of the pages, `--data`; None: there is no such token."""
    return next((one["light"] for one in declared() if token == "--" + one["id"]), None)


def oklab(colour):
    """Where it lies in a space in which distances are as they are seen (Ottosson 2020)."""

    def linear(at):
        part = int(colour[at : at + 2], 16) / 255
        return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4

    r, g, b = (linear(at) for at in (1, 3, 5))
    long = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b) ** (1 / 3)
    medium = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b) ** (1 / 3)
    short = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short,
    )


def distance(one, other):
    """Of two tokens, the least of both themes; 0: one colour."""
    found = [next(c for c in declared() if token == "--" + c["id"]) for token in (one, other)]
    return min(
        math.dist(*(oklab(colour[theme]) for colour in found)) for theme in ("light", "dark")
    )


def css(colours):
    yield "/* SPDX-License-Identifier: Apache-2.0 */"
    yield f"/* {MADE} */"
    for selector, theme in ((":root", "light"), (":root[data-theme='dark']", "dark")):
        yield f"{selector} {{"
        for one in colours:
            yield f"  --{one['id']}: {one[theme]};"
        yield "}"


def python(colours):
    yield "# SPDX-License-Identifier: Apache-2.0"
    yield f'"""{MADE}"""'
    yield ""
    yield "# fmt: off"
    yield "COLOURS = {"
    for one in colours:
        yield f'    "{one["id"]}": "{one["light"]}",'
    yield "}"
    yield ""
    yield "# For names without a colour of their own."
    yield "MANY = ("
    for one in colours:
        if one["id"].startswith(CATEGORY):
            yield f'    "{one["light"]}",'
    yield ")"


def files():
    colours = declared()
    return {
        Path("ui/src/app/palette.css"): text.whole(css(colours)),
        Path("python/steptrace/_colours.py"): text.whole(python(colours)),
    }
