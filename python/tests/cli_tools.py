# SPDX-License-Identifier: Apache-2.0
"""What the tests of the command line share."""

import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def executable():
    named = os.environ.get("STEPTRACE_EXECUTABLE")
    path = pathlib.Path(named) if named else ROOT / ".venv" / "bin" / "steptrace"
    if not path.exists():
        pytest.fail(f"{path}: not built; run make build")
    return path


def complaint(done):
    """The one line of a command that failed as it should."""
    assert done.returncode == 2, (done.returncode, done.stdout, done.stderr)
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("steptrace: ")
    return line


def unrecorded(done, stdout):
    """The one line of a `run` that started its command and records nothing."""
    assert (done.returncode, done.stdout) == (0, stdout), done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("steptrace: ") and "the command runs unrecorded" in line
    return line
