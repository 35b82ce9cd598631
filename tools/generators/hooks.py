# SPDX-License-Identifier: Apache-2.0
"""What the hooks say: categories and names of records, words of --hooks, marks."""

import re
import sys
import textwrap
from pathlib import Path

import tomllib

from . import metadata, text

SOURCE = Path("schema/hooks.toml")
MADE = text.made_of(SOURCE)
RANGES = Path("python/steptrace/_ranges.py")
HOOKS = Path("python/steptrace/_hooks")
MARKS = HOOKS / "__init__.py"
WIDTH = 100  # of a line of C++
ARGUMENTS = ("a", "b", "end_a", "end_b")
SHAPES = ("range", "instant", "activity", "complete", "counter", "payload")


def declared():
    schema = tomllib.loads(SOURCE.read_text(encoding="utf-8"))
    values = [category["value"] for category in schema["category"]]
    if len(set(values)) != len(values):
        sys.exit(f"{SOURCE}: two categories have one value")
    for category in schema["category"]:
        named = category.get("name", [])
        if (
            "shape" not in category
            and not named
            and category["id"] not in ("user", "details", "tensor")
        ):
            sys.exit(f"{SOURCE}: {category['id']} has neither a shape nor names")
        for one in [category, *named]:
            if not re.fullmatch(r"[a-z][a-z0-9_]*", one["id"]):
                sys.exit(f"{SOURCE}: {one['id']} is no name")
            if one.get("shape", "range") not in SHAPES:
                sys.exit(f"{SOURCE}: {one['id']} has a shape that records do not have")
    for hook in schema["hook"]:
        patchers = {*hook.get("modules", {}).values(), *hook.get("attached", {}).values()}
        if not patchers:
            sys.exit(f"{SOURCE}: the hook {hook['word']} hooks no module")
        for patcher in sorted(patchers):
            file = HOOKS / f"{patcher}.py"
            if not file.exists():
                sys.exit(f"{SOURCE}: the hook {hook['word']} needs {file}, which patches")
    for kind in ("hook", "mark", "enumeration", "constant"):
        seen = [one.get("word", one.get("id")) for one in schema[kind]]
        if len(set(seen)) != len(seen):
            sys.exit(f"{SOURCE}: a {kind} is there twice")
    return schema


def names(schema):
    """(category, name) of each fixed name."""
    return [(c, name) for c in schema["category"] for name in c.get("name", [])]


def constant_of(name):
    return name.get("constant", f"kName{text.camel(name['id'])}")


def commented(lines, indent=0):
    begin = " " * indent + "// "
    for line in lines:
        yield from textwrap.wrap(line, WIDTH, initial_indent=begin, subsequent_indent=begin + "  ")


def arguments(one):
    said = {"a": "a", "b": "b", "end_a": "a of the end", "end_b": "b of the end"}
    return [f"{said[key]}: {one[key]}" for key in ARGUMENTS if key in one]


def explained(one):
    """What a record of it is, in lines."""
    about = [one.get("shape", ""), one.get("what") or one.get("note") or ""]
    yield ": ".join(part for part in about if part) + "."
    yield from arguments(one)


def enumeration(one):
    yield from commented([f"{one['what']}. Stored: values are fixed for ever and never reused."])
    yield f"enum class {one['id']} : {one['type']} {{"
    for value in one["values"]:
        what = f"  // {value['what']}" if "what" in value else ""
        yield f"  k{text.camel(value['id'])} = {value['value']},{what}"
    yield "};"
    if one.get("texts"):
        yield from texts(one)


def texts(one):
    yield "// As rows of a run have it; null: there is none of that value."
    yield f"constexpr const char* {one['id']}Text({one['id']} value) {{"
    yield "  switch (value) {"
    for value in one["values"]:
        yield f"    case {one['id']}::k{text.camel(value['id'])}:"
        yield f'      return "{value["id"]}";'
    yield "  }"
    yield "  return nullptr;"
    yield "}"


