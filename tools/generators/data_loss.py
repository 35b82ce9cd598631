# SPDX-License-Identifier: Apache-2.0
"""The causes of data loss."""

import re
import sys
from pathlib import Path

import tomllib

from . import text

SOURCE = Path("schema/data_loss.toml")


def declared():
    schema = tomllib.loads(SOURCE.read_text(encoding="utf-8"))
    for section in schema["section"]:
        for cause in section["cause"]:
            if not re.fullmatch(r"[a-z][a-z0-9_]*", cause["name"]):
                sys.exit(f"{SOURCE}: a cause is named {cause['name']}")
            if not all(cause[key] for key in ("tables", "lost", "why", "to_do")):
                sys.exit(f"{SOURCE}: {cause['name']} lacks a text")
            if "detail" not in cause:
                sys.exit(f"{SOURCE}: {cause['name']} does not say what its row says")
    called = [enumerator(cause) for cause in causes(schema)]
    for name in set(called):
        if called.count(name) > 1:
            sys.exit(f"{SOURCE}: {name} is declared twice")
    return schema


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
    yield "};"
    yield "inline constexpr LossCauseInfo kLossCauses[] = {"
    for cause in causes(schema):
        table = cause["tables"][0].replace("any", "")
        yield f'    {{"{cause["name"]}", "{table}", {text.cpp(cause["detail"])}}},'
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
    yield "constexpr bool operator==(std::string_view stored, LossCause cause) {"
    yield "  return stored == NameOf(cause);"
    yield "}"
    yield ""
    yield "}  // namespace steptrace::store"


def page(schema):
    yield "# What a run can lack: the table `data_loss`"
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
        yield "| cause | table | lost | why | what to do |"
        yield "| --- | --- | --- | --- | --- |"
        for cause in section["cause"]:
            tables = ", ".join(t if t == "any" else f"`{t}`" for t in cause["tables"])
            cells = [f"`{cause['name']}`", tables, cause["lost"], cause["why"], cause["to_do"]]
            yield f"| {' | '.join(cells)} |"


def files():
    schema = declared()
    return {
        Path("src/store/loss_causes.h"): text.whole(cpp(schema)),
        Path("docs/reference/data_loss.md"): text.whole(page(schema)),
    }
