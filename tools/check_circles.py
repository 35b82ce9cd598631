# SPDX-License-Identifier: Apache-2.0
"""Folders, and units (a header and its source), of src that include each other in a circle: no one of them can be
understood, tested or changed alone.

usage: check_circles.py       from the root of the tree; exit 1 names each circle
"""

import re
import sys
from pathlib import Path

ROOT = Path("src")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
TEST = re.compile(r"_(test|bench|fuzz)\.cc$|/rows_main\.cc$")


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


def main():
    sys.setrecursionlimit(10_000)
    included = {name: INCLUDE.findall(text) for name, text in sources()}
    found = [
        f"{' '.join(sorted(members))}: {what} that include each other in a circle"
        for what, part_of in (("folders", folder_of), ("units", unit_of))
        for members in circles(graph_of(included, part_of))
    ]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
