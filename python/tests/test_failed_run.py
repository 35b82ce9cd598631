# SPDX-License-Identifier: Apache-2.0
"""A run that failed says why: from the exception in the training to the report's first line."""

import json
import subprocess
import sys

from cli_tools import executable

SCRIPT = """
import steptrace  # a reason to attach
def load():
    raise RuntimeError("no rows at https://ann:S3CRET@data.example/x")
load()
"""


def ask(*words):
    return subprocess.run(
        [executable(), *map(str, words)], capture_output=True, text=True, timeout=120
    )


def test_a_failed_run_leads_with_its_exception(tmp_path):
    script, run = tmp_path / "train.py", tmp_path / "run"
    script.write_text(SCRIPT)
    done = ask("run", "-q", "-o", run, "--", sys.executable, script)
    assert done.returncode == 1
    assert done.stderr.count("RuntimeError") == 1, "the script's own traceback alone"
    failure = json.loads(ask("report", run, "--json").stdout)["failure"]
    assert failure["status"] == "found"
    assert failure["what"]["kind"] == "run.exception"
    exception = failure["exception"]
    assert (exception["type"], exception["line"]) == ("RuntimeError", 4)
    assert exception["message"] == "no rows at https://ann:REDACTED@data.example/x"
    lines = ask("report", run).stdout.splitlines()
    assert lines[1].startswith("Failed before the first step: RuntimeError: no rows at")
