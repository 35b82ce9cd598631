# SPDX-License-Identifier: Apache-2.0
"""What a test started does not outlive it, not even where it failed: it would load the machine of the next."""

import contextlib
import os
import pathlib
import signal

import pytest


def started_by(test):
    """The processes that have the test's name in their environment: pytest puts it there."""
    mark = f"PYTEST_CURRENT_TEST={test} (call)".encode()
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        pid = int(folder.name)
        if pid != os.getpid() and any(word.startswith(mark) for word in environment):
            yield pid


@pytest.fixture(autouse=True)
def _nothing_is_left(request):
    yield
    for pid in list(started_by(request.node.nodeid)):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
