# SPDX-License-Identifier: Apache-2.0
"""Who may include whom. The tree reads as the data flows: an include against the flow fails, and so
do modules of the Python package that import each other in a circle.

usage: check_layers.py        from the root of the tree; exit 1 with one line per breach
"""

import ast
import re
import sys
from pathlib import Path

IMPORT_CORE = ["import/core/bytes", "import/core/sources", "import/core/rows"]
# Each is a layer of its own: no format sees another.
FORMATS = [
    folder.relative_to("src").as_posix() for folder in sorted(Path("src/import/formats").iterdir())
]
FOR_FORMATS = [
    "import/core",
    *IMPORT_CORE,
    "import/json",
    "analyze/derive",
    "analyze/trace",
    "model",
    "store",
    "base",
]

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
    "analyze/stats": ["base"],
    "analyze/trace": ["store", "base"],
    "analyze/derive": ["store", "wire", "base"],
    "analyze/stages": ["analyze/stats"],
    "analyze/json": ["present/words", "model", "base"],
    "analyze/input": [
        "analyze/json",
        "analyze/stats",
        "analyze/trace",
        "model",
        "store",
        "base",
    ],
    "analyze/code": ["analyze/stages", "model", "store", "base"],
    "analyze/ranks": ["analyze/trace", "base"],
    # Sections of the report, which do not know each other.
    "analyze/device": [
        "analyze/input",
        "analyze/json",
        "analyze/stats",
        "analyze/trace",
        "store",
        "base",
    ],
    "analyze/operators": [
        "analyze/code",
        "analyze/json",
        "analyze/stats",
        "analyze/trace",
        "base",
    ],
    "analyze/distributed": [
        "analyze/json",
        "analyze/ranks",
        "analyze/stats",
        "analyze/trace",
        "model",
        "store",
        "base",
    ],
    "analyze/critical_path": ["analyze/json", "analyze/ranks", "analyze/trace", "base"],
    "analyze/memory": ["analyze/input", "analyze/json", "analyze/stats", "model", "store"],
    "analyze/tensors": ["analyze/json", "model", "store", "base"],
    "analyze/cost": [
        "analyze/input",
        "analyze/json",
        "analyze/stages",
        "analyze/stats",
        "model",
        "base",
    ],
    "analyze/samples": [
        "analyze/code",
        "analyze/input",
        "analyze/stages",
        "analyze/stats",
        "store",
        "base",
    ],
    "analyze/attribution": [
        "analyze/code",
        "analyze/derive",
        "analyze/device",
        "analyze/input",
        "analyze/samples",
        "analyze/stages",
        "analyze/stats",
        "analyze/trace",
        "model",
        "store",
        "base",
    ],
    # They judge, and know what the sections found, not the other way round.
    "analyze/verdict": [
        "analyze/attribution",
        "analyze/code",
        "analyze/device",
        "analyze/input",
        "analyze/json",
        "analyze/operators",
        "analyze/samples",
        "analyze/stages",
        "analyze/stats",
        "analyze/trace",
        "present/words",
        "model",
        "store",
        "base",
    ],
    "analyze/rules": [
        "analyze/input",
        "analyze/json",
        "analyze/stats",
        "analyze/trace",
        "model",
        "store",
        "base",
    ],
    "analyze/report": [
        "analyze/attribution",
        "analyze/code",
        "analyze/critical_path",
        "analyze/device",
        "analyze/distributed",
        "analyze/input",
        "analyze/json",
        "analyze/memory",
        "analyze/operators",
        "analyze/rules",
        "analyze/stages",
        "analyze/stats",
        "analyze/tensors",
        "analyze/trace",
        "analyze/verdict",
        "present/words",
        "model",
        "store",
        "base",
    ],
    "runs": ["store", "base"],
    "import/core/bytes": ["base"],
    "import/core/sources": ["import/core/bytes", "store", "base"],
    # What was lost is a finding, and its row holds its values and its sentence.
    "import/core/rows": [
        "import/core/bytes",
        "analyze/json",
        "present/words",
        "model",
        "store",
        "base",
    ],
    "import/core": [*IMPORT_CORE, "store", "base"],
    "import/json": ["base"],
    **dict.fromkeys(FORMATS, FOR_FORMATS),
    # PyTorch writes into Perfetto's traces what its JSON holds.
    "import/formats/perfetto": [*FOR_FORMATS, "import/formats/kineto"],
    "import": [
        *FORMATS,
        "import/json",
        "import/core",
        *IMPORT_CORE,
        "present/words",
        "model",
        "store",
        "base",
    ],
    "agent/system": ["model", "store", "base"],
    "agent/stacks": ["agent/system", "base"],
    "agent/rows": [
        "analyze/derive",
        "analyze/json",
        "present/words",
        "model",
        "store",
        "wire",
        "base",
    ],
    "agent/capture": [
        "agent/rows",
        "agent/system",
        "analyze/derive",
        "analyze/input",
        "model",
        "store",
        "wire",
        "base",
    ],
    "agent/ingest": [
        "agent/capture",
        "agent/rows",
        "agent/stacks",
        "agent/system",
        "analyze/derive",
        "analyze/device",
        "analyze/input",
        "transport",
        "model",
        "store",
        "wire",
        "base",
    ],
    "agent/watch": [
        "agent/rows",
        "agent/stacks",
        "agent/system",
        "analyze/code",
        "analyze/derive",
        "analyze/input",
        "analyze/json",
        "analyze/memory",
        "analyze/rules",
        "present/words",
        "model",
        "store",
        "wire",
        "base",
    ],
    "agent/run": [
        "agent/capture",
        "agent/ingest",
        "agent/rows",
        "agent/system",
        "agent/watch",
        "model",
        "store",
        "base",
    ],
    "serve/rpc": [
        "import",
        "runs",
        "analyze/attribution",
        "analyze/code",
        "analyze/cost",
        "analyze/device",
        "analyze/distributed",
        "analyze/input",
        "analyze/json",
        "analyze/report",
        "analyze/rules",
        "analyze/samples",
        "analyze/stages",
        "analyze/stats",
        "analyze/tensors",
        "analyze/trace",
        "present/words",
        "timeline",
        "store",
        "base",
    ],
    "serve/http": [
        "serve/pages",
        "serve/export",
        "serve/rpc",
        "analyze/code",
        "analyze/cost",
        "analyze/json",
        "analyze/report",
        "analyze/rules",
        "base",
    ],
    "serve/export": ["serve/rpc", "store", "base"],
    "serve/pages": ["serve/export", "serve/rpc", "analyze/report", "store", "base"],
    "cli/render": [
        "analyze/code",
        "analyze/cost",
        "analyze/memory",
        "analyze/report",
        "analyze/rules",
        "analyze/stages",
        "analyze/tensors",
        "present/words",
        "model",
        "store",
        "base",
    ],
    "cli": [
        "cli/render",
        "serve/pages",
        "serve/export",
        "serve/http",
        "serve/rpc",
        "import",
        "agent/run",
        "agent/capture",
        "agent/ingest",
        "agent/system",
        "agent/stacks",
        "analyze/code",
        "analyze/cost",
        "analyze/report",
        "analyze/rules",
        "analyze/tensors",
        "analyze/trace",
        "model",
        "store",
        "base",
    ],
    # What tests of several folders share: it builds what each of them reads.
    "testing": [
        "agent/capture",
        "agent/ingest",
        "agent/system",
        "agent/watch",
        "analyze/code",
        "analyze/input",
        "analyze/report",
        "analyze/rules",
        "analyze/samples",
        "analyze/trace",
        "import/core/bytes",
        "import/core/rows",
        "import/formats/perfetto",
        "serve/http",
        "timeline",
        "probe",
        "transport",
        "transport/writer",
        "wire",
        "store",
        "base",
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
            "runs",
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


def is_below(layer, layers):
    return any(layer == other or layer.startswith(other + "/") for other in layers)


def breaches(source, root):
    name = source.relative_to(root).as_posix()
    own = layer_of(name)
    if own is None:
        yield f"{name}: belongs to no layer; add its folder to ALLOWED in tools/check_layers.py"
        return
    is_test = re.search(r"(_(test|bench|fuzz)|/rows_main)\.cc$", name)
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
                if is_below(own, layers) and re.search(pattern, system):
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
