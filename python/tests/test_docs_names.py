# SPDX-License-Identifier: Apache-2.0
"""What README.md and docs/ name is there, and what is there they name: commands and formats, as the executable has them."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", *sorted((ROOT / "docs").rglob("*.md"))]
# Where code stands: between backticks, or indented by four as a block of its own.
CODE = re.compile(r"`([^`\n]+)`|^ {4}(\S.*)$", re.M)


def code_of(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    return [span or block for span, block in CODE.findall(text)]


@pytest.fixture()
def commands(ask):
    """Those of `steptrace --help`; pages may name hidden ones, too."""
    shown = set(re.findall(r"^  ([a-z]+) {2,}\S", ask("--help").stdout, re.M))
    assert {"run", "report", "import", "export"} <= shown
    return shown


def test_commands_that_pages_name_are_there(ask, commands):
    named = {
        (word, page.name)
        for page in PAGES
        for code in code_of(page)
        for word in re.findall(r"(?:^|[\s;&|(])steptrace ([a-z]+)\b", code)
    }
    unknown = {(word, page) for word, page in named if word not in commands}
    assert {one for one in unknown if ask(one[0], "--help").returncode != 0} == set()


def test_each_command_has_a_row_in_the_readme(commands):
    rows = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Commands")[2]
    assert commands - set(re.findall(r"^\| `steptrace ([a-z]+)", rows, re.M)) == set()


def test_the_readme_names_each_view_of_the_pages():
    rows = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    row = next(row for row in rows if row.startswith("| `steptrace ui"))
    indexes = [path.read_text(encoding="utf-8") for path in (ROOT / "ui" / "src").rglob("index.ts")]
    titles = {
        title.lower()
        for index in indexes
        for title in re.findall(r"^  title: '(.+)',$", index, re.M)
    }
    assert {"overview", "timeline"} <= titles
    assert titles - set(re.split(r"[:,|] *| *\|", row)) == set()


def test_formats_of_an_export_are_those_of_the_readme(ask):
    refused = ask("export", "demo", "--format", "none", "-o", "-").stderr
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    row = re.search(r"--format ([a-z]+(?:\\\|[a-z]+)+)", readme)[1].split("\\|")
    assert set(re.search(r"\{([a-z,]+)\}", refused)[1].split(",")) == set(row)
