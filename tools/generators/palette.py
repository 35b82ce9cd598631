# SPDX-License-Identifier: Apache-2.0
"""The colours of what reports name, for the pages and for figures."""

import functools
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
