# SPDX-License-Identifier: Apache-2.0
"""The drivers of tests/soak: they hold on what is sound, and see what is not."""

import os
import subprocess
import sys

from fault_tools import LIMIT_S, ROOT

# Runs the command as `steptrace run … -- COMMAND` would, and then says a word of its own.
TALKATIVE = """#!/bin/bash
while [[ $1 != -- ]]; do shift; done
"${@:2}"
status=$?
echo "from us"
exit $status
"""


def soak(driver, *arguments, **variables):
    command = [sys.executable, str(ROOT / "tests/soak" / driver), *arguments]
    environment = dict(os.environ, **variables)
    return subprocess.run(
        command, capture_output=True, text=True, env=environment, timeout=4 * LIMIT_S, check=False
    )


def test_a_program_beside_bare():
    done = soak("beside_bare.py", "--only", "end_status")
    assert (done.returncode, done.stdout) == (0, "host programs beside bare: 1 tried, 1 held\n")


def test_comparison_detects_a_difference(tmp_path):
    launcher = tmp_path / "steptrace"
    launcher.write_text(TALKATIVE)
    launcher.chmod(0o755)
    done = soak("beside_bare.py", "--only", "end_status", STEPTRACE_BIN=str(launcher))
    assert done.returncode == 1
    assert "end_status.py: stdout, line 2: b'(end)' became b'from us'" in done.stdout
    assert "1 tried, 0 held" in done.stdout


def test_mutants_are_read_or_refused():
    done = soak("mutants.py", "--most", "2", "--seconds", "300", "--seed", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "damaged profiles: 2 tried, 2 held" in done.stdout
