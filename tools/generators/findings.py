# SPDX-License-Identifier: Apache-2.0
"""The kinds of findings: their fields, what is said of them, and where pages show them."""

import re
import sys
from pathlib import Path

import tomllib

from . import finding_framework, finding_page, finding_parts, finding_rows, finding_topics, text

SOURCE = Path("schema/findings.toml")
MADE = text.made_of(SOURCE)

# unit: its enumerator, and what holds its value in C++
UNITS = {
    "ns": ("kNs", "int64_t"),
    "share": ("kShare", "double"),
    "share_number": ("kShareNumber", "double"),
    "fine_share": ("kFineShare", "double"),
    "bytes": ("kBytes", "double"),
    "count": ("kCount", "int64_t"),
    "cores": ("kCores", "double"),
    "times": ("kTimes", "double"),
    "number": ("kNumber", "double"),
    "integer": ("kInteger", "int64_t"),
    "tenths": ("kTenths", "double"),
    "flag": ("kFlag", "bool"),
}
# role: its title on the page
ROLES = {
    "evidence": "Evidence",
    "advice": "Advice",
    "rule": "Rules",
    "recommendation": "Recommendations",
    "headline": "Verdicts",
    "note": "Notes",
    "reason": "Why there is nothing to tell",
    "live": "While the run goes on",
    "loss": "Data loss",
}
VIEWS = (
    *("overview", "steps", "data", "operators", "kernels"),
    *("distributed", "system", "timeline", "devices"),
)
THREADS = ("training", "other", "workers")
NAME = r"[a-z][a-z0-9_]*"
# texts of these know which lines of files they name
PLACED = ("function", "place")


def declared():
    source = tomllib.loads(SOURCE.read_text(encoding="utf-8"))
    kinds, parts = source["kind"], {part["name"]: part for part in source["part"]}
    for part in parts.values():
        check_part({"id": f"part {part['name']}"}, part, [])
    seen = set()
    for kind in kinds:
        finding_parts.flatten(kind, parts, refuse)
        if kind["id"] in seen or not re.fullmatch(rf"{NAME}(\.{NAME})+", kind["id"]):
            sys.exit(f"{SOURCE}: {kind['id']} is twice there, or no name of a kind")
        seen.add(kind["id"])
        check(kind)
        finding_topics.check(kind, refuse)
    return kinds, parts.values()


def refuse(kind, why):
    sys.exit(f"{SOURCE}: {kind['id']}: {why}")


def check(kind):
    for key in ("title", "sentence", "since"):
        if not kind.get(key):
            refuse(kind, f"lacks {key}")
    if kind["role"] not in ROLES:
        refuse(kind, f"has the role {kind['role']}")
    if kind["role"] == "evidence" and kind.get("view") not in VIEWS:
        refuse(kind, "needs a view that shows it")
    finding_rows.check(kind, refuse)
    finding_framework.check(kind, refuse)
    if kind.get("threads", "training") not in THREADS:
        refuse(kind, f"shows the threads {kind['threads']}")
    items = kind.get("items")
    check_part(kind, kind, ["items"] if items else [])
    if items:
        check_part(kind, items, [])


def check_part(kind, part, more):
    """Each placeholder and condition names what is declared before it, and each of these is used, or what it is about."""
    figures, texts = part.get("figures", {}), part.get("texts", {})
    for name, unit in figures.items():
        if unit.removesuffix("?") not in UNITS:
            refuse(kind, f"{name} is in {unit}")
    known = {*figures, *texts, *more}
    if len(known) < len(figures) + len(texts) + len(more):
        refuse(kind, "uses a name for two things")
    used = set()
    for name, cases in part.get("clauses", {}).items():
        for condition, said in cases.items():
            used |= placeholders(kind, said, known)
            subject = re.fullmatch(rf"({NAME})( = \d+)?", condition)
            if condition != "else" and (not subject or subject[1] not in known):
                refuse(kind, f"asks for {condition}")
            if condition != "else":
                used.add(subject[1])
        known.add(name)
    used |= placeholders(kind, part["sentence"], known)
    if part is kind:
        used |= {*finding_rows.subject_names(kind)}
    if used != known:
        refuse(kind, f"does not use {', '.join(sorted(known - used))}")


def placeholders(kind, said, known):
    names = set(re.findall(r"\{(.*?)\}", said))
    if not names <= known or re.search(r"[{}]", re.sub(r"\{\w+\}", "", said)):
        refuse(kind, f"says {said!r}: a name there is not declared, or a brace has no other one")
    return names


