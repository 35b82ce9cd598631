# SPDX-License-Identifier: Apache-2.0
"""Folders, and units (a header and its source), of src that include each other in a circle: no one of them can be
understood, tested or changed alone.

Those that are left stand in tools/known_circles.txt, a line each; it only shrinks.

usage: check_circles.py [--all]     from the root of the tree; exit 1 names each circle that is not known, and each known
                                    one that is gone; --all prints all there are, as that file has them
"""

import re
import sys
from pathlib import Path

ROOT = Path("src")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
TEST = re.compile(r"_(test|bench|fuzz)\.cc$|/rows_main\.cc$")

KNOWN = Path("tools/known_circles.txt")


def sources():
    for source in sorted(ROOT.rglob("*")):
        name = source.relative_to(ROOT).as_posix()
        if source.suffix in (".h", ".cc", ".c") and not TEST.search(name):
            yield name, source.read_text(encoding="utf-8")


def folder_of(name):
    return name.rpartition("/")[0]


def unit_of(name):
    return name.rpartition(".")[0]


def graph_of(included, part_of):
    graph = {}
    for name, others in included.items():
        known = {part_of(other) for other in others if other in included}
        graph.setdefault(part_of(name), set()).update(known - {part_of(name)})
    return graph


def circles(graph):
    """The sets of nodes that reach each other (Tarjan's algorithm), of more than one."""
    order, low, stack, on_stack, found = {}, {}, [], set(), []

    def visit(node):
        order[node] = low[node] = len(order)
        stack.append(node)
        on_stack.add(node)
        for other in sorted(graph[node]):
            if other not in order:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in on_stack:
                low[node] = min(low[node], order[other])
        if low[node] != order[node]:
            return
        begin = stack.index(node)
        members = set(stack[begin:])
        del stack[begin:]
        on_stack.difference_update(members)
        if len(members) > 1:
            found.append(members)

    for node in sorted(graph):
        if node not in order:
            visit(node)
    return sorted(found, key=sorted)


def known_circles():
    """(what, members) of each line: `folders: a b`."""
    for line in KNOWN.read_text(encoding="utf-8").splitlines():
        what, _, members = line.partition(": ")
        if members and not line.startswith("#"):
            yield what, frozenset(members.split())


def compared(found, known):
    for what, members in sorted(found - known, key=str):
        if not any(what == other and members < of for other, of in known):
            yield f"{' '.join(sorted(members))}: {what} that include each other in a circle"
    for what, members in sorted(known - found, key=str):
        yield f"{KNOWN}: {what}: {' '.join(sorted(members))}: no longer so; list what is left of it"


def main():
    sys.setrecursionlimit(10_000)
    included = {name: INCLUDE.findall(text) for name, text in sources()}
    found = [
        (what, frozenset(members))
        for what, part_of in (("folders", folder_of), ("units", unit_of))
        for members in circles(graph_of(included, part_of))
    ]
    if "--all" in sys.argv[1:]:
        lines = [f"{what}: {' '.join(sorted(members))}" for what, members in found]
    else:
        lines = list(compared(set(found), set(known_circles())))
    print("\n".join(lines), end="\n" if lines else "")
    return 1 if lines and "--all" not in sys.argv[1:] else 0


if __name__ == "__main__":
    sys.exit(main())
