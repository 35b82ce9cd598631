# SPDX-License-Identifier: Apache-2.0
"""What is known about a run besides its events: kinds of metadata and their keys."""

import re
import sys
from pathlib import Path

import tomllib

from . import text

SOURCE = Path("schema/metadata.toml")
MADE = text.made_of(SOURCE)
BY = {
    "process": "the training's processes",
    "agent": "the agent",
    "profile": "imported profiles",
    "sagemaker": "SageMaker Debugger's output",
}
TYPES = ("text", "integer", "number", "boolean", "list", "object")


def declared():
    schema = tomllib.loads(SOURCE.read_text(encoding="utf-8"))
    kinds = [kind["id"] for kind in schema["kind"]]
    if len(set(kinds)) != len(kinds):
        sys.exit(f"{SOURCE}: a kind is there twice")
    names = {}
    for kind in schema["kind"]:
        if not kind["by"] or any(who not in BY for who in kind["by"]):
            sys.exit(f"{SOURCE}: who says {kind['id']}?")
        for key in kind["keys"]:
            if not re.fullmatch(r"[a-z][a-z0-9_]*", key["id"]) or key["type"] not in TYPES:
                sys.exit(f"{SOURCE}: {kind['id']}.{key['id']} is no name, or of no type")
            if names.setdefault(key["id"], name_of(key)) != name_of(key):
                sys.exit(f"{SOURCE}: {key['id']} is written in two ways")
    writers = [writer["id"] for writer in schema["writer"]]
    if len(set(writers)) != len(writers) or any(not re.fullmatch(r"[a-z_]+", w) for w in writers):
        sys.exit(f"{SOURCE}: a writer is there twice, or is no name")
    return schema


def name_of(key):
    """As the JSON has it."""
    return key.get("name", key["id"])


def settings(schema):
    """[(kind, key, setting)]: what tells a setting that an advice may change."""
    return [
        (kind["id"], key, key["setting"])
        for kind in schema["kind"]
        for key in kind["keys"]
        if "setting" in key
    ]


def typescript(schema):
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield f"// {MADE}"
    yield ""
    yield "/** What an advice and a loader's arguments call what a loader tells, by the keys of its metadata. */"
    yield "export const LOADER_SETTINGS = {"
    for kind, key, setting in settings(schema):
        if kind == "loader":
            argument = setting.split(".")[-1]
            yield f"  {name_of(key)}: {{ setting: '{setting}', argument: '{argument}' }},"
    yield "} as const satisfies Readonly<Record<string, { setting: string; argument: string }>>;"


def of_processes(schema):
    return [kind for kind in schema["kind"] if "process" in kind["by"]]


def keys_read(schema):
    """Those that C++ reads, each once."""
    found = {}
    for kind in schema["kind"]:
        for key in kind["keys"]:
            if key.get("read"):
                found.setdefault(key["id"], name_of(key))
    return found


def cpp(schema):
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield f"// {MADE}"
    yield "#pragma once"
    yield ""
    yield "#include <cstddef>"
    yield "#include <cstdint>"
    yield "#include <string_view>"
    yield ""
    yield "namespace steptrace::store {"
    yield ""
    yield "// clang-format off"
    yield "// Kinds of rows of run metadata."
    yield "enum class MetadataKind : uint8_t {"
    for kind in schema["kind"]:
        yield f"  k{text.camel(kind['id'])},  // {kind['what']}"
    yield "};"
    yield "inline constexpr std::string_view kMetadataKinds[] = {"
    for kind in schema["kind"]:
        yield f'    "{kind["id"]}",'
    yield "};"
    yield ""
    yield "// Keys of their JSON, of those that are read."
    yield "enum class MetadataKey : uint8_t {"
    for key in keys_read(schema):
        yield f"  k{text.camel(key)},"
    yield "};"
    yield "inline constexpr const char* kMetadataKeys[] = {"
    for name in keys_read(schema).values():
        yield f'    "{name}",'
    yield "};"
    yield ""
    yield "// What an advice calls a setting that they tell."
    for kind, key, setting in settings(schema):
        name = f"k{text.camel(kind)}{text.camel(key['id'])}Setting"
        yield f"inline constexpr const char* {name} = {text.cpp(setting)};"
    yield "// clang-format on"
    yield ""
    yield "constexpr std::string_view NameOf(MetadataKind kind) {"
    yield "  return kMetadataKinds[static_cast<size_t>(kind)];"
    yield "}"
    yield "constexpr const char* NameOf(MetadataKey key) {"
    yield "  return kMetadataKeys[static_cast<size_t>(key)];"
    yield "}"
    yield ""
    yield "constexpr bool operator==(std::string_view stored, MetadataKind kind) {"
    yield "  return stored == NameOf(kind);"
    yield "}"
    yield ""
    yield "}  // namespace steptrace::store"


