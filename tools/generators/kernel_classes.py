# SPDX-License-Identifier: Apache-2.0
"""Classes of kernels, and the parts of names by which kernels belong to them."""

import re
import sys
from pathlib import Path

import tomllib

from . import text

SOURCE = Path("schema/kernel_classes.toml")
MADE = text.made_of(SOURCE)
FLAGS = ("memory_bound", "by_flops")
WITHOUT_NAMES = {"communication", "other"}  # of these RoleOf and nobody decides
WIDTH = 110


def declared():
    schema = tomllib.loads(SOURCE.read_text(encoding="utf-8"))
    ids = [one["id"] for one in schema["class"]]
    if len(set(ids)) != len(ids):
        sys.exit(f"{SOURCE}: a class stands there twice")
    seen = {}
    for names in schema["names"]:
        if names["class"] not in ids:
            sys.exit(f"{SOURCE}: {names['class']} is no class of these: {', '.join(ids)}")
        for one in names["any"]:
            if one != one.lower() or not re.search(r"[a-z0-9]", one):
                sys.exit(f"{SOURCE}: {one} is not in lower case, or fits every name")
            if one in seen:
                sys.exit(f"{SOURCE}: {one} stands there twice")
            seen[one] = names["class"]
    idle = set(ids) - set(seen.values()) - WITHOUT_NAMES
    if idle:
        sys.exit(f"{SOURCE}: no name is of {', '.join(sorted(idle))}")
    return schema


def constant(identifier):
    return f"KernelClass::k{text.camel(identifier)}"


def header(schema):
    classes = schema["class"]
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield f"// {MADE}"
    yield "#pragma once"
    yield ""
    yield "#include <array>"
    yield "#include <cstddef>"
    yield "#include <cstdint>"
    yield "#include <string_view>"
    yield ""
    yield "namespace steptrace::analyze {"
    yield ""
    yield "// clang-format off"
    yield "enum class KernelClass : uint8_t {"
    for one in classes:
        yield f"  k{text.camel(one['id'])},  // {one['does']}"
    yield "};"
    yield "// clang-format on"
    yield f"inline constexpr size_t kKernelClassCount = {len(classes)};"
    yield ""
    yield "struct KernelClassInfo {"
    yield "  std::string_view id;"
    yield "  std::string_view title;"
    yield "  bool memory_bound;  // its time is that of moving its operands"
    yield "  bool by_flops;      // what it computes is known by the operator's shapes"
    yield "};"
    yield ""
    yield "// clang-format off"
    yield "inline constexpr std::array<KernelClassInfo, kKernelClassCount> kKernelClasses = {{"
    for one in classes:
        flags = ", ".join(str(one.get(flag, False)).lower() for flag in FLAGS)
        yield f"    {{{text.cpp(one['id'])}, {text.cpp(one['title'])}, {flags}}},"
    yield "}};"
    yield "// clang-format on"
    yield ""
    yield "inline constexpr const KernelClassInfo& InfoOf(KernelClass one) {"
    yield "  return kKernelClasses[static_cast<size_t>(one)];"
    yield "}"
    yield ""
    yield "}  // namespace steptrace::analyze"


def literals(names):
    """As many on a line as fit."""
    line = "   "
    for name in names:
        piece = f" {text.cpp(name)},"
        if len(line) + len(piece) > WIDTH:
            yield line
            line = "   "
        line += piece
    yield line


def source(schema):
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield f"// {MADE}"
    yield '#include "analyze/trace/kernel_class.h"'
    yield ""
    yield "namespace steptrace::analyze {"
    yield "namespace {"
    yield ""
    yield "// clang-format off"
    for i, names in enumerate(schema["names"]):
        yield f"constexpr std::string_view kNames{i}[] = {{"
        yield from literals(names["any"])
        yield "};"
    yield "constexpr KernelClassPatterns kLists[] = {"
    for i, names in enumerate(schema["names"]):
        yield f"    {{{constant(names['class'])}, kNames{i}}},"
    yield "};"
    yield "// clang-format on"
    yield ""
    yield "}  // namespace"
    yield ""
    yield "std::span<const KernelClassPatterns> KernelNameLists() {"
    yield "  return kLists;"
    yield "}"
    yield ""
    yield "}  // namespace steptrace::analyze"


def page(schema):
    yield "# Classes of kernels"
    yield ""
    yield f"<!-- {MADE} -->"
    yield "Reports sum device time by what kernels do. The class follows from the kernel's name: the first list below that holds a"
    yield "part of it, in any case and without the list of parameters, decides (`*` is any text). Kernels that communicate are"
    yield "known by their own list, copies and fills by their kind. A name that nothing here knows is `other`, and its share is"
    yield "reported like any other."
    yield ""
    yield "Time is the sum of the kernels' durations: kernels that run at once count each, so the classes sum to kernel time and"
    yield "not to the time of the step."
    yield ""
    yield "| class | what it holds |"
    yield "| --- | --- |"
    for one in schema["class"]:
        yield f"| `{one['id']}` | {one['does']} |"
    yield ""
    yield "Kernels of `elementwise`, `normalisation`, `reduction` and `copy` are memory-bound: they take as long as their operands"
    yield "take to be read and written, so fusing them saves time. `gemm`, `convolution` and `attention` compute."
    yield ""
    yield "## Names, in the order in which they are asked"
    for names in schema["names"]:
        yield ""
        yield f"**{names['class']}**: " + ", ".join(f"`{one}`" for one in names["any"]) + "."


def files():
    schema = declared()
    return {
        Path("src/analyze/trace/kernel_classes.h"): text.whole(header(schema)),
        Path("src/analyze/trace/kernel_class_names.cc"): text.whole(source(schema)),
        Path("docs/reference/kernel_classes.md"): text.whole(page(schema)),
    }
