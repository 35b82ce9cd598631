# SPDX-License-Identifier: Apache-2.0
"""Packages, the standard library, and what work their functions do for a training."""

import re
import sys
from pathlib import Path

import tomllib

from . import stages, text

SOURCE = Path("schema/packages.toml")
MADE = text.made_of(SOURCE)
LISTS = {
    "standard": "StandardModules",
    "packages": "KnownPackages",
    "frameworks": "FrameworkPackages",
    "without_tensors": "PackagesWithoutTensors",
}
TABLES = ("functions", "own_names", "methods")
WIDTH = 110


def works():
    """{work: what functions do that do it}, of those that packages do."""
    _, _, known, _ = stages.declared()
    return {work["id"]: work["does"] for work in known if "does" in work}


def declared():
    schema = tomllib.loads(SOURCE.read_text(encoding="utf-8"))
    for key in LISTS:
        names = schema[key]
        if len(set(names)) != len(names) or not all(re.fullmatch(r"\w+", one) for one in names):
            sys.exit(f"{SOURCE}: {key} holds a name twice, or what is no package's name")
    known = works()
    for table in TABLES:
        for pattern, work in schema[table].items():
            if work not in known:
                sys.exit(f"{SOURCE}: {work} of {pattern} is no work of these: {', '.join(known)}")
    idle = known.keys() - {work for table in TABLES for work in schema[table].values()}
    if idle:
        sys.exit(f"{SOURCE}: no function does {', '.join(sorted(idle))} of {stages.SOURCE}")
    for pattern in schema["functions"]:
        if not re.fullmatch(r"[\w.*]+:[\w.*]+", pattern):
            sys.exit(f"{SOURCE}: {pattern} is not MODULE:FUNCTION")
    for pattern in schema["own_names"]:
        if not re.fullmatch(r"[a-z*]+", pattern):
            sys.exit(f"{SOURCE}: {pattern} of own_names is not in small letters alone")
    return schema


def stage(name):
    return f"WorkStage::k{text.camel(name)}"


def wrapped(names):
    """The literals, as many on a line as fit."""
    line = "   "
    for name in names:
        piece = f" {text.cpp(name)},"
        if len(line) + len(piece) > WIDTH:
            yield line
            line = "   "
        line += piece
    yield line


def cpp(schema):
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield f"// {MADE}"
    yield '#include "analyze/code/packages.h"'
    yield ""
    yield "namespace steptrace::analyze {"
    yield "namespace {"
    yield ""
    yield "// clang-format off"
    yield "constexpr KnownFunctions kPackageFunctions[] = {"
    for pattern, of in schema["functions"].items():
        module, _, function = pattern.partition(":")
        yield f"    {{{text.cpp(module)}, {text.cpp(function)}, {stage(of)}}},"
    yield "};"
    for key, name in (("own_names", "OwnNames"), ("methods", "MethodNames")):
        yield ""
        yield f"constexpr KnownName k{name}[] = {{"
        for pattern, of in schema[key].items():
            yield f"    {{{text.cpp(pattern)}, {stage(of)}}},"
        yield "};"
    for key, name in LISTS.items():
        yield ""
        yield f"constexpr std::string_view k{name}[] = {{"
        yield from wrapped(schema[key])
        yield "};"
    yield "// clang-format on"
    yield ""
    yield "}  // namespace"
    yield ""
    spans = {"KnownFunctions": ["PackageFunctions"], "KnownName": ["OwnNames", "MethodNames"]}
    for kind, names in {**spans, "std::string_view": list(LISTS.values())}.items():
        for name in names:
            yield f"std::span<const {kind}> {name}() {{"
            yield f"  return k{name};"
            yield "}"
    yield ""
    yield "}  // namespace steptrace::analyze"


def page(schema):
    yield "# Functions that Steptrace knows"
    yield ""
    yield f"<!-- {MADE} -->"
    yield "Steptrace knows what these functions of packages and of the standard library do in a training run."
    yield ""
    yield "- Each pattern is `MODULE:FUNCTION`, and `*` stands for any text."
    yield "- A module includes everything below it: `pyarrow` also matches `pyarrow.parquet`."
    yield "- A function is matched by its qualified name or by the last part of it: `read_*` also matches `Clicks.read_row`."
    yield "- If several patterns match, the longest one counts."
    yield ""
    yield "Read [how they are used](../concepts/verdict.md#with-samples-of-stacks) and how to"
    yield "[add your own](../how-to/name-your-functions.md)."
    for name, title in works().items():
        patterns = [pattern for pattern, of in schema["functions"].items() if of == name]
        yield ""
        yield f"**{title}** (`{name}`): " + ", ".join(f"`{one}`" for one in patterns) + "."


def files():
    schema = declared()
    return {
        Path("src/analyze/code/packages.cc"): text.whole(cpp(schema)),
        Path("docs/reference/packages.md"): text.whole(page(schema)),
    }
