# SPDX-License-Identifier: Apache-2.0
"""A run that failed says why: from the exception in the training to the report's first line."""

import json
import subprocess
import sys

from cli_tools import executable

SCRIPT = """
import sys
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
    assert done.stderr.count("Traceback") == 1, "the script's own traceback alone"
    failure = json.loads(ask("report", run, "--json").stdout)["failure"]
    assert failure["status"] == "found"
    assert failure["what"]["kind"] == "run.exception"
    exception = failure["exception"]
    assert (exception["type"], exception["line"]) == ("RuntimeError", 5)
    assert exception["message"] == "no rows at https://ann:REDACTED@data.example/x"
    lines = ask("report", run).stdout.splitlines()
    assert lines[1].startswith("Failed before the first step: RuntimeError: no rows at")


def test_a_script_with_its_own_excepthook_ends_as_without_and_says_why(tmp_path):
    script, run = tmp_path / "train.py", tmp_path / "run"
    own = "sys.excepthook = lambda kind, error, _: print('mine', kind.__name__, file=sys.stderr)"
    script.write_text(SCRIPT.replace("\nload()", f"\n{own}\nload()"))
    bare = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120)
    done = ask("run", "-q", "-o", run, "--", sys.executable, script)
    assert (done.returncode, done.stdout, done.stderr) == (
        bare.returncode,
        bare.stdout,
        bare.stderr,
    )
    assert bare.stderr == "mine RuntimeError\n"
    failure = json.loads(ask("report", run, "--json").stdout)["failure"]
    assert failure["exception"]["type"] == "RuntimeError"


AUDITED = """
import sys, threading
import steptrace  # a reason to attach
heard, of_thread = [], []
def fails():
    heard.clear()
    raise RuntimeError("x")
def shows(*_):
    print(of_thread, heard[:], file=sys.stderr)
sys.addaudithook(lambda event, _: heard.append(event))
sys.excepthook = shows
thread = threading.Thread(target=fails)
thread.start(); thread.join()
of_thread += heard
fails()
"""


def test_an_audit_hook_of_the_script_hears_nothing_of_ours_as_it_fails(tmp_path):
    script, run = tmp_path / "train.py", tmp_path / "run"
    script.write_text(AUDITED)
    bare = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120)
    done = ask("run", "-q", "-o", run, "--", sys.executable, script)
    assert (done.returncode, done.stderr) == (bare.returncode, bare.stderr)
