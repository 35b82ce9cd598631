# SPDX-License-Identifier: Apache-2.0
"""The report's sections and members."""

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import tomllib

from . import finding_topics, kernel_classes, stages, stored_words, text

SOURCE = Path("schema/report.toml")
MADE = text.made_of(SOURCE)
PAGE = Path("docs/reference/report.md")
STORED = ("run_status", "severity")
BEGIN, END = f"<!-- Begin: {MADE} -->\n", f"<!-- End: {MADE} -->\n"


@dataclass(frozen=True)
class Scalar:
    """A type that is no object: in JSON Schema, in TypeScript, and in words."""

    schema: dict
    typescript: str
    title: str
    unit: str = ""


def whole(unit, typescript="number", least=None):
    schema = {"type": "integer"} | ({} if least is None else {"minimum": least})
    return Scalar(schema, typescript, "integer", unit)


ONE = {"type": ["string", "number", "boolean", "null"]}
ITEMS = {"type": "array", "items": {"type": "object", "additionalProperties": ONE}}
VALUES = {"type": "object", "properties": {"items": ITEMS}, "additionalProperties": ONE}
SETTING = {"type": ["string", "number", "boolean"]}
SETTINGS = {"type": "object", "additionalProperties": SETTING}
SCALARS = {
    "text": Scalar({"type": "string"}, "string", "text"),
    "flag": Scalar({"type": "boolean"}, "boolean", "flag"),
    "integer": whole(""),
    "number": Scalar({"type": "number"}, "number", "number"),
    "ns": whole("ns", "Ns"),
    "bytes": whole("bytes"),
    "count": whole("", least=0),
    "share": Scalar({"type": "number"}, "number", "number", "share"),
    "percent": Scalar({"type": "number"}, "number", "number", "%"),
    "bytes_per_s": Scalar({"type": "number"}, "number", "number", "bytes/s"),
    "flops": Scalar({"type": "number"}, "number", "number", "FLOP"),
    "flops_per_s": Scalar({"type": "number"}, "number", "number", "FLOP/s"),
    "scalar": Scalar(ONE, "Value", "text, number, flag or null"),
    "any": Scalar({}, "unknown", "anything"),
    "values": Scalar(VALUES, "Values", "values by name"),
    "settings": Scalar(SETTINGS, "Settings", "settings by name"),
}


def names_of_stages():
    """Suspects and stages, as schema/stages.toml has them."""
    _, suspects, *_ = stages.declared()
    return {
        "suspect": ([one["id"] for one in suspects], "SuspectId"),
        "stage_name": ([one["id"] for one in stages.stages(suspects)], "StageId"),
    }


@dataclass(frozen=True)
class Kind:
    """What stands as the type of a member: `rank[]`, `ns?`."""

    name: str
    is_list: bool
    nullable: bool


def kind_of(word):
    found = re.fullmatch(r"([a-z_]+)(\[\])?(\?)?", word)
    if not found:
        sys.exit(f"{SOURCE}: {word} is no type")
    return Kind(found[1], bool(found[2]), bool(found[3]))


@dataclass(frozen=True)
class Member:
    name: str
    optional: bool
    kind: Kind
    text: str


def member_of(owner, row):
    name, kind, meaning = row
    found = re.fullmatch(r"([a-z][a-z0-9_]*)(\?)?", name)
    if not found or not meaning or meaning.endswith("."):
        sys.exit(f"{SOURCE}: {owner}: {name} is no name, has no text, or one with a full stop")
    return Member(found[1], bool(found[2]), kind_of(kind), meaning)


