# SPDX-License-Identifier: Apache-2.0
"""Who may include whom. The tree reads as the data flows: an include against the flow fails, and so
do modules of the Python package that import each other in a circle.

usage: check_layers.py        from the root of the tree; exit 1 with one line per breach
"""

import ast
import re
import sys
from pathlib import Path

# folder -> folders that it may include (itself always). The longest prefix of a file's path decides.
ALLOWED = {
    "base": [],
    "wire": ["base"],
    "transport/writer": ["wire", "base"],
    "transport": ["wire", "base"],
    "probe": ["transport/writer", "wire", "base"],
    "store": ["base"],
    "timeline": ["store", "base"],
    "model": ["store", "base"],
    "present/words": ["model", "base"],
    "analyze": ["model", "present/words", "store", "base", "wire"],
    "import": ["store", "analyze", "base"],
    "agent/system": ["store", "base"],
    "agent/stacks": ["agent/system", "base"],
    "agent": [
        "agent/system",
        "agent/stacks",
        "transport",
        "wire",
        "store",
        "analyze",
        "model",
        "present/words",
        "base",
    ],
    "serve/rpc": ["import", "analyze", "timeline", "store", "base"],
    "serve/http": ["serve/rpc", "analyze", "base"],
    "serve/export": ["serve/rpc", "store", "base"],
    "serve/pages": ["serve/export", "serve/rpc", "analyze", "store", "base"],
    "cli/render": ["analyze", "present/words", "model", "base"],
    "cli": [
        "cli/render",
        "serve/pages",
        "serve/export",
        "serve/http",
        "serve/rpc",
        "import",
        "agent",
        "agent/system",
        "agent/stacks",
        "analyze",
        "store",
        "base",
    ],
    "testing": [
        "base",
        "wire",
        "transport",
        "probe",
        "store",
        "analyze",
        "agent",
        "agent/system",
        "agent/stacks",
    ],
}

# What a folder must never see, with the reason.
FORBIDDEN = [
    (
        ("probe", "transport/writer", "wire"),
        r"<(iostream|string|vector|map|thread|mutex|functional)>",
        "lives in the training process: libc only",
    ),
    (
        (
            "base",
            "wire",
            "transport",
            "probe",
            "agent",
            "model",
            "present/words",
            "analyze",
            "timeline",
            "import",
            "serve/http",
            "cli",
        ),
        r"<(arrow|parquet)/",
        "Arrow stays inside store and serve/rpc",
    ),
    (
        ("model", "present/words", "analyze"),
        r"<(fstream|filesystem|sys/socket\.h)>",
        "analysis does no input or output",
    ),
]

# Debts, each with the day it was made; this list only shrinks.
DEBTS = set()

INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|(<[^>]+>))')


def layer_of(path):
    """The longest key of ALLOWED that is a prefix of a path under src/, or None."""
    fits = [key for key in ALLOWED if path == key or path.startswith((key + "/", key + "."))]
    return max(fits, key=len, default=None)


def breaches(source, root):
    name = source.relative_to(root).as_posix()
    own = layer_of(name)
    if own is None:
        yield f"{name}: belongs to no layer; add its folder to ALLOWED in tools/check_layers.py"
        return
    is_test = re.search(r"(_(test|bench|fuzz)|/rows_main)\.cc$", name) or own == "testing"
    for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        ours, system = match.groups()
        if ours:
            other = layer_of(ours)
            if is_test and other == "testing":
                continue
            if other and other != own and other not in ALLOWED[own] and not is_test:
                yield f"{name}:{number}: {own} may not include {other} ({ours})"
        elif not is_test:
            for layers, pattern, reason in FORBIDDEN:
                if own in layers and re.search(pattern, system):
                    yield f"{name}:{number}: {own} may not include {system}: {reason}"


def imported(source):
    """The modules beside it, or above, that a module imports, also later, in a function. Not its
    package, which is always there first."""
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = source.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            names = [folder / alias.name for alias in node.names] + [folder]
            yield from (path for name in names if (path := name.with_suffix(".py")).exists())


def circle(source, graph, way, seen):
    """A way from a module back to itself, or None."""
    if source in way:
        return [*way[way.index(source) :], source]
    if source in seen:
        return None
    seen.add(source)
    ways = (circle(other, graph, [*way, source], seen) for other in sorted(graph[source]))
    return next(filter(None, ways), None)


def circles(package):
    graph = {source: set(imported(source)) for source in sorted(package.rglob("*.py"))}
    seen = set()
    for found in filter(None, (circle(source, graph, [], seen) for source in graph)):
        way = " imports ".join(path.relative_to(package).as_posix() for path in found)
        yield (
            f"{package}: {way}: a circle, of which no module can be understood, tested or changed "
            "alone; hand in what one needs of the other, or move what both need to a module that "
            "knows neither"
        )


def main():
    root = Path("src")
    found = [
        line
        for source in sorted(root.rglob("*"))
        if source.suffix in (".h", ".cc", ".c")
        for line in breaches(source, root)
        if line.split(":")[0] not in DEBTS
    ]
    found += circles(Path("python/steptrace"))
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