def constant(one):
    if "bit" in one:
        value = f"1ull << {one['bit']}"
    elif "ones" in one:
        value = "~0ull"
    else:
        value = f"{one['value']:#x}u"
    yield from commented([f"{one['what']}."])
    yield f"inline constexpr {one['type']} k{one['id']} = {value};"


def ranges_of(values):
    """Consecutive values as (first, last)."""
    found = []
    for value in sorted(values):
        if found and found[-1][1] == value - 1:
            found[-1][1] = value
        else:
            found.append([value, value])
    return found


def categories(schema):
    yield "// Stored in records: values are fixed for ever and never reused."
    yield "enum class Category : uint16_t {"
    for category in schema["category"]:
        yield from commented(explained(category), indent=2)
        yield f"  k{text.camel(category['id'])} = {category['value']},"
    yield "};"
    yield ""
    spans = ranges_of(category["value"] for category in schema["category"])
    tests = " || ".join(f"(value >= {first} && value <= {last})" for first, last in spans)
    yield "constexpr bool IsCategory(uint16_t value) {"
    yield f"  return {tests};"
    yield "}"
    yield ""
    yield "// As rows of a run have it."
    yield "constexpr const char* CategoryText(Category category) {"
    yield "  switch (category) {"
    for category in schema["category"]:
        stored = category.get("text", category["id"])
        yield f"    case Category::k{text.camel(category['id'])}:"
        yield f'      return "{stored}";'
    yield "  }"
    yield '  return "user";'
    yield "}"


CALLS = """\
// Which call of a group a collective is: below, the id of its kDetails in the arena of names; above
// it, how many the group has had with this one, which is the same number on all of its ranks.
inline constexpr uint32_t kCallDetailsBits = 24;
constexpr uint32_t CallDetails(uint64_t b) {
  return static_cast<uint32_t>(b & ((1u << kCallDetailsBits) - 1));
}
constexpr int64_t CallNumber(uint64_t b) {
  return static_cast<int64_t>(b >> kCallDetailsBits);
}"""

ABOUT = """\
// What the hooks say: the categories and names that a record can carry, and what its two arguments
// mean then. A record with another name in category kUser is a range of the user's own. An argument
// that is not explained is 0.
//
// Device work (kActivity) has in b the number that joins a call and what it launched, and the id of
// a text of kFact that tells where, a JSON object: {"device", "context", "stream"} and what is
// known of {"registers", "shared", "grid", "block", "graph", "node"}; of a call {"thread"} (its
// tid, 0: not known). A batch of them stands between two device_clock of its ring.
//
// A window may have several parts, each with a begin and an end; only the last end is not kAside.
// Both lie at steps' boundaries: a begin just before an optimizer step ends, an end just after one.
// `iterator`, `loader` and `optimizer` are numbers that the hooks give out, from 1, never reused in
// a process."""


def vocabulary(schema):
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield f"// {MADE}"
    yield "#pragma once"
    yield ""
    yield "#include <cstdint>"
    yield ""
    yield ABOUT
    yield "namespace steptrace::wire {"
    yield ""
    yield "// clang-format off"
    yield from categories(schema)
    yield ""
    yield CALLS
    for one in schema["enumeration"]:
        yield ""
        yield from enumeration(one)
    for one in schema["constant"]:
        yield ""
        yield from constant(one)
    yield ""
    for category in schema["category"]:
        if category.get("name"):
            yield f"// ---- Category::k{text.camel(category['id'])}"
        for name in category.get("name", []):
            yield from commented(explained(name))
            # The probe takes the size of its own names.
            kind = "char" if name.get("constant") else "const char*"
            array = "[]" if name.get("constant") else ""
            yield f'inline constexpr {kind} {constant_of(name)}{array} = "{name["id"]}";'
    yield ""
    yield f"// Kinds of what a process says about itself: {metadata.SOURCE}."
    for kind in metadata.of_processes(metadata.declared()):
        yield f'inline constexpr const char* kFact{text.camel(kind["id"])} = "{kind["id"]}";'
    yield "// clang-format on"
    yield ""
    yield "}  // namespace steptrace::wire"


