# SPDX-License-Identifier: Apache-2.0
"""A class is defined in one source: what needs two does two things, and is two classes.

usage: check_classes.py       from the root of the tree; exit 1 names each class whose members are defined in several
                              sources of src
"""

import re
import sys
from pathlib import Path

# In the format of the tree what stands in a namespace begins its line; a namespace's end says whose it is.
BLOCK = re.compile(r"(?:inline )?namespace ?([\w:]*) ?\{")
BLOCK_END = "}  // namespace"
# `std::vector<int> Outer::Class::Member(`, `int Class::member = 1;`: what the declaration declares, not its type.
# Namespaces have small letters.
MEMBER = re.compile(
    r"[^(={;]*?(?<![\w:])((?:\w+::)*[A-Z]\w*)::(?:~?\w+|operator\b[^(]*(?:\(\))?)(?:\[\w*\])? ?[(={;]"
)
NO_DEFINITION = re.compile(r"[ }#/]|(using|static_assert)\b")


def without_templates(line):
    while True:
        shorter = re.sub(r"<[^<>]*>", "", line)
        if shorter == line:
            return line
        line = shorter


def defined_in(text, anonymous):
    """(namespace, class) of each member that a source defines; `anonymous` stands for a namespace without a name."""
    blocks = []
    for line in text.split("\n"):
        if line.startswith(BLOCK_END):
            del blocks[-1:]
        elif block := BLOCK.match(line):
            blocks.append(block.group(1) or anonymous)
        elif not NO_DEFINITION.match(line):
            member = MEMBER.match(without_templates(line))
            if member:
                yield "::".join(blocks), member.group(1)


def main():
    sources = {}
    for source in sorted(Path("src").rglob("*.cc")):
        name = source.as_posix()
        for of_class in set(defined_in(source.read_text(encoding="utf-8"), name)):
            sources.setdefault(of_class, []).append(name)
    several = {of: names for of, names in sources.items() if len(names) > 1}
    for (namespace, name), names in sorted(several.items()):
        print(f"{namespace}::{name}: a class in {len(names)} sources: {' '.join(names)}")
    return 1 if several else 0


if __name__ == "__main__":
    sys.exit(main())
