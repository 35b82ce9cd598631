# SPDX-License-Identifier: Apache-2.0
"""What is shipped runs under Python 3.8 and all later ones, not only where the tests run."""

import ast
import json
import subprocess

import hooked
import pytest
from other_pythons import python_of

VERSIONS = [(3, minor) for minor in range(8, 15)]
FILES = sorted(path.relative_to(hooked.PACKAGE) for path in hooked.PACKAGE.rglob("*.py"))

SAY = """
import sys
sys.path.insert(0, sys.argv[1])
from steptrace._hooks import hook
class Probe:
    def fact(self, kind, text):
        print(kind, text)
hook.Hook("data", "torch", Probe()).say("failed", "because", left="more")
"""


@pytest.mark.parametrize("version", VERSIONS, ids="{0[0]}.{0[1]}".format)
def test_a_hook_says_why_it_is_off(version):
    command = [python_of(version), "-c", SAY, str(hooked.PACKAGE.parent)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    kind, text = done.stdout.split(" ", 1)
    said = {"hook": "data", "module": "torch", "state": "failed"}
    assert (kind, json.loads(text)) == ("hook", {**said, "reason": "because", "left": "more"})


def _is_dict(node):
    is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    return isinstance(node, (ast.Dict, ast.DictComp)) or (is_call and node.func.id == "dict")


def _unites_dicts(node):
    """A union of dicts: of Python 3.9 and later, and no tool that we use says so."""
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.BitOr):
        return _is_dict(node.value)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _is_dict(node.left) or _is_dict(node.right)
    return False


@pytest.mark.parametrize("file", FILES, ids=str)
def test_no_dicts_are_united(file):
    tree = ast.parse((hooked.PACKAGE / file).read_text(encoding="utf-8"), feature_version=(3, 8))
    assert [node.lineno for node in ast.walk(tree) if _unites_dicts(node)] == []


@pytest.mark.parametrize("text", ["a |= {}", "a |= {k: 1 for k in b}", "a = b | dict(c=1)"])
def test_a_union_of_dicts_is_found(text):
    assert any(map(_unites_dicts, ast.walk(ast.parse(text))))
