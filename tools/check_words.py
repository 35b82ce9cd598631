#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Text that users read is free of phrases that are not the field's; each with what to write in its place.

Checked: the texts of schema/*.toml, string literals of the products (C++, Python, the pages) that are sentences, the
text of the pages' markup, docs, README and CHANGELOG. Comments, tests and code between backticks are not.
"""

import ast
import re
import subprocess
import sys
from pathlib import Path

import tomllib

# (phrase as a regular expression, what to write)
PHRASES = [
    (r"mend(s|ed|ing)?", "fix, fixed, corrected"),
    (r"stretch(es)?", "time range"),
    (r"told", "reported, known, said"),
    (r"untold", "not reported, unknown"),
    (r"tells? of", "report, show"),
    (r"(?<!there )(is|are|was|were) no (?!longer|more\b|way|such|other|need)", "is not a"),
    (r"(can|cannot|could|may|to) be had", "is available, is not available"),
    (r"whoever|whosoever", "the one who, anyone who"),
    (r"borders?", "boundary"),
    (r"beside (each other|one another|another run|computing|kernels|it:)", "compared with, during"),
    (r"put (it|this run|two runs) beside", "compare with"),
    (r"our (own )?cost|what watching cost", "profiler overhead"),
    (r"wanted to run|had no core to run on", "runnable threads, CPU contention"),
    (r"going from operator to operator|the way to each", "dispatch between operators"),
    (r"outside any known phase", "unattributed"),
    (r"without counterpart", "unmatched"),
    (r"alike together", "grouped"),
    (r"made? (the )?others? wait|made wait", "the others wait for"),
    (r"culprits?", "suspect"),
    (r"exposed exchange|exchange alone", "exposed communication"),
    (r"nothing to do(?= until| for)|has caught up|caught up", "is idle"),
    (r"runs (are|were) gathered", "folder of runs"),
    (r"taken back", "active; withdrawn"),
    (r"is too much", "unexpected argument"),
    (r"number format", "precision"),
    (r"stands? (twice|nowhere)", "occurs twice, is missing"),
    (r"lost: nothing", "no data loss"),
    (r"least to do", "least busy"),
    (r"nothing around it is in the way", "no other bottleneck"),
    (r"robust deviations?", "MAD"),
    (r"the pile", "allocated memory"),
    (r"say(s)? so then|and says so", "and reports it"),
    (r"stand(s)? beside", "name the relation"),
    (r"(none|nothing there) tells", "is not known"),
    (r"tells? (it|them|no \w+)(?= alone|;|,|\.|$)", "reports, knows"),
    (r"as far as (\w+ ){1,3}tells?", "as far as ... shows"),
    (r"tells? of (itself|none|what)", "reports, has"),
    (r"as ever", "as before, as usual"),
    (r"correct it", "say what to write"),
    (r"no compute beside", "that no compute overlaps"),
    (r"so many a second", "N times a second"),
    (r"beside bare", "compared with"),
]
PATTERN = [(re.compile(rf"\b(?:{phrase})\b", re.IGNORECASE), better) for phrase, better in PHRASES]

# Where a phrase is meant: path -> the texts around it.
EXCEPTIONS = {}

CPP_LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
JS_LITERAL = re.compile(r"'((?:[^'\\\n]|\\.)*)'|\"((?:[^\"\\\n]|\\.)*)\"|`((?:[^`\\]|\\.)*)`")
MARKUP = re.compile(r">([^<>{}]*[A-Za-z]{2,} [^<>{}]*)<")
CODE = re.compile(r"[;=()]\s|=>|\n\s*\n|\?\s")  # between two quotes of code
LEAST_WORDS = 3  # fewer are a name, not a sentence


def is_sentence(text):
    return len(text.split()) >= LEAST_WORDS


def of_toml(text):
    """Lines with their values; a comment is nobody's sentence."""

    def values(value):
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            for one in value.values():
                yield from values(one)
        elif isinstance(value, list):
            for one in value:
                yield from values(one)

    for value in values(tomllib.loads(text)):
        if is_sentence(value):
            first = next(iter(value.strip().splitlines()))
            before = text.find(first[:60].replace('"', '\\"'))
            yield text.count("\n", 0, max(before, 0)) + 1, without_code(value)


def without_code(text):
    return re.sub(r"`[^`\n]*`", "`", text)


def of_markdown(text):
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        if not fenced and not line.startswith("    "):
            yield number, without_code(re.sub(r"\]\([^)]*\)", "]", line))


def of_cpp(text):
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith(("//", "#include")) or "static_assert" in line:
            continue
        for literal in CPP_LITERAL.findall(line):
            if is_sentence(literal):
                yield number, without_code(literal)


def of_python(text):
    tree = ast.parse(text)
    docs = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        text_of_it = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if text_of_it and id(node) not in docs and is_sentence(node.value):
            yield node.lineno, without_code(node.value)


def of_page(text):
    plain = re.sub(r"<!--.*?-->|/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), text, flags=re.S)
    plain = re.sub(r"^\s*//.*$|(?<=[;,{}]) // .*$", "", plain, flags=re.M)
    for found in [*JS_LITERAL.finditer(plain), *MARKUP.finditer(plain)]:
        literal = next((group for group in found.groups() if group), "")
        literal = re.sub(r"\$?\{[^}]*\}", "", literal)
        if is_sentence(literal) and not CODE.search(literal):
            yield plain.count("\n", 0, found.start()) + 1, literal


def reader_of(path):
    """What reads the texts of a file; None: it has none that a user sees."""
    name = path.name
    if "test" in name or "testing" in path.parts or name.endswith("_fuzz.cc"):
        return None
    top = path.parts[0]
    if top == "schema" and path.suffix == ".toml":
        return of_toml
    if path.suffix == ".md" and (top in ("docs", "README.md", "CHANGELOG.md", "examples")):
        return of_markdown
    if top == "src" and path.suffix in (".cc", ".h"):
        return of_cpp
    if path.parts[:2] == ("python", "steptrace") and path.suffix == ".py":
        return of_python
    if path.parts[:2] == ("ui", "src") and path.suffix in (".ts", ".svelte"):
        return of_page
    return None


def faults(path, text):
    reader = reader_of(path)
    for number, sentence in reader(text) if reader else ():
        for pattern, better in PATTERN:
            for found in pattern.finditer(sentence):
                around = sentence[max(0, found.start() - 30) : found.end() + 30].replace("\n", " ")
                if not any(one in around for one in EXCEPTIONS.get(str(path), ())):
                    yield f'{path}:{number}: "{found[0]}" in "{around}"; write: {better}'


def main():
    listed = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout
    bad = 0
    for path in map(Path, listed.splitlines()):
        if reader_of(path) and path.is_file():
            for fault in faults(path, path.read_text(encoding="utf-8")):
                print(fault)
                bad += 1
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
