# SPDX-License-Identifier: Apache-2.0
"""Runs a script with a tool of its own (sys.settrace and its like), with and without the hooks."""

import os
import re
import subprocess
import sys
from pathlib import Path

import hooked
from test_probe_module import rings
from test_stacks_within import records_of

PROBE = hooked.PACKAGE / "_probe.abi3.so"
PYENV = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"


def run(tmp_path, *command, python=sys.executable, ours=True, path=()):
    """Python as under `steptrace run`, or without; tmp_path/ring has what was recorded."""
    ring = tmp_path / "ring"
    ring.mkdir(mode=0o700, exist_ok=True)
    plain = {k: v for k, v in os.environ.items() if not k.startswith(("STEPTRACE_", "PYTHON"))}
    entries = [*([hooked.PACKAGE / "bootstrap"] if ours else []), *path]
    plain["PYTHONPATH"] = ":".join(map(str, entries))
    plain.update(OMP_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="1")
    if ours:
        plain.update(STEPTRACE_RING_DIR=str(ring), STEPTRACE_PROBE=str(PROBE))
    done = subprocess.run(
        [python, *map(str, command)], env=plain, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done


def recorded(tmp_path):
    """The names of all threads' records in their order."""
    (ring,) = rings(tmp_path / "ring")
    return [ring.names[name - 1][0] for _, name, *_ in sorted(records_of(ring.data))]


def torch_site(tmp_path):
    """A stand-in for torch with two functions that are hooked."""
    folder = tmp_path / "site" / "torch"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("__version__ = '9.9'\n")
    source = "def save():\n    return 1\n\n\ndef load():\n    return 2\n"
    (folder / "serialization.py").write_text(source)
    return folder.parent


BASE = """
import sys, threading
import torch.serialization as s
seen = []
def note(frame, event, argument):
    seen.append(f"{event} {frame.f_code.co_filename}:{frame.f_lineno} {frame.f_code.co_name} "
                f"{getattr(argument, '__name__', '')}")
    return note
def use():
    return s.save() + s.load()
use()
"""


def pythons():
    found = [sys.executable]
    for version in ("3.9", "3.10", "3.12", "3.13"):
        found += sorted(map(str, PYENV.glob(f"{version}.*/bin/python")))[:1]
    return found


def check_sees_nothing(tmp_path, site, python, tool, newest=False):
    """The tool sees the same without us, nothing is recorded under it, and the hooks come back.
    `newest`: where Python has sys.monitoring.
    """
    end = "\nprint('\\n'.join(seen))\nuse()\n"
    code = BASE + tool + end
    if newest:
        code = "import sys\nif sys.version_info >= (3, 12): exec(" + repr(code) + ")\n"
    plain = run(tmp_path, "-c", code, python=python, ours=False, path=[site])
    ours = run(tmp_path, "-c", code, python=python, path=[site])
    address = re.compile("0x[0-9a-f]+")
    assert address.sub("", ours.stdout) == address.sub("", plain.stdout)
    assert ours.stderr == plain.stderr
    if not plain.stdout:
        return
    names = [name for name in recorded(tmp_path) if name != "gc"]
    assert names[-4:] == ["checkpoint"] * 4, "the hooks are back"
    back = len(names) - names[::-1].index("hooks_back")
    assert names[back:].count("checkpoint") == 4
    aside = names.index("hooks_aside")
    assert names[:back].count("checkpoint") == names[:aside].count("checkpoint"), "not there"
    assert names.count("hooks_aside") == names.count("hooks_back") >= 1