def cpp_writers(schema):
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield f"// {MADE}"
    yield "#pragma once"
    yield ""
    yield "#include <cstddef>"
    yield "#include <cstdint>"
    yield "#include <iterator>"
    yield "#include <string_view>"
    yield ""
    yield "namespace steptrace::store {"
    yield ""
    yield "// clang-format off"
    yield "// Who wrote a profile."
    yield "enum class ProfileWriter : uint8_t {"
    yield "  kUnknown,"
    for writer in schema["writer"]:
        yield f"  k{text.camel(writer['id'])},"
    yield "};"
    yield ""
    yield "struct ProfileWriterInfo {"
    yield "  std::string_view id;         // as it is stored; empty: it is not known"
    yield "  std::string_view title;      // as it is said"
    yield "  std::string_view framework;  // whose training it profiles; empty: any, or none"
    yield "};"
    yield "inline constexpr ProfileWriterInfo kProfileWriters[] = {"
    yield '    {"", "", ""},'
    for writer in schema["writer"]:
        said = (writer["id"], writer["title"], writer.get("framework", ""))
        yield f"    {{{', '.join(text.cpp(one) for one in said)}}},"
    yield "};"
    yield "// clang-format on"
    yield ""
    yield "constexpr const ProfileWriterInfo& InfoOf(ProfileWriter writer) {"
    yield "  return kProfileWriters[static_cast<size_t>(writer)];"
    yield "}"
    yield ""
    yield "constexpr ProfileWriter ProfileWriterOf(std::string_view id) {"
    yield "  for (size_t i = 0; i < std::size(kProfileWriters); ++i) {"
    yield "    if (kProfileWriters[i].id == id) return static_cast<ProfileWriter>(i);"
    yield "  }"
    yield "  return ProfileWriter::kUnknown;"
    yield "}"
    yield ""
    yield "}  // namespace steptrace::store"


def page(schema):
    yield "# Run metadata: the table `run_metadata`"
    yield ""
    yield f"<!-- {MADE} -->"
    yield ""
    yield schema["text"].strip()
    for kind in schema["kind"]:
        yield ""
        yield f"## `{kind['id']}`"
        yield ""
        by = [BY[who] for who in kind["by"]]
        said = by[0] if len(by) == 1 else f"{', '.join(by[:-1])} and {by[-1]}"
        others = " Other keys are the source's own." if kind.get("open") else ""
        yield f"{kind['what']}. Of {said}.{others}"
        yield ""
        yield "| key | type | meaning |"
        yield "| --- | --- | --- |"
        for key in kind["keys"]:
            yield f"| `{name_of(key)}` | {key['type']} | {key['what']} |"
    yield ""
    yield "## Writers"
    yield ""
    yield "Who wrote a profile decides which advice is given: none of PyTorch's on another framework's profile."
    yield ""
    yield "| `writer` | who | known by |"
    yield "| --- | --- | --- |"
    for writer in schema["writer"]:
        yield f"| `{writer['id']}` | {writer['title']} | {writer['marks']} |"


def files():
    schema = declared()
    return {
        Path("src/store/metadata_keys.h"): text.whole(cpp(schema)),
        Path("src/store/profile_writers.h"): text.whole(cpp_writers(schema)),
        Path("ui/src/api/settings.ts"): text.whole(typescript(schema)),
        Path("docs/reference/metadata.md"): text.whole(page(schema)),
    }
