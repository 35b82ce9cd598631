# SPDX-License-Identifier: Apache-2.0
"""The causes of data loss."""

import re
import sys
from pathlib import Path

import tomllib

from . import text

SOURCE = Path("schema/data_loss.toml")
LABELS = ("Lost", "Incomplete", "Skipped", "Changed", "Doubtful")


def declared():
    schema = tomllib.loads(SOURCE.read_text(encoding="utf-8"))
    for section in schema["section"]:
        for cause in section["cause"]:
            if not re.fullmatch(r"[a-z][a-z0-9_]*", cause["name"]):
                sys.exit(f"{SOURCE}: a cause is named {cause['name']}")
            if not all(cause[key] for key in ("tables", "lost", "why", "to_do")):
                sys.exit(f"{SOURCE}: {cause['name']} lacks a text")
            if cause.get("label") not in LABELS:
                sys.exit(f"{SOURCE}: {cause['name']} has none of the labels {', '.join(LABELS)}")
            if "detail" not in cause:
                sys.exit(f"{SOURCE}: {cause['name']} does not say what its row says")
    called = [enumerator(cause) for cause in causes(schema)]
    for name in set(called):
        if called.count(name) > 1:
            sys.exit(f"{SOURCE}: {name} is declared twice")
    shown = {}
    for cause in causes(schema):
        said = (cause["label"], cause.get("counts"))
        if shown.setdefault(cause["name"], said)[1] != said[1]:
            sys.exit(f"{SOURCE}: {cause['name']} counts two things")
    return schema


def counted(cause):
    """One and several of what it counts; empty, empty: its sentence says; None: rows of its table."""
    one = cause.get("counts")
    if not one:
        return one
    if one.endswith("y") and one[-2] not in "aeo":
        return one, one[:-1] + "ies"
    return one, one + ("es" if one.endswith(("s", "ss", "x", "ch")) else "s")


def enumerator(cause):
    return cause.get("enumerator", cause["name"])


def causes(schema):
    return [cause for section in schema["section"] for cause in section["cause"]]


def cpp(schema):
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield f"// {text.made_of(SOURCE)}"
    yield "#pragma once"
    yield ""
    yield "#include <cstddef>"
    yield "#include <cstdint>"
    yield "#include <string_view>"
    yield ""
    yield "namespace steptrace::store {"
    yield ""
    yield "// clang-format off"
    yield "enum class LossCause : uint8_t {"
    for cause in causes(schema):
        yield f"  k{text.camel(enumerator(cause))},"
    yield "};"
    yield ""
    yield "struct LossCauseInfo {"
    yield "  std::string_view name;         // as it is stored"
    yield "  std::string_view first_table;  // whose rows are lost; empty: the row names it"
    yield "  std::string_view detail;       // what its row says; empty: what counts it says more"
    yield "  std::string_view label;        // how a report begins: Lost, Incomplete, ..."
    yield "  bool counts_itself;            // its sentence has the number"
    yield "  std::string_view one, many;    // of what is counted; empty: rows of the table"
    yield "  bool is_damage;                // what was written once can no longer be read"
    yield "};"
    yield "inline constexpr LossCauseInfo kLossCauses[] = {"
    for cause in causes(schema):
        table = cause["tables"][0].replace("any", "")
        one, many = counted(cause) or ("", "")
        itself = "true" if counted(cause) == "" else "false"
        yield f'    {{"{cause["name"]}", "{table}", {text.cpp(cause["detail"])},'
        damage = "true" if cause.get("damage", False) else "false"
        yield f'     "{cause["label"]}", {itself}, "{one}", "{many}", {damage}}},'
    yield "};"
    yield "// clang-format on"
    yield ""
    for function, member in (
        ("NameOf", "name"),
        ("FirstTableOf", "first_table"),
        ("DetailOf", "detail"),
    ):
        yield f"constexpr std::string_view {function}(LossCause cause) {{"
        yield f"  return kLossCauses[static_cast<size_t>(cause)].{member};"
        yield "}"
    yield ""
    yield "// By how it is stored; none: of a run by another version."
    yield "constexpr const LossCauseInfo* FindLossCause(std::string_view stored) {"
    yield "  for (const LossCauseInfo& one : kLossCauses) {"
    yield "    if (one.name == stored) return &one;"
    yield "  }"
    yield "  return nullptr;"
    yield "}"
    yield "constexpr bool operator==(std::string_view stored, LossCause cause) {"
    yield "  return stored == NameOf(cause);"
    yield "}"
    yield ""
    yield "}  // namespace steptrace::store"


def typescript(schema):
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield f"// {text.made_of(SOURCE)}"
    yield ""
    yield "/** How a report says what is missing by each cause of data loss. */"
    yield "export interface LossCause {"
    yield "  readonly label: 'Lost' | 'Incomplete' | 'Skipped' | 'Changed' | 'Doubtful';"
    yield "  /** One and several of what is counted; rows: of the table; none: the sentence has the number. */"
    yield "  readonly counts: readonly [one: string, many: string] | 'rows' | 'none';"
    yield "}"
    yield ""
    yield "export const LOSS_CAUSES: Readonly<Record<string, LossCause>> = {"
    for name in dict.fromkeys(cause["name"] for cause in causes(schema)):
        cause = next(cause for cause in causes(schema) if cause["name"] == name)
        counts = {None: "'rows'", "": "'none'"}.get(counted(cause))
        counts = counts or "['{}', '{}']".format(*counted(cause))
        yield f"  {name}: {{ label: '{cause['label']}', counts: {counts} }},"
    yield "};"


def page(schema):
    yield "# What a run can be missing: the table `data_loss`"
    yield ""
    yield f"<!-- {text.made_of(SOURCE)} -->"
    yield ""
    yield schema["text"].strip()
    for section in schema["section"]:
        yield ""
        yield f"## {section['title']}"
        yield ""
        yield section["text"].strip()
        yield ""
        yield "| cause | label | table | what is missing | why | what to do |"
        yield "| --- | --- | --- | --- | --- | --- |"
        for cause in section["cause"]:
            tables = ", ".join(t if t == "any" else f"`{t}`" for t in cause["tables"])
            cells = [f"`{cause['name']}`", cause["label"], tables]
            cells += [cause["lost"], cause["why"], cause["to_do"]]
            yield f"| {' | '.join(cells)} |"


def files():
    schema = declared()
    return {
        Path("src/store/loss_causes.h"): text.whole(cpp(schema)),
        Path("ui/src/api/loss_causes.ts"): text.whole(typescript(schema)),
        Path("docs/reference/data_loss.md"): text.whole(page(schema)),
    }