def hook_names(schema):
    """(id, what it is) of all that derivation tells apart, in order."""
    found = {"user": "its text is Event::text"}
    for category in schema["category"]:
        for one in [*category.get("name", []), category]:
            if "hook" in one:
                found.setdefault(one["hook"], one.get("note") or one.get("what") or "")
    for one in schema["derived"]:
        found[one["id"]] = one["what"]
    return found


def derivation(schema):
    found = hook_names(schema)
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield f"// {MADE}"
    yield "#pragma once"
    yield ""
    yield "#include <cstddef>"
    yield "#include <cstdint>"
    yield "#include <string_view>"
    yield ""
    yield '#include "wire/vocabulary.h"'
    yield ""
    yield "namespace steptrace::analyze {"
    yield ""
    yield "// clang-format off"
    yield "// What a hook said, by the names of wire/vocabulary.h."
    yield "enum class HookName : uint8_t {"
    for one, what in found.items():
        yield f"  k{text.camel(one)},{f'  // {what}' if what else ''}"
    yield "};"
    yield f"inline constexpr size_t kHookNames = {len(found)};"
    yield ""
    yield "struct HookRecord {"
    yield "  wire::Category category;"
    yield "  std::string_view name;  // empty: any of the category"
    yield "  bool instant;"
    yield "  HookName hook;"
    yield "};"
    yield "inline constexpr HookRecord kHookRecords[] = {"
    for category in schema["category"]:
        for one in [*category.get("name", []), category]:
            if "hook" not in one or one["hook"] == "user":
                continue
            name = '""' if one is category else f"wire::{constant_of(one)}"
            instant = "true" if one.get("shape") == "instant" else "false"
            place = f"wire::Category::k{text.camel(category['id'])}"
            yield f"    {{{place}, {name}, {instant}, HookName::k{text.camel(one['hook'])}}},"
    yield "};"
    yield "// clang-format on"
    yield ""
    yield "}  // namespace steptrace::analyze"


def words(schema):
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield f"// {MADE}"
    yield "#pragma once"
    yield ""
    yield "#include <string_view>"
    yield ""
    yield "namespace steptrace::cli {"
    yield ""
    yield "// clang-format off"
    yield "inline constexpr std::string_view kHookWords[] = {"
    for hook in schema["hook"]:
        yield f'    "{hook["word"]}",  // {hook["what"]}'
    yield "};"
    yield "// clang-format on"
    yield ""
    yield "}  // namespace steptrace::cli"


def marks(schema):
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield f"// {MADE}"
    yield "#pragma once"
    yield ""
    yield "#include <cstddef>"
    yield "#include <cstdint>"
    yield "#include <string_view>"
    yield ""
    yield "namespace steptrace::agent {"
    yield ""
    yield "// clang-format off"
    yield "enum class HooksMark : uint8_t {"
    for mark in schema["mark"]:
        yield f"  k{text.camel(mark['id'])},  // {mark['what']}"
    yield "};"
    yield f"inline constexpr size_t kHooksMarkCount = {len(schema['mark'])};"
    yield ""
    yield "struct HooksMarkPrefix {"
    yield "  std::string_view prefix;"
    yield "  HooksMark mark;"
    yield "};"
    yield "inline constexpr HooksMarkPrefix kHooksMarkPrefixes[kHooksMarkCount] = {"
    for mark in schema["mark"]:
        yield f'    {{"{mark["name"]}.", HooksMark::k{text.camel(mark["id"])}}},'
    yield "};"
    yield ""
    yield f"// {schema['marks']['what']}."
    yield f"inline constexpr int32_t kHooksMarkSlots = {schema['marks']['slots']};"
    yield "// clang-format on"
    yield ""
    yield "}  // namespace steptrace::agent"


def python_marks(schema):
    for mark in schema["mark"]:
        yield f'{mark["id"].upper()} = "{mark["name"]}"'
    yield f"SLOTS = {schema['marks']['slots']}"


