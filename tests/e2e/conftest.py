# SPDX-License-Identifier: Apache-2.0
"""What a test started does not outlive it, not even where it failed: it would load the machine of the next."""

import contextlib
import os
import pathlib
import signal

import pytest

# Another run of the same tests on this machine is none of ours.
os.environ["PYTEST_PROCESS"] = str(os.getpid())


def started_by(test):
    """The processes that have the names of this process and of the test in their environment: pytest gives the latter."""
    process = f"PYTEST_PROCESS={os.getpid()}".encode()
    mark = f"PYTEST_CURRENT_TEST={test} (call)".encode()
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        pid = int(folder.name)
        ours = process in environment and any(word.startswith(mark) for word in environment)
        if ours and pid != os.getpid():
            yield pid


@pytest.fixture(autouse=True)
def _nothing_is_left(request):
    yield
    for pid in list(started_by(request.node.nodeid)):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
