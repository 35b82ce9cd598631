# SPDX-License-Identifier: Apache-2.0
"""Runs each host program of programs/ bare and under `steptrace run`, and compares what can be seen of it: exit
status, and stdout and stderr byte for byte. Trainings print their losses and weights to the bit.

usage: beside_bare.py [--only TEXT] [--json FILE]

A file in programs/ is a program; what begins with soak_ is shared by them. One whose bare runs differ from each
other proves nothing, and is reported as that.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

from outcomes import Outcome, finish

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[0] / "e2e"))

from fault_tools import executable  # noqa: E402

PROGRAMS = HERE / "programs"
LIMIT_S = 300


def programs(only):
    files = sorted([*PROGRAMS.glob("*.py"), *PROGRAMS.glob("*.sh")])
    return [f for f in files if not f.name.startswith("soak_") and only in f.name]


def command(program):
    return [sys.executable if program.suffix == ".py" else "bash", str(program)]


def observe(program, launcher=()):
    """Exit status, stdout and stderr of a program in an empty folder of its own, and whether there is a run then."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as holder:
        folder = pathlib.Path(holder) / "work"
        folder.mkdir()
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": holder,
            "PYTHON": sys.executable,
            "PROGRAMS": str(PROGRAMS),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
            "OMP_NUM_THREADS": "1",
        }
        done = subprocess.run(
            [*[word.replace("HOLDER", holder) for word in launcher], *command(program)],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LIMIT_S,
            check=False,
        )
        # A folder's name is all that may differ from one run to the next.
        said = [s.replace(holder.encode(), b"HOLDER") for s in (done.stdout, done.stderr)]
        return (done.returncode, *said, (pathlib.Path(holder) / "run/run.json").exists())


def first_difference(bare, recorded):
    lines = zip(bare.splitlines() + [b"(end)"], recorded.splitlines() + [b"(end)"])
    at, pair = next(((i, p) for i, p in enumerate(lines, 1) if p[0] != p[1]), (0, (b"", b"")))
    return f"line {at}: {pair[0][:120]!r} became {pair[1][:120]!r}"


def differences(bare, recorded):
    found = []
    if bare[0] != recorded[0]:
        found.append(f"exit status {bare[0]} became {recorded[0]}")
    for name, one, other in zip(("stdout", "stderr"), bare[1:], recorded[1:]):
        if one != other:
            found.append(f"{name}, {first_difference(one, other)}")
    return found


def compared(bare, program, launcher):
    try:
        recorded = observe(program, launcher)
    except subprocess.TimeoutExpired:
        return [f"takes over {LIMIT_S} s"]
    return differences(bare, recorded) + ([] if recorded[3] else ["was not recorded"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--json")
    options = parser.parse_args()
    launcher = [executable(), "run", "--quiet", "--no-report", "--output", "HOLDER/run", "--"]
    beside, inconclusive = Outcome("host programs beside bare"), []
    for program in programs(options.only):
        bare = observe(program)
        problems = compared(bare, program, launcher)
        if problems and differences(bare, observe(program)):
            inconclusive.append(program.name)
            continue
        beside.saw(program.name, problems)
    if inconclusive:
        print(f"not the same twice without us: {', '.join(inconclusive)}")
    finish([beside], options.json)


if __name__ == "__main__":
    main()