class Vocabulary:
    """The declarations, checked: each name is there once, each type is known."""

    def __init__(self):
        declared = tomllib.loads(SOURCE.read_text(encoding="utf-8"))
        self.schema = declared["schema"]
        self.words = {one["name"]: one["words"] for one in declared["words"]}
        self.reasons = {one["id"]: one["text"] for one in declared["reason"]}
        # Those that the report repeats as they are stored.
        stored = stored_words.declared()
        self.words |= {name: stored_words.words_of(stored[name]) for name in STORED}
        self.words["reason_id"] = list(self.reasons)
        self.words["kernel_class"] = [one["id"] for one in kernel_classes.declared()["class"]]
        self.words["topic"] = [one["name"] for one in finding_topics.declared()]
        self.stages = names_of_stages()
        self.types = {one["name"]: one for one in declared["type"]}
        self.own = {
            name: [member_of(name, row) for row in one["members"]]
            for name, one in self.types.items()
        }
        rows = [[one["name"], one["type"], one["is"]] for one in declared["section"]]
        self.sections = [member_of("section", row) for row in rows]
        # Lists whose rows stand next to a section's own members.
        self.listed = {
            one["name"]
            for one in declared["section"]
            if one["type"].endswith("[]") and not one.get("plain")
        }
        known = [*SCALARS, *self.words, *self.stages, *self.types]
        if len(known) != len(set(known)) or len(self.types) != len(declared["type"]):
            sys.exit(f"{SOURCE}: a type is there twice")
        for name in self.types:
            own = [one.name for one in self.own[name]]
            if len(set(own)) != len(own):
                sys.exit(f"{SOURCE}: {name} has a member twice")
        used = [*self.sections, *(one for own in self.own.values() for one in own)]
        for one in used:
            if one.kind.name not in known:
                sys.exit(f"{SOURCE}: {one.kind.name} of {one.name} is no type")
        unused = set(self.types) - {one.kind.name for one in used} - self.extended()
        if unused:
            sys.exit(f"{SOURCE}: nothing is of type {', '.join(sorted(unused))}")

    def extended(self):
        return {name for one in self.types.values() for name in one.get("extends", ())}

    def members(self, name):
        """A type's members, those of the types that it extends first; what it says of one of them itself holds."""
        own = {one.name: one for one in self.own[name]}
        of_others = [
            own.pop(one.name, one)
            for other in self.types[name].get("extends", ())
            for one in self.members(other)
        ]
        return [*of_others, *own.values()]

    def rows_of(self, section):
        """The members of a section that is a list."""
        rows = Member("rows", False, section.kind, section.text)
        return [*self.members("section"), rows]


def value_schema(known, name):
    if name in SCALARS:
        scalar = SCALARS[name]
        return dict(scalar.schema) | ({"unit": scalar.unit} if scalar.unit else {})
    if name in known.words:
        return {"enum": known.words[name]}
    if name in known.stages:
        return {"enum": known.stages[name][0]}
    return {"$ref": f"#/$defs/{name}"}