def python_values(schema):
    known = {category["id"]: category["value"] for category in schema["category"]}
    yield f"USER = {known['user']}"
    yield f"PHASE = {known['phase']}"
    for one in schema["constant"]:
        if one["id"] == "NoArgument":
            yield f"NO_ARGUMENT = {python_value(one)}"


def snake(name):
    return re.sub(r"(?<!^)([A-Z])", r"_\1", name).upper()


def python_value(one):
    if "ones" in one:
        return f"(1 << {one['ones']}) - 1"
    return f"1 << {one['bit']}" if "bit" in one else f"{one['value']:#x}"


def python_modules(schema, key):
    for hook in schema["hook"]:
        for module, patcher in hook.get(key, {}).items():
            yield f'    "{module}": ("{hook["word"]}", "{patcher}"),'


def python(schema):
    yield "# SPDX-License-Identifier: Apache-2.0"
    yield f'"""{MADE}"""'
    yield ""
    yield "# fmt: off"
    yield "# The words of --hooks."
    yield "HOOK_WORDS = ("
    for hook in schema["hook"]:
        yield f'    "{hook["word"]}",'
    yield ")"
    yield ""
    yield "# Module that is hooked -> its word, and the module of ours that patches it."
    yield "HOOKED_MODULES = {"
    yield from python_modules(schema, "modules")
    yield "}"
    yield "# Likewise, of what is patched as soon as the process attaches."
    yield "HOOKED_WHEN_ATTACHED = {"
    yield from python_modules(schema, "attached")
    yield "}"
    yield ""
    yield "# Categories."
    for category in schema["category"]:
        if category.get("python"):
            yield f"{category['id'].upper()} = {category['value']}"
    yield ""
    yield "# Names."
    for _, name in names(schema):
        if name.get("python", True):
            yield f'{name["id"].upper()} = "{name["id"]}"'
    for one in schema["enumeration"]:
        if "python" in one:
            yield ""
            yield f"# {one['what']}."
            if one.get("texts"):
                yield f"{one['python']} = {{"
                for value in one["values"]:
                    yield f'    "{value["id"]}": {value["value"]},'
                yield "}"
                continue
            for value in one["values"]:
                yield f"{one['python']}_{value['id'].upper()} = {value['value']}"
    yield ""
    yield "# Values of arguments."
    for one in schema["constant"]:
        if one.get("python"):
            yield f"{snake(one['id'])} = {python_value(one)}"
    yield ""
    yield f"# Kinds of what a process says about itself: {metadata.SOURCE}."
    for kind in metadata.of_processes(metadata.declared()):
        yield f'FACT_{kind["id"].upper()} = "{kind["id"]}"'


def page(schema):
    yield "# Hooks"
    yield ""
    yield f"<!-- {MADE} -->"
    yield ""
    yield schema["text"].strip()
    yield ""
    yield "| word | hooks |"
    yield "| --- | --- |"
    for hook in schema["hook"]:
        yield f"| `{hook['word']}` | {hook['what']} |"


def files():
    schema = declared()
    values = (
        "# begin of the hooks' values, by tools/generate.py: importing the package loads as little as it can\n",
        "# end of values\n",
    )
    begin, end = "# begin of marks, by tools/generate.py\n", "# end of marks\n"
    return {
        Path("src/wire/vocabulary.h"): text.whole(vocabulary(schema)),
        Path("src/analyze/derive/hook_name.h"): text.whole(derivation(schema)),
        Path("src/cli/hook_word_list.h"): text.whole(words(schema)),
        Path("src/agent/ingest/hooks_mark_list.h"): text.whole(marks(schema)),
        HOOKS / "vocabulary.py": text.whole(python(schema)),
        Path("docs/reference/hooks.md"): text.whole(page(schema)),
        MARKS: text.between(MARKS, begin, end, python_marks(schema)),
        RANGES: text.between(RANGES, *values, python_values(schema)),
    }
