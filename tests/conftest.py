# SPDX-License-Identifier: Apache-2.0
"""What all tests share: a second try for those that are listed for it, and this folder's modules."""

import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "tools"))

from flaky_tests import pytest_collection_modifyitems, pytest_terminal_summary  # noqa: F401

# Reports of profiles leave their runs here, and nothing in the cache of who runs the tests.
CACHE = tempfile.TemporaryDirectory(prefix="steptrace-cache-")
os.environ["XDG_CACHE_HOME"] = CACHE.name
