# SPDX-License-Identifier: Apache-2.0
"""What the tests of importing share: the command, and a look into the run that it made."""

import csv
import io
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def executable():
    """The steptrace that is under test: STEPTRACE_BIN, the package's, or the newest build's."""
    if os.environ.get("STEPTRACE_BIN"):
        return os.environ["STEPTRACE_BIN"]
    installed = pathlib.Path(sys.executable).parent / "steptrace"
    if installed.exists():
        return str(installed)
    built = sorted(ROOT.glob("build/*/bin/steptrace"), key=lambda p: p.stat().st_mtime)
    return str(built[-1]) if built else "steptrace"


def steptrace(*args, ok=True, cwd=None):
    done = subprocess.run(
        [executable(), *map(str, args)], capture_output=True, text=True, timeout=300, cwd=cwd
    )
    if ok:
        assert done.returncode == 0, done.stderr
    return done


def rows(run, table):
    csv.field_size_limit(1 << 30)
    text = steptrace("export", run, "--table", table, "--format", "csv", "-o", "-").stdout
    return list(csv.DictReader(io.StringIO(text)))


def losses(run):
    return {row["cause"]: int(row["count"]) for row in rows(run, "data_loss")}


def manifest(run):
    return json.loads((pathlib.Path(run) / "run.json").read_text())
