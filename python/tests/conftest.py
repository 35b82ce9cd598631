# SPDX-License-Identifier: Apache-2.0
"""Lets the tests import what they share from this folder (pytest's importlib mode does not)."""

import os
import pathlib
import subprocess
import sys
import tempfile

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools"))
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tests"))

from flaky_tests import pytest_collection_modifyitems, pytest_terminal_summary  # noqa: F401

# Reports of profiles leave their runs here, and nothing in the cache of who runs the tests.
CACHE = tempfile.TemporaryDirectory(prefix="steptrace-cache-")
os.environ["XDG_CACHE_HOME"] = CACHE.name


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Holds the run steptrace-runs/demo."""
    from test_store_readable import make_run

    folder = tmp_path_factory.mktemp("cli")
    assert make_run(folder / "steptrace-runs" / "demo").returncode == 0
    return folder


@pytest.fixture()
def ask(folder):
    """Runs steptrace in a folder that holds the run `demo`."""
    from cli_tools import executable

    def run(*arguments, cwd=folder, **variables):
        plain = {k: v for k, v in os.environ.items() if not k.startswith("STEPTRACE_")}
        command = [str(executable()), *map(str, arguments)]
        return subprocess.run(
            command,
            cwd=cwd,
            env={**plain, **variables},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run
