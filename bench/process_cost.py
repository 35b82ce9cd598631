# SPDX-License-Identifier: Apache-2.0
"""What a process costs, apart from whoever starts it."""

import os
import subprocess
import tempfile
import time
from collections import namedtuple

# Seconds of wall time, of the CPU in the process and in the kernel for it; peak RSS in MiB.
Cost = namedtuple("Cost", "text seconds user_s kernel_s peak_mib")


def measure(command):
    """Runs the command, which must succeed; its standard output and its cost.

    A child's peak is at least what this process holds when it starts it: large things are made and
    looked at in processes of their own.
    """
    with tempfile.TemporaryFile() as out:
        started = time.perf_counter()
        child = subprocess.Popen([str(c) for c in command], stdout=out)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        assert child.returncode == 0, command
        out.seek(0)
        text = out.read().decode()
        return Cost(text, seconds, usage.ru_utime, usage.ru_stime, usage.ru_maxrss / 1024)
