# SPDX-License-Identifier: Apache-2.0
"""Texts of tables and manifests that are one of a few, as enums."""

import sys
from pathlib import Path

import tomllib

from . import stages, text

SOURCE = Path("schema/stored_words.toml")
MADE = text.made_of(SOURCE)


def declared():
    """{name: its declaration}"""
    all_words = tomllib.loads(SOURCE.read_text(encoding="utf-8"))["words"]
    known = {one["name"]: one for one in all_words}
    if len(known) != len(all_words):
        sys.exit(f"{SOURCE}: a name is there twice")
    for name, one in known.items():
        if len(set(one["words"])) != len(one["words"]) or "" in one["words"]:
            sys.exit(f"{SOURCE}: {name} has a word twice, or an empty one")
        if one["is"].endswith("."):
            sys.exit(f"{SOURCE}: {name}: a text with a full stop at its end")
    return known


def words_of(one):
    """As texts, that of what nobody knows last."""
    return [*one["words"], *([""] if one.get("unknown") else [])]


def camel(word):
    return text.camel(word.replace("-", "_"))


def enum(name, one):
    kind = camel(name)
    words = [*([""] if one.get("unknown") else []), *one["words"]]
    enumerators = ", ".join(f"k{camel(word or 'unknown')}" for word in words)
    yield f"// {one['is']}."
    yield f"enum class {kind} : uint8_t {{ {enumerators} }};"
    yield f"inline constexpr std::string_view k{kind}Texts[] = {{{', '.join(map(text.cpp, words))}}};"
    yield f"constexpr std::string_view NameOf({kind} word) {{"
    yield f"  return k{kind}Texts[static_cast<size_t>(word)];"
    yield "}"
    yield f"constexpr std::optional<{kind}> {kind}Of(std::string_view text) {{"
    yield f"  return FindStoredWord<{kind}>(k{kind}Texts, text);"
    yield "}"
    yield ""


def cpp(known):
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield f"// {MADE}"
    yield "#pragma once"
    yield ""
    yield "#include <cstddef>"
    yield "#include <cstdint>"
    yield "#include <optional>"
    yield "#include <string_view>"
    yield ""
    yield "// NameOf: the text that is stored. …Of: what a stored text is; nothing: none of them, for a run may"
    yield "// come from somebody else, or of a newer version."
    yield "namespace steptrace::store {"
    yield ""
    yield "// clang-format off"
    yield "template <class Word, size_t kCount>"
    yield "constexpr std::optional<Word> FindStoredWord(const std::string_view (&words)[kCount], std::string_view text) {"
    yield "  for (size_t i = 0; i < kCount; ++i) {"
    yield "    if (words[i] == text) return static_cast<Word>(i);"
    yield "  }"
    yield "  return std::nullopt;"
    yield "}"
    yield ""
    for name, one in known.items():
        yield from enum(name, one)
    yield "// clang-format on"
    yield "}  // namespace steptrace::store"


def typescript(known):
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield f"// {MADE}"
    for name, one in known.items():
        yield ""
        yield f"/** {one['is']}. */"
        words = [stages.quoted(word) for word in words_of(one)]
        yield from stages.union(camel(name), words)


def files():
    known = declared()
    return {
        Path("src/store/stored_words.h"): text.whole(cpp(known)),
        Path("ui/src/api/stored_words.ts"): text.whole(typescript(known)).rstrip("\n") + "\n",
    }
