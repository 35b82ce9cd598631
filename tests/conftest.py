# SPDX-License-Identifier: Apache-2.0
"""Gives a second try to the tests that are listed for it."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "tools"))

from flaky_tests import pytest_collection_modifyitems, pytest_terminal_summary  # noqa: F401