def kind_schema(known, kind):
    schema = value_schema(known, kind.name)
    if kind.is_list:
        schema = {"type": "array", "items": schema}
    if not kind.nullable:
        return schema
    if isinstance(schema.get("type"), str):
        return schema | {"type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]}


def object_schema(known, meaning, members):
    return {
        "description": meaning + ".",
        "type": "object",
        "properties": {
            one.name: {"description": one.text + "."} | kind_schema(known, one.kind)
            for one in members
        },
        "required": [one.name for one in members if not one.optional],
        "additionalProperties": False,
    }


def json_schema(known):
    whole_report = object_schema(known, "A report of Steptrace", known.sections)
    for one in known.sections:
        if one.name in known.listed:
            whole_report["properties"][one.name] = object_schema(
                known, one.text, known.rows_of(one)
            )
    whole_report["properties"] = {"schema": {"const": known.schema}} | whole_report["properties"]
    whole_report["required"] = ["schema", *whole_report["required"]]
    document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": MADE,
        "title": known.schema,
        **whole_report,
        "$defs": {
            name: object_schema(known, one["is"], known.members(name))
            for name, one in known.types.items()
        },
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def written(known, kind):
    """A type in words: `integer or null`, `list of rank`."""
    if kind.name in SCALARS:
        base = SCALARS[kind.name].title
    elif kind.name in known.words:
        base = ", ".join(f"`{one}`" if one else "empty" for one in known.words[kind.name])
    elif kind.name in known.stages:
        base = "[stage](stages.md)" if kind.name == "stage_name" else "[suspect](stages.md)"
    else:
        base = f"[{kind.name}](#{kind.name})"
    base = f"list of {base}" if kind.is_list else base
    return f"{base}, or null" if kind.nullable else base


def row(known, one):
    unit = SCALARS[one.kind.name].unit if one.kind.name in SCALARS else ""
    kind = written(known, one.kind) + ("; may be absent" if one.optional else "")
    return f"| `{one.name}` | {kind} | {unit} | {one.text} |"


def table(known, members):
    if not members:
        return
    yield "| member | type | unit | is |"
    yield "| --- | --- | --- | --- |"
    yield from (row(known, one) for one in members)


def page(known):
    yield ""
    yield "## Sections"
    yield ""
    yield (
        "Beside `schema`, whose value is `"
        + known.schema
        + "`, a report has these members. All but `run` and `notes` are"
    )
    yield "sections, objects with the members of [section](#section). Where the type is a list, the section has that list as its"
    yield "member `rows`: `suspects.rows[]`, not `suspects[]`."
    yield ""
    yield from table(known, known.sections)
    yield ""
    yield "## Reasons"
    yield ""
    yield "| id | text, where nobody knows more |"
    yield "| --- | --- |"
    yield from (f"| `{name}` | {words} |" for name, words in known.reasons.items())
    yield ""
    yield "## Types"
    for name, one in known.types.items():
        yield ""
        yield f"### `{name}`"
        yield ""
        others = " and ".join(f"[{other}](#{other})" for other in one.get("extends", ()))
        yield f"{one['is']}" + (f"; it has the members of {others}, too." if others else ".")
        yield ""
        yield from table(known, known.own[name])
    yield ""


def header(known):
    """The reasons, and the schema's name, in C++."""
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield f"// {MADE}"
    yield "#pragma once"
    yield ""
    yield "#include <cstddef>"
    yield "#include <cstdint>"
    yield "#include <string_view>"
    yield ""
    yield "namespace steptrace::analyze {"
    yield ""
    yield "// clang-format off"
    yield f"inline constexpr const char* kReportSchema = {text.cpp(known.schema)};"
    yield ""
    for name, words in (
        ("SectionStatus", known.words["section_status"]),
        ("SectionReason", known.reasons),
    ):
        yield f"enum class {name} : uint8_t {{"
        yield from (f"  k{text.camel(one)}," for one in words)
        yield "};"
        yield ""
    statuses = ", ".join(text.cpp(one) for one in known.words["section_status"])
    yield f"inline constexpr std::string_view kSectionStatuses[] = {{{statuses}}};"
    yield "struct SectionReasonInfo {"
    yield "  std::string_view id;"
    yield "  std::string_view text;  // where nobody knows more"
    yield "};"
    yield "inline constexpr SectionReasonInfo kSectionReasons[] = {"
    yield from (
        f"    {{{text.cpp(one)}, {text.cpp(words)}}}," for one, words in known.reasons.items()
    )
    yield "};"
    yield "// clang-format on"
    yield ""
    yield "constexpr std::string_view NameOf(SectionStatus status) {"
    yield "  return kSectionStatuses[static_cast<size_t>(status)];"
    yield "}"
    yield "constexpr const SectionReasonInfo& InfoOf(SectionReason reason) {"
    yield "  return kSectionReasons[static_cast<size_t>(reason)];"
    yield "}"
    yield ""
    yield "}  // namespace steptrace::analyze"


def typescript_name(known, name):
    if name in SCALARS:
        return SCALARS[name].typescript
    return known.stages[name][1] if name in known.stages else text.camel(name)


def typescript_type(known, kind):
    name = typescript_name(known, kind.name)
    name = f"{name}[]" if kind.is_list else name
    return f"{name} | null" if kind.nullable else name


def interface(known, name, meaning, extends, members):
    if not members:
        yield ""
        yield f"/** {meaning}. */"
        yield f"export type {name} = {text.camel(extends[0])};"
        return
    others = ", ".join(text.camel(other) for other in extends)
    yield ""
    yield f"/** {meaning}. */"
    yield f"export interface {name}" + (f" extends {others} {{" if others else " {")
    for one in members:
        yield f"  /** {one.text}. */"
        mark = "?" if one.optional else ""
        kind = typescript_type(known, one.kind)
        if name == "Report" and one.name in known.listed:
            kind = f"Rows<{kind.removesuffix('[]')}>"
        yield f"  {one.name}{mark}: {kind};"
    yield "}"


def typescript(known):
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield f"// {MADE}"
    yield "import type { StageId, SuspectId } from '../base/stages';"
    yield "import type { Ns } from '../base/time';"
    stored = ", ".join(text.camel(name) for name in STORED)
    yield f"import type {{ {stored} }} from './stored_words';"
    yield ""
    yield f"export type {{ {stored} }};"
    yield ""
    yield f"export const REPORT_SCHEMA = '{known.schema}';"
    yield ""
    yield "export type Value = string | number | boolean | null;"
    yield "/** What a sentence is made of; a list: its items. */"
    yield "export type Values = Record<string, Value | Record<string, Value>[]>;"
    yield "export type Settings = Record<string, string | number | boolean>;"
    yield ""
    for name, words in known.words.items():
        if name in STORED:
            continue
        yield from stages.union(text.camel(name), [stages.quoted(one) for one in words])
    for name, one in known.types.items():
        extends = one.get("extends", ())
        yield from interface(known, text.camel(name), one["is"], extends, known.own[name])
    yield ""
    yield "/** A section that is a list. */"
    yield "export interface Rows<Row> extends Section {"
    yield "  rows: Row[];"
    yield "}"
    yield from interface(known, "Report", "A report of Steptrace", (), known.sections)
    yield ""


def files():
    known = Vocabulary()
    made_typescript = text.whole(typescript(known)).rstrip("\n") + "\n"
    made_typescript = made_typescript.replace(
        "export interface Report {\n", "export interface Report {\n  schema: string;\n"
    )
    return {
        Path("src/analyze/report/report_words.h"): text.whole(header(known)),
        Path("docs/reference/report.schema.json"): json_schema(known),
        Path("ui/src/api/report_types.ts"): made_typescript,
        PAGE: text.between(PAGE, BEGIN, END, page(known)),
    }
