# SPDX-License-Identifier: Apache-2.0
"""The words that the pages define where they stand: the glossary of the docs, as the pages look them up."""

import re
import sys
from pathlib import Path

from . import stages, text

SOURCE = Path("docs/glossary.md")
# So many letters a tooltip holds; what a definition says further stands in the docs.
MOST = 280
WIDTH = 100


def plain(markdown):
    """Without links, emphasis and the ticks of code."""
    # A link in brackets, or alone in a sentence, leads on: a tooltip has no use for it.
    held = re.sub(r" ?\(\[[^\]]*\]\([^)]*\)\)", "", markdown)
    held = re.sub(r"(?<=[.!?]) \[[^\]]*\]\([^)]*\)\.", "", held)
    held = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", held).strip()
    return re.sub(r"[*`]", "", held)


def short(definition):
    """Its first sentences, as many as a tooltip holds."""
    told = ""
    for sentence in re.split(r"(?<=[.!?]) (?=[A-Z])", definition):
        if told and len(told) + 1 + len(sentence) > MOST:
            break
        told = f"{told} {sentence}".strip()
    return told


def declared():
    entries = {}
    head = re.compile(r"^\*\*(.+)\*\*\n: {3}(.+(?:\n(?: {4}.*)?)*?)(?=\n\n(?:\*\*|##)|\n*\Z)", re.M)
    page = SOURCE.read_text(encoding="utf-8")
    found = head.findall(page)
    if len(found) != page.count("\n:   "):
        sys.exit(f"{SOURCE}: an entry is not a word in two stars above its definition")
    for names, definition in found:
        first = plain(" ".join(definition.split("\n\n")[0].split()))
        for name in plain(names).split(", "):
            if name.lower() in entries:
                sys.exit(f"{SOURCE}: '{name}' is there twice")
            entries[name.lower()] = short(first)
    return entries


def typescript(entries):
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield f"// {text.made_of(SOURCE)}"
    yield ""
    yield "/** What a word means, for where it stands. */"
    yield "export const GLOSSARY = {"
    for name, definition in entries.items():
        key = name if re.fullmatch(r"[a-z]+", name) else stages.quoted(name)
        line = f"  {key}: {stages.quoted(definition)},"
        # Behind a name this short prettier leaves a text that no line holds.
        if len(line) <= WIDTH or len(key) <= 4:
            yield line
        else:
            yield f"  {key}:"
            yield f"    {stages.quoted(definition)},"
    yield "} as const;"
    yield "export type Word = keyof typeof GLOSSARY;"


def files():
    return {Path("ui/src/base/glossary.ts"): text.whole(typescript(declared()))}
