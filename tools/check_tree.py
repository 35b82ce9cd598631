# SPDX-License-Identifier: Apache-2.0
"""Habits of the tree that a machine can check, each with its reason.

usage: check_tree.py        from the root of the tree; exit 1 with one line per breach
"""

import os
import re
import subprocess
import sys
from pathlib import Path

# As long as the longest there is: sizes follow from what a file does, and this only shrinks.
SOURCE_LINES = 513
HEADER_LINES = 199
GENERATED = "// Made by tools/generate.py"
# Headers that are a format's specification, and declarations that are one list by nature.
LONG_HEADERS = {
    "src/wire/ring_layout.h",
    "src/store/tables.h",
    "include/steptrace/steptrace.h",
}
# LTTng includes its description of events again and again, on purpose.
READ_AGAIN = {"bench/probe/lttng_pair_tp.h"}
# What may hold bytes that are no text; anything else with a NUL in it was built, not written.
BINARY = {
    ".png",
    ".webp",
    ".gz",
    ".parquet",
    ".arrows",
    ".woff2",
    ".zip",
    ".pb",
    ".pftrace",
    ".pstats",
    ".ring",
    ".sqlite",
    ".tar",
}
# Commands print text of others through these, which make it inert (docs/reference/inert-text.md).
PRINTERS = {"src/cli/terminal.cc", "src/cli/progress.cc"}
# What runs inside the training: its output is the script's alone.
IN_TRAINING = (
    "src/base/",
    "src/wire/",
    "src/transport/writer",
    "src/probe/",
    "python/steptrace/_hooks/",
    "python/steptrace/bootstrap/",
)
PRINTS = re.compile(
    r"\bfmt::print\(|\bv?[fd]?printf\(|\b(f?puts|f?putc|fputwc|putchar|perror|psignal|v?syslog)\("
    r"|\bfwrite\([^;]*\bstd(out|err)\b|\bstd::(cout|cerr|clog)\b"
    r"|\bwritev?\(\s*([12]|STD(OUT|ERR)_FILENO)\b"
)
PRINTS_OF_PYTHON = re.compile(
    r"(?<![.\w])print\(|\bsys\.(__)?std(out|err)(__)?\b|\bos\.writev?\(\s*[12]\b|\bwarnings\.warn\("
)
CHECKED = (".cc", ".h", ".c", ".py", ".pyi", ".md", ".ts", ".svelte", ".toml")
CMAKE_COLUMNS = 120
README_LINES = 60  # a page: the folder's rule, never an inventory


def tracked():
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split("\n")
    return [Path(n) for n in names if n and Path(n).is_file()]


def is_test(name):
    return re.search(r"_(test|bench|fuzz)\.", name) is not None


def check_prints(name, text):
    prints = PRINTS_OF_PYTHON if name.endswith(".py") else PRINTS
    if name.startswith(IN_TRAINING) and not is_test(name) and prints.search(text):
        yield f"{name}: prints; in the training process nothing may be printed"
    printed = name.startswith("src/cli/") and name not in PRINTERS and not is_test(name)
    if printed and re.search(r"\bfmt::print\(|\bf?printf\(|\bstd::(cout|cerr|clog)\b", text):
        yield f"{name}: prints by itself; PrintLine and Say of cli/terminal.h make text inert"


def unlinked_pages(files):
    """Pages of docs/ to which no chain of links leads from the README."""
    pages = {p for p in files if p.suffix == ".md"}
    seen, todo = set(), [Path("README.md")]
    while todo:
        page = todo.pop()
        if page in seen or page not in pages:
            continue
        seen.add(page)
        for link in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
            todo.append(Path(os.path.normpath(page.parent / link)))
    return sorted(p for p in pages - seen if p.parts[0] == "docs")


def check(path):
    name, text = path.as_posix(), path.read_text(encoding="utf-8")
    lines = text.count("\n")
    code = path.suffix in (".cc", ".h", ".c", ".py", ".pyi")
    head = text[:200]
    if code and text.strip() and "SPDX-License-Identifier: Apache-2.0" not in head:
        yield f"{name}: no SPDX line at the top"
    if path.suffix == ".h" and "#pragma once" not in text and name not in READ_AGAIN:
        yield f"{name}: a header without #pragma once"
    generated = GENERATED in head
    if path.suffix == ".h" and lines > HEADER_LINES and name not in LONG_HEADERS and not generated:
        yield f"{name}: {lines} lines, a header has at most {HEADER_LINES}"
    if path.suffix in (".cc", ".c", ".py") and lines > SOURCE_LINES and not generated:
        yield f"{name}: {lines} lines, a source has at most {SOURCE_LINES}"
    if re.search(r"\b(TODO|FIXME|XXX)\b", text) and code and name != "tools/check_tree.py":
        yield f"{name}: a note to oneself without owner; mend it or file an issue"
    if code:
        yield from check_prints(name, text)
    if name != "tools/check_tree.py" and re.search(r"\bDESIGN\b|\.\./shared\b", text):
        yield f"{name}: names a page that is not in the tree"
    if re.search(r"^\}  // namespace\n\s*namespace \{$", text, re.M):
        yield f"{name}: a namespace ends and begins again with nothing between"
    if path.name == "CMakeLists.txt" and max(map(len, text.split("\n"))) > CMAKE_COLUMNS:
        yield f"{name}: a line of more than {CMAKE_COLUMNS} columns"
    if name.startswith("src/") and path.name == "README.md" and lines > README_LINES:
        yield f"{name}: {lines} lines, a folder's README is at most a page"


def built(path):
    with path.open("rb") as file:
        return b"\0" in file.read(4096)


def main():
    files = tracked()
    found = [
        line
        for p in files
        if p.suffix in CHECKED or p.name == "CMakeLists.txt"
        for line in check(p)
    ]
    found += [
        f"{p.as_posix()}: no text; what is built does not belong into the tree"
        for p in files
        if p.suffix not in BINARY and built(p)
    ]
    found += [f"{p.as_posix()}: no link leads here from README.md" for p in unlinked_pages(files)]
    folders = {p.parent for p in files if p.parts[0] == "src" and p.suffix in (".cc", ".h")}
    for folder in sorted(folders):
        if not (folder / "README.md").exists():
            found.append(f"{folder}: no README.md states the folder's rule")
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
