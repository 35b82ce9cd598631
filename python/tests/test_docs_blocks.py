# SPDX-License-Identifier: Apache-2.0
"""Code in the pages holds: blocks parse, commands take the options that the pages give them, blocks with
`<!-- run -->` above them run, links lead somewhere, and the site builds."""

import ast
import dataclasses
import functools
import os
import pathlib
import re
import shlex
import subprocess
import sys

import pytest
from cli_tools import ROOT, executable

if sys.version_info >= (3, 11):
    import tomllib

PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "src").rglob("*.md"),
        *(ROOT / "examples").rglob("*.md"),
    ]
)
FENCE = re.compile(
    r"(?:^[ ]*<!-- (?P<mark>.*?) -->\n)?^(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)^(?P=indent)```$",
    re.M | re.S,
)
INDENTED = re.compile(r"^ {4}(?=steptrace |\.venv/bin/steptrace )(.*)$", re.M)
INLINE = re.compile(r"`([^`\n]*\bsteptrace [^`\n]+)`")
COMMENT = re.compile(r"\s#\s.*$")
HISTORY = "CHANGELOG.md"  # names options that have gone


@dataclasses.dataclass
class Block:
    page: pathlib.Path
    mark: str
    language: str
    text: str

    def __str__(self):
        return f"{self.page.relative_to(ROOT)}: {self.text.strip().splitlines()[0]}"


def blocks_of(page):
    for found in FENCE.finditer(page.read_text(encoding="utf-8")):
        indent = len(found["indent"])
        text = "".join(line[indent:] + "\n" for line in found["text"].splitlines())
        yield Block(page, found["mark"] or "", found["language"], text)


BLOCKS = [block for page in PAGES for block in blocks_of(page)]


def parses(block):
    if block.language == "python":
        ast.parse(block.text)
    elif block.language == "toml" and sys.version_info >= (3, 11):
        tomllib.loads(block.text)
    elif block.language == "sh":
        subprocess.run(["bash", "-n"], input=block.text, text=True, check=True)


@pytest.mark.parametrize("block", [b for b in BLOCKS if b.language], ids=str)
def test_a_block_parses(block):
    parses(block)


def commands_of(page):
    """The command lines of `steptrace` in a page, each a list of words from the command on."""
    text = page.read_text(encoding="utf-8")
    lines = [
        line for block in blocks_of(page) if block.language == "sh" for line in joined(block.text)
    ]
    text = FENCE.sub("", text)
    lines += INDENTED.findall(text) + INLINE.findall(text)
    for line in lines:
        # What follows `--` is the training's; of several commands on a line each is one.
        for command in re.split(r"&&|\|\||;|\| ", COMMENT.sub("", line)):
            words = re.split(r"\bsteptrace\s+(?=[a-z]+\b)", command, maxsplit=1)
            if len(words) == 2:
                yield (
                    re.split(r"\s--\s|\s--$", words[1])[0]
                    .replace("[", " ")
                    .replace("]", " ")
                    .split()
                )


def joined(text):
    return text.replace("\\\n", " ").splitlines()


@functools.cache
def options_of(command):
    help_ = subprocess.run(
        [executable(), command, "--help"], capture_output=True, text=True, check=False
    )
    return (
        set(re.findall(r"(?<![\w-])(--?[a-z][a-z-]*)", help_.stdout))
        if help_.returncode == 0
        else None
    )


@pytest.mark.parametrize(
    "page", [p for p in PAGES if p.name != HISTORY], ids=lambda p: str(p.relative_to(ROOT))
)
def test_options_that_a_page_gives_are_the_commands(page):
    unknown = []
    for command, *words in commands_of(page):
        known = options_of(command)
        if known is None:
            continue  # test_docs_names.py: that the command is there
        given = {m[0] for word in words if (m := re.match(r"--?[a-z][a-z-]*", word))}
        unknown += [f"steptrace {command} {option}" for option in sorted(given - known)]
    assert unknown == []


@pytest.mark.parametrize("block", [b for b in BLOCKS if b.mark == "run"], ids=str)
def test_a_block_runs(block, folder):
    path = os.pathsep.join([str(executable().parent), os.environ["PATH"]])
    words = [sys.executable, "-c"] if block.language == "python" else ["bash", "-euc"]
    done = subprocess.run(
        [*words, block.text],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_a_block_of_sh_is_run_or_says_what_it_needs():
    silent = [
        str(b) for b in BLOCKS if b.language == "sh" and not re.match(r"run$|needs: \S", b.mark)
    ]
    assert silent == []


LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_of_a_page_lead_to_files(page):
    text = re.sub(r"`[^`\n]*`", "", FENCE.sub("", page.read_text(encoding="utf-8")))
    targets = [t for t in LINK.findall(text) if not re.match(r"[a-z]+:", t)]
    assert [t for t in targets if not (page.parent / t).exists()] == []


def test_the_site_builds_without_a_warning(tmp_path):
    """In strict mode MkDocs refuses links and anchors that lead nowhere and pages that the menu lacks."""
    pytest.importorskip("mkdocs")
    done = subprocess.run(
        [*shlex.split(f"{sys.executable} -m mkdocs build --strict --site-dir"), tmp_path / "site"],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "site" / "index.html").exists()