def struct_name(kind):
    return text.camel(kind["id"].replace(".", "_"))


def fields(part, indent):
    taken_in = part.get("of", {})
    for name, unit in part.get("figures", {}).items():
        if name in taken_in:
            continue
        type_of = UNITS[unit.removesuffix("?")][1]
        if unit.endswith("?"):
            yield f"{indent}std::optional<{type_of}> {name} = std::nullopt;  // {unit[:-1]}"
        else:
            yield f"{indent}Given<{type_of}> {name};  // {unit}"
    for name, what in part.get("texts", {}).items():
        if name in taken_in:
            continue
        optional = "PlacedText" if is_placed_text(what) else "std::string"
        yield (
            f"{indent}{optional} {name} = {{}};" if what.endswith("?") else f"{indent}Text {name};"
        )
    for name, of in part.get("parts", {}).items():
        what = f"part::{text.camel(of.removesuffix('?'))}"
        if of.endswith("?"):
            yield f"{indent}std::optional<{what}> {name} = std::nullopt;"
        else:
            yield f"{indent}Given<{what}> {name};"


def header(kinds, parts):
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield f"// {MADE}"
    yield "#pragma once"
    yield ""
    yield "#include <cstdint>"
    yield "#include <optional>"
    yield "#include <string>"
    yield "#include <string_view>"
    yield "#include <vector>"
    yield ""
    yield '#include "model/finding.h"'
    yield ""
    yield "namespace steptrace::model {"
    yield ""
    yield "// clang-format off"
    yield "enum class FindingKind : uint16_t {"
    for kind in kinds:
        yield f"  k{struct_name(kind)},"
    yield "};"
    yield ""
    yield f"inline constexpr size_t kFindingKindCount = {len(kinds)};"
    yield ""
    yield from finding_topics.cpp()
    yield ""
    yield "// What each kind holds: what need not be known is optional, all else is to be given."
    yield "namespace finding {"
    yield "namespace part {  // that several kinds hold"
    for part in parts:
        yield ""
        yield f"struct {text.camel(part['name'])} {{"
        yield from fields(part, "  ")
        yield "};"
    yield ""
    yield "}  // namespace part"
    for kind in kinds:
        yield ""
        yield f"struct {struct_name(kind)} {{"
        if "items" in kind:
            yield "  struct Item {"
            yield from fields(kind["items"], "    ")
            yield "  };"
        yield from fields(kind, "  ")
        if "items" in kind:
            yield "  Given<std::vector<Item>> items;"
        if kind["role"] == "rule":
            yield "  Given<Rows> rows;  // that show it"
        elif is_placed(kind):
            yield "  Given<Conditions> where;  // which rows of its table show it"
        yield "};"
    yield ""
    for kind in kinds:
        yield f"Finding Make({struct_name(kind)} one);"
    yield ""
    yield "}  // namespace finding"
    yield "// clang-format on"
    yield ""
    yield "}  // namespace steptrace::model"


def is_placed_text(what):
    return what.removesuffix("?") in PLACED


def is_placed(kind):
    """Whether the code says which rows of the table show it."""
    return "table" in kind and "where" not in kind


def values(part, of):
    figures = [held(part, of, *one, "Value") for one in part.get("figures", {}).items()]
    texts = [held(part, of, *one, "std::string") for one in part.get("texts", {}).items()]
    return f"{{{', '.join(figures)}}}, {{{', '.join(texts)}}}"


def held(part, of, name, what, plain):
    """A figure or text of the struct `of`, as what a finding holds."""
    own = (None, name, what.endswith("?"), False)
    field, name, may_be_unknown, may_be_absent = part.get("of", {}).get(name, own)
    where = f"{of}.{field}->" if may_be_absent else f"{of}.{field}.value." if field else f"{of}."
    is_whole = may_be_unknown and not (plain == "std::string" and is_placed_text(what))
    value = f"{where}{name}" if is_whole else f"{where}{name}.value"
    if may_be_unknown and plain == "Value":
        value = f"ValueOf({value})"
    return f"{of}.{field} ? {plain}({value}) : {plain}()" if may_be_absent else value


def places(part, of):
    """Where its texts name lines of files; empty: none of them does."""
    placed = []
    for at, (name, what) in enumerate(part.get("texts", {}).items()):
        if not is_placed_text(what):
            continue
        field, own, _, may_be_absent = part.get("of", {}).get(name, (None, name, False, False))
        if may_be_absent:
            placed.append(f"{{{at}, {of}.{field} ? &{of}.{field}->{own} : nullptr}}")
        else:
            where = f"{of}.{field}.value." if field else f"{of}."
            placed.append(f"{{{at}, &{where}{own}}}")
    return f"PlacesOf({{{', '.join(placed)}}})" if placed else ""


