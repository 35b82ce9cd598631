# SPDX-License-Identifier: Apache-2.0
"""docs/reference/losses.md tells every cause of a loss, of the table and of the report itself, with
its tables, and no other.

usage: check_losses.py      from the root of the tree; exit 1 with one line per breach
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

PAGE = Path("docs/reference/losses.md")
ANY = "any"  # the page's word for a table that only the run knows
# What makes rows of `losses`, by how its causes are written. Anything else that sets a cause is a
# breach: teach it to this file, or the page is no longer known to be whole.
#   calls whose arguments are [sink,] table, cause, count, detail; a Lost() of its own may fix the
#   table, and Lose() counts events
CALL = re.compile(r"\b(AddLoss|RunLoss|Loss|Lost|Lose)\(")
#   tables of constants: {"cause", "table", "detail"}
CONSTANTS = re.compile(r"(?:LossCause k\w+|kLossTexts = )\s*(\{)")
ENTRY = re.compile(r'\{\s*"([a-z0-9_]+)",\s*"([a-z_]+)",')
#   rows that are filled in by hand
ROW = re.compile(r"\bcause = \w*[sS]trings_?\.Intern\((.*?)\);", re.DOTALL)
#   lines that the report adds of itself: table, cause, count, from, to, detail
LINE = re.compile(r"\blosses\.push_back\((\{)")
LINE_PARTS = 6
#   events that are counted by cause, told with a constant's sentence
COUNTED = re.compile(r'\blost_\["([a-z0-9_]+)"\]|\bfailed\("([a-z0-9_]+)"\)')
#   a function that names causes, for the calls that ask it
NAMED = "CauseOf(fault)"
NAMES = re.compile(r"^const char\* CauseOf\(.*?^}", re.DOTALL | re.MULTILINE)
# Causes that come from one of the above.
PASSED_ON = {"cause", "loss.cause", "cause.cause", "key.second", NAMED}
TEXT = re.compile(r'"([a-z0-9_]+)"')
DECLARED = re.compile(r"\b(?:std::string_view|const char\*|Losses&|Attributes) \w+")


def arguments(text, begin):
    """The arguments of the call whose parenthesis or brace is at `begin`, and where it ends."""
    found, depth, start, at = [], 0, begin + 1, begin
    while at < len(text):
        if text[at] == '"':
            at += 1
            while text[at] != '"':
                at += 2 if text[at] == "\\" else 1
        elif text[at] in "([{":
            depth += 1
        elif text[at] in ")]}":
            depth -= 1
        if depth == 0 or (depth == 1 and text[at] == ","):
            found.append(text[start:at].strip())
            start = at + 1
        if depth == 0:
            break
        at += 1
    return found, at


def of_call(name, given):
    """(tables, the expression of the cause) of a call."""
    if name == "AddLoss":
        given = given[1:]
    if name == "Lose" or (name == "Lost" and len(given) == 3):
        return {"slices"}, given[0]
    return set(TEXT.findall(given[0])) or {ANY}, given[1]


def causes_of(path, text):
    """Yields (cause, tables) of a source, and (None, why) of what is not understood."""
    for match in CALL.finditer(text):
        given, _ = arguments(text, match.end() - 1)
        if DECLARED.match(given[0]) or (match.group(1) == "AddLoss" and len(given) != 5):
            continue  # a declaration, or the agent's note of a gap
        if len(given) < (1 if match.group(1) == "Lose" else 3):
            continue  # of another thing: the tests' language
        tables, cause = of_call(match.group(1), given)
        for one in TEXT.findall(cause) + [NAMED] * (NAMED in cause):
            yield one, tables
        rest = [part.strip() for part in cause.split(":")] if "?" in cause else [cause]
        rest = [part.split("?")[-1].strip() for part in rest]
        unknown = [part for part in rest if not TEXT.fullmatch(part) and part not in PASSED_ON]
        if unknown:
            yield None, f"{path}: a loss whose cause is `{unknown[0]}`"
    for match in CONSTANTS.finditer(text):
        _, end = arguments(text, match.start(1))
        for cause, table in ENTRY.findall(text[match.start(1) : end]):
            yield cause, {table}
    for (expression,) in ((m.group(1),) for m in ROW.finditer(text)):
        found = TEXT.findall(expression)
        for one in found:
            yield one, {ANY}
        if not found and expression not in PASSED_ON:
            yield None, f"{path}: a loss whose cause is `{expression}`"
    for match in LINE.finditer(text):
        given, _ = arguments(text, match.start(1))
        if len(given) > LINE_PARTS:
            yield None, f"{path}: a loss of {len(given)} parts"
        if len(given) != LINE_PARTS or given[1] in PASSED_ON:
            continue
        found = TEXT.fullmatch(given[1])
        if found:
            yield found.group(1), set(TEXT.findall(given[0])) or {ANY}
        else:
            yield None, f"{path}: a loss whose cause is `{given[1]}`"
    for match in NAMES.finditer(text):
        for one in re.findall(r'return "([a-z0-9_]+)"', match.group(0)):
            yield one, {NAMED}


def in_code():
    causes, breaches, counted = defaultdict(set), [], []
    for path in sorted(Path("src").rglob("*")):
        if path.suffix not in (".cc", ".h") or re.search(r"_(test|fuzz|fixture)\.", path.name):
            continue
        if path.is_relative_to("src/testing"):
            continue
        text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
        for cause, tables in causes_of(path, text):
            if cause is None:
                breaches.append(f"{tables}, which tools/check_losses.py cannot read")
            else:
                causes[cause] |= tables
        counted += [(path, a or b) for a, b in COUNTED.findall(text)]
    of_named = causes.pop(NAMED, set())
    causes = {c: t - {NAMED} | (of_named if NAMED in t else set()) for c, t in causes.items()}
    breaches += [
        f"{path}: counts `{cause}`, which no row of `losses` tells"
        for path, cause in counted
        if cause not in causes
    ]
    return causes, breaches


def in_page():
    rows = defaultdict(set)
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) != 5 or not cells[0].startswith("`"):
            continue
        for cause in re.findall(r"`([a-z0-9_]+)`", cells[0]):
            rows[cause] |= set(re.findall(r"`([a-z_]+)`", cells[1])) or {cells[1]}
        if not all(cells):
            yield cells[0].strip("`"), None
    yield from rows.items()


def main():
    causes, breaches = in_code()
    page = {}
    for cause, tables in in_page():
        if tables is None:
            breaches.append(f"{PAGE}: `{cause}` lacks a cell")
        else:
            page[cause] = tables
    breaches += [f"{PAGE}: `{cause}` is missing" for cause in sorted(set(causes) - set(page))]
    breaches += [f"{PAGE}: nothing loses by `{cause}`" for cause in sorted(set(page) - set(causes))]
    for cause in sorted(set(page) & set(causes)):
        if page[cause] != causes[cause]:
            told, right = ", ".join(sorted(page[cause])), ", ".join(sorted(causes[cause]))
            breaches.append(f"{PAGE}: `{cause}` is of {told}; in the code of {right}")
    for breach in breaches:
        print(breach)
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
