# SPDX-License-Identifier: Apache-2.0
"""What generated files have in common."""

import sys


def made_of(source):
    return f"Made by tools/generate.py of {source}."


def whole(lines):
    return "\n".join(lines) + "\n"


def between(path, begin, end, lines):
    """The file with these lines between the two marks; the rest of it is written by hand."""
    return within(path, path.read_text(encoding="utf-8"), begin, end, lines)


def within(path, held, begin, end, lines):
    """Likewise of a text that is the file's by then."""
    before, _, rest = held.partition(begin)
    _, mark, after = rest.partition(end)
    if not mark:
        sys.exit(f"{path}: has no place between {begin.strip()} and {end.strip()}")
    return before + begin + whole(lines) + end + after


def camel(name):
    """`ring_full` as RingFull."""
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))


def cpp(value):
    """A text as a literal of C++."""
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