def infos(kind, part, name):
    figures = ", ".join(
        f'{{"{figure}", FigureUnit::{UNITS[unit.removesuffix("?")][0]}, {"true" if unit.endswith("?") else "false"}}}'
        for figure, unit in part.get("figures", {}).items()
    )
    texts = ", ".join(f'"{one}"' for one in part.get("texts", {}))
    if figures:
        yield f"constexpr FigureInfo k{struct_name(kind)}{name}Figures[] = {{{figures}}};"
    if texts:
        yield f"constexpr std::string_view k{struct_name(kind)}{name}Texts[] = {{{texts}}};"


def part_info(kind, part, name):
    figures = f"k{struct_name(kind)}{name}Figures" if part.get("figures") else "{}"
    texts = f"k{struct_name(kind)}{name}Texts" if part.get("texts") else "{}"
    return f"{{{figures}, {texts}}}"


def source(kinds):
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield f"// {MADE}"
    yield '#include "model/finding_kinds.h"'
    yield ""
    yield "#include <initializer_list>"
    yield "#include <string_view>"
    yield "#include <utility>"
    yield ""
    yield "namespace steptrace::model {"
    yield "namespace {"
    yield ""
    yield "template <typename V>"
    yield "Value ValueOf(const std::optional<V>& known) {"
    yield "  return known ? Value(*known) : Value();"
    yield "}"
    yield ""
    yield "std::vector<PlaceOfText> PlacesOf("
    yield "    std::initializer_list<std::pair<size_t, const PlacedText*>> texts) {"
    yield "  std::vector<PlaceOfText> places;"
    yield "  for (const auto& [at, text] : texts) {"
    yield "    if (text == nullptr) continue;"
    yield "    for (const PlaceInText& one : text->places) places.push_back({one, at});"
    yield "  }"
    yield "  return places;"
    yield "}"
    yield ""
    yield "// clang-format off"
    for kind in kinds:
        yield from infos(kind, kind, "")
        yield from infos(kind, kind.get("items", {}), "Item")
        yield from finding_rows.subject_infos(kind, f"k{struct_name(kind)}Subject")
    yield ""
    yield "constexpr KindInfo kKinds[] = {"
    for kind in kinds:
        whole = part_info(kind, kind, "")
        item = part_info(kind, kind.get("items", {}), "Item")
        role = f"Role::k{text.camel(kind['role'])}"
        about = f"k{struct_name(kind)}Subject" if kind.get("subject") else "{}"
        topic = finding_topics.enumerator(kind)
        framework = finding_framework.member(kind)
        yield f'    {{"{kind["id"]}", {role}, {whole}, {item}, {"true" if "items" in kind else "false"}, {about}, {topic}{framework}}},'
    yield "};"
    yield "static_assert(std::size(kKinds) == kFindingKindCount);"
    yield ""
    yield "}  // namespace"
    yield ""
    yield "const KindInfo& InfoOf(FindingKind kind) {"
    yield "  return kKinds[static_cast<size_t>(kind)];"
    yield "}"
    yield ""
    yield "namespace finding {"
    yield "namespace {"
    for kind in kinds:
        if "items" not in kind:
            continue
        name = struct_name(kind)
        yield ""
        plain = ", ".join(
            filter(None, (values(kind["items"], "one"), places(kind["items"], "one")))
        )
        yield f"Item Plain({name}::Item& one) {{ return {{{plain}}}; }}"
    yield ""
    yield "template <typename One>"
    yield "std::vector<Item> PlainOf(std::vector<One>& items) {"
    yield "  std::vector<Item> plain;"
    yield "  for (One& one : items) plain.push_back(Plain(one));"
    yield "  return plain;"
    yield "}"
    yield ""
    yield "}  // namespace"
    yield ""
    for kind in kinds:
        name = struct_name(kind)
        of_rule = kind["role"] == "rule"
        holds_any = kind.get("figures") or kind.get("texts") or "items" in kind
        unnamed = not holds_any and not is_placed(kind) and not of_rule
        items = "PlainOf(one.items.value)" if "items" in kind else "{}"
        where = (
            "one.where.value"
            if is_placed(kind)
            else f"{{{', '.join(finding_rows.conditions(kind))}}}"
        )
        rows = f"{{{text.cpp(kind.get('table', ''))}, {where}}}"
        rows = "one.rows.value" if of_rule else rows
        yield f"Finding Make({name}{'' if unnamed else ' one'}) {{"
        placed = places(kind, "one")
        more = f", {{}}, {placed}" if placed else ""
        yield f"  return {{FindingKind::k{name}, {values(kind, 'one')}, {items}, {rows}{more}}};"
        yield "}"
        yield ""
    yield "}  // namespace finding"
    yield "// clang-format on"
    yield "}  // namespace steptrace::model"


