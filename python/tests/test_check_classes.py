# SPDX-License-Identifier: Apache-2.0
"""tools/check_classes.py on small trees."""

import pathlib
import subprocess
import sys

import pytest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check_classes.py"
READER = """
namespace steptrace::store {
namespace {

void Reader(int) {}

}  // namespace

Reader::Reader(int lines) : lines_(lines) {}

std::map<std::string, model::Finding> Reader::Findings(
    const Names& names) const {
  return model::Finding::Of(names);
}

}  // namespace steptrace::store
"""


def check(folder, **sources):
    for name, text in {"reader": READER, **sources}.items():
        file = folder / "src" / "store" / f"{name}.cc"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return subprocess.run(
        [sys.executable, str(TOOL)], cwd=folder, capture_output=True, text=True, check=False
    )


def in_namespace(name, text):
    return f"namespace {name} {{\n\n{text}\n\n}}  // namespace\n"


@pytest.mark.parametrize(
    "definition",
    [
        "int Reader::Lines() {\n  return 1;\n}",
        "const std::vector<std::pair<int, int>>& Reader::Lines() {\n  return lines_;\n}",
        "Reader::~Reader() = default;",
        "Reader& Reader::operator=(Reader&&) noexcept = default;",
        "bool Reader::operator()(int) const {\n  return true;\n}",
        "std::atomic<int> Reader::count_ = 0;",
        "Reader::Names Reader::names() {\n  return {};\n}",
    ],
)
def test_a_class_over_two_sources_is_found(tmp_path, definition):
    done = check(tmp_path, reader_ends=in_namespace("steptrace::store", definition))
    assert done.returncode == 1
    assert done.stdout == (
        "steptrace::store::Reader: a class in 2 sources: src/store/reader.cc src/store/reader_ends.cc\n"
    )


@pytest.mark.parametrize(
    ("namespace", "text"),
    [
        ("steptrace::import", "int Reader::Lines() {\n  return 1;\n}"),
        (
            "steptrace::store",
            "namespace {\n\nint Reader::Lines() {\n  return 1;\n}\n\n}  // namespace",
        ),
        ("steptrace::store", "int Lines(const Reader& reader) {\n  return Reader::Of(reader);\n}"),
        ("steptrace::store", "Reader::Names NamesOf(int number) {\n  return {};\n}"),
        ("steptrace::store", "using Names = Reader::Names;"),
        ("steptrace::store", "constexpr int kMost = Reader::kMost;"),
    ],
    ids=["another namespace", "of a source", "a function", "its type", "an alias", "a value"],
)
def test_mention_of_a_class_is_no_definition(tmp_path, namespace, text):
    done = check(tmp_path, other=in_namespace(namespace, text))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
