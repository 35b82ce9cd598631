# SPDX-License-Identifier: Apache-2.0
"""The categories of events: what an event of each is."""

import re
import sys
from pathlib import Path

import tomllib

from . import stages, text

SOURCE = Path("schema/event_categories.toml")
MADE = text.made_of(SOURCE)
WORK = ("kernel", "memcpy", "memset")
ON_STREAM = (*WORK, "sync")
DEVICE = (*ON_STREAM, "device_annotation")
NAMES = ("kernel_parts", "kernel_begins", "range_begins", "call_begins")  # of communication
HOST = ("operator", "annotation", "step", "runtime", "python", "overhead", "handover", "other_host")


def communication(schema):
    names = schema["communication"]
    if tuple(names) != NAMES:
        sys.exit(f"{SOURCE}: communication has {', '.join(names)}, not {', '.join(NAMES)}")
    for one in (name for listed in names.values() for name in listed):
        if not re.fullmatch(r"[a-z0-9_:-]+", one):
            sys.exit(f"{SOURCE}: {one} is no part of a name in lower case")
    return names


def declared(schema):
    categories = schema["category"]
    names = [one["name"] for one in categories]
    if len(set(names)) != len(names):
        sys.exit(f"{SOURCE}: a category is there twice")
    for one in categories:
        if one["is"] not in (*DEVICE, *HOST):
            sys.exit(f"{SOURCE}: {one['name']} is {one['is']}, which is nothing")
        if one.get("waits") and one["is"] not in WORK:
            sys.exit(f"{SOURCE}: {one['name']} waits, and is no work of a device")
    return categories


def names_of(categories, kinds, whole=False):
    return [
        one["name"] for one in categories if one["is"] in kinds and not (whole and one.get("waits"))
    ]


def listed(name, what, words):
    yield f"// {what}"
    yield f"inline constexpr std::string_view {name}[] = {{{', '.join(map(text.cpp, words))}}};"


def cpp(categories, names):
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield f"// {MADE}"
    yield "#pragma once"
    yield ""
    yield "#include <cstdint>"
    yield "#include <string_view>"
    yield ""
    yield "namespace steptrace::store {"
    yield ""
    yield "// clang-format off"
    kinds = ", ".join(f"k{text.camel(kind)}" for kind in (*HOST, *DEVICE))
    yield f"enum class CategoryKind : uint8_t {{ {kinds} }};"
    yield ""
    yield "struct EventCategory {"
    yield "  std::string_view name;  // as it is stored"
    yield "  CategoryKind is;"
    yield "  bool by_name;           // an event's name may say that it is another thing"
    yield "};"
    yield "inline constexpr EventCategory kEventCategories[] = {"
    for one in categories:
        by_name = "true" if one.get("by_name") else "false"
        yield f"    {{{text.cpp(one['name'])}, CategoryKind::k{text.camel(one['is'])}, {by_name}}},"
    yield "};"
    yield from listed(
        "kStreamWorkCategories", "Work of a device's stream.", names_of(categories, WORK, True)
    )
    yield from listed(
        "kStreamCategories", "Likewise, and waits of a stream.", names_of(categories, ON_STREAM)
    )
    yield from listed(
        "kCommunicationParts",
        "Parts of the names of kernels that communicate, in lower case; theirs may have another.",
        names["kernel_parts"],
    )
    yield from listed(
        "kCommunicationBegins", "How other names of such kernels begin.", names["kernel_begins"]
    )
    yield from listed(
        "kCollectiveRangeBegins", "How ranges around collectives begin.", names["range_begins"]
    )
    yield "// clang-format on"
    yield ""
    yield "constexpr bool IsStreamWork(std::string_view category) {"
    yield "  for (const std::string_view one : kStreamWorkCategories) {"
    yield "    if (one == category) return true;"
    yield "  }"
    yield "  return false;"
    yield "}"
    yield "constexpr bool IsOnStream(std::string_view category) {"
    yield "  for (const std::string_view one : kStreamCategories) {"
    yield "    if (one == category) return true;"
    yield "  }"
    yield "  return false;"
    yield "}"
    yield ""
    yield "// As PyTorch names them, of whatever maker's devices: cuda_runtime, xpu_driver."
    yield "constexpr bool IsRuntimeCall(std::string_view category) {"
    yield '  return category.ends_with("_runtime") || category.ends_with("_driver");'
    yield "}"
    yield ""
    yield "// Null: nobody knows it. Of runtimes those that are declared alone."
    yield "constexpr const EventCategory* FindEventCategory(std::string_view name) {"
    yield "  for (const EventCategory& one : kEventCategories) {"
    yield "    if (one.name == name) return &one;"
    yield "  }"
    yield "  return nullptr;"
    yield "}"
    yield ""
    yield "}  // namespace steptrace::store"


def typescript(categories, names):
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield f"// {MADE}"
    yield ""
    yield "/** Copies and fills of a device's stream. */"
    copies = ", ".join(map(stages.quoted, names_of(categories, ("memcpy", "memset"))))
    yield f"export const COPIES: ReadonlySet<string> = new Set([{copies}]);"
    yield ""
    yield "/** Calls into a device's runtime or driver, as PyTorch names them of whatever maker's. */"
    yield "export const isRuntimeCall = (category: string): boolean =>"
    yield "  category.endsWith('_runtime') || category.endsWith('_driver');"
    yield ""
    yield "const COMMUNICATION_PARTS ="
    yield f"  /{'|'.join(names['kernel_parts'])}/i;"
    yield "const COMMUNICATION_BEGINS ="
    begins = names["kernel_begins"] + names["range_begins"] + names["call_begins"]
    yield f"  /^(?:{'|'.join(begins)})/;"
    yield ""
    yield "/** Whether a name says that ranks exchange data: of a kernel, a range around it or an operator. */"
    yield "export const isCommunication = (name: string): boolean =>"
    yield "  COMMUNICATION_PARTS.test(name) || COMMUNICATION_BEGINS.test(name);"


def files():
    schema = tomllib.loads(SOURCE.read_text(encoding="utf-8"))
    categories, names = declared(schema), communication(schema)
    return {
        Path("src/store/event_categories.h"): text.whole(cpp(categories, names)),
        Path("ui/src/api/event_categories.ts"): text.whole(typescript(categories, names)),
    }