def clauses(kind, part, name):
    if not part.get("clauses"):
        return
    yield f"inline constexpr ClauseWords k{struct_name(kind)}{name}Clauses[] = {{"
    for clause, cases in part["clauses"].items():
        for condition, said in cases.items():
            subject, _, equals = condition.partition(" = ")
            subject = "" if condition == "else" else subject
            yield f'    {{"{clause}", "{subject}", {equals or "{}"}, {text.cpp(said)}}},'
    yield "};"


def part_words(kind, part, name):
    of = f"k{struct_name(kind)}{name}Clauses" if part.get("clauses") else "{}"
    return f"{{{text.cpp(part.get('sentence', ''))}, {of}}}"


def words(kinds):
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield f"// {MADE}"
    yield "#pragma once"
    yield ""
    yield '#include "model/finding_kinds.h"'
    yield '#include "present/words/kind_words.h"'
    yield ""
    yield "namespace steptrace::present {"
    yield ""
    yield "// clang-format off"
    for kind in kinds:
        yield from clauses(kind, kind, "")
        yield from clauses(kind, kind.get("items", {}), "Item")
    yield ""
    yield "// In the order of model::FindingKind."
    yield "inline constexpr KindWords kKindWords[model::kFindingKindCount] = {"
    for kind in kinds:
        items = kind.get("items", {})
        separator = text.cpp(items.get("separator", ""))
        last = text.cpp(items.get("last", items.get("separator", "")))
        yield f"    // {kind['id']}"
        yield f"    {{{part_words(kind, kind, '')},"
        yield f"     {part_words(kind, items, 'Item')}, {separator}, {last}}},"
    yield "};"
    yield "// clang-format on"
    yield ""
    yield "}  // namespace steptrace::present"


def quoted(value):
    """A text as prettier writes it."""
    mark = '"' if "'" in value else "'"
    return mark + value + mark


def typescript(kinds):
    evidence = [kind for kind in kinds if kind["role"] == "evidence"]
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield f"// {MADE}"
    yield ""
    yield "/** The view that shows the rows of a kind; of stacks those of which threads. */"
    yield "export interface Shown {"
    yield "  readonly view:"
    yield "\n".join(f"    | {quoted(view)}" for view in VIEWS) + ";"
    yield f"  readonly threads?: {' | '.join(quoted(one) for one in THREADS)};"
    yield "  /** Its sentence begins with a name, whose letters are what they are. */"
    yield "  readonly named?: true;"
    yield "}"
    yield ""
    yield "export const SHOWN = {"
    for kind in evidence:
        threads = f", threads: {quoted(kind['threads'])}" if "threads" in kind else ""
        first = re.match(r"\{(\w+)\}", kind["sentence"])
        named = ", named: true" if first and first[1] in kind.get("texts", {}) else ""
        yield f"  {quoted(kind['id'])}: {{ view: {quoted(kind['view'])}{threads}{named} }},"
    yield "} as const satisfies Readonly<Record<string, Shown>>;"
    yield ""
    yield "export type EvidenceKind = keyof typeof SHOWN;"
    for role in list(ROLES)[1:]:
        of_role = [kind for kind in kinds if kind["role"] == role]
        if not of_role:
            continue
        yield ""
        yield f"export type {text.camel(role)}Kind ="
        yield "\n".join(f"  | {quoted(kind['id'])}" for kind in of_role) + ";"


def files():
    kinds, parts = declared()
    return {
        Path("src/model/finding_kinds.h"): text.whole(header(kinds, parts)),
        Path("src/model/finding_kinds.cc"): text.whole(source(kinds)),
        Path("src/present/words/finding_words.h"): text.whole(words(kinds)),
        Path("ui/src/api/finding_kinds.ts"): text.whole(typescript(kinds)),
        Path("docs/reference/findings.md"): text.whole(
            finding_page.page(kinds, parts, ROLES, MADE)
        ),
    }
