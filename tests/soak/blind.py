# SPDX-License-Identifier: Apache-2.0
"""Whether the verdict is right on trainings that were written without knowing how it decides: each of `blind/` has one
cause and timers of its own, by which it says at its end what is true.

Compared are the suspect, the stage, the function where the script names one, and the shares, within 7 points.
usage: blind.py [--only NAME]... [--folder FOLDER] [--json FILE]
"""

import argparse
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from typing import Optional

from outcomes import Outcome, finish

HERE = pathlib.Path(__file__).resolve().parent
BIN = pathlib.Path(sys.executable).parent
SHARED = {"stopwatch.py"}
POINTS = 7
TRUTH = re.compile(r"^TRUTH (.*)$", re.MULTILINE)


def in_percent(share):
    return "" if share is None else f" {100 * share:.0f} %"


@dataclasses.dataclass
class Said:
    suspect: str
    stage: str
    function: str
    share: Optional[float]  # None: no timer of the script's tells it
    stage_share: Optional[float]

    def __str__(self):
        return f"{self.suspect}{in_percent(self.share)}, {self.stage}{in_percent(self.stage_share)}, {self.function}"


def command(script):
    words = [sys.executable, str(script)]
    if "init_process_group" in script.read_text():
        words = [str(BIN / "torchrun"), "--nproc-per-node", "2", "--standalone", str(script)]
    return words


def true_of(output):
    words = dict(word.split("=", 1) for word in TRUTH.search(output)[1].split())
    share, of_stage = (
        float(words[name]) if name in words else None for name in ("share", "stage_share")
    )
    return Said(words["suspect"], words["stage"], words["function"], share, of_stage)


def names_of(report, stage):
    """The functions that the report gives the stage, the one with most of it first."""
    verdict = report["verdict"]
    named = [row["functions"] for row in report["stages"]["rows"] if row["name"] == stage]
    functions = [function for row in named for function in row]
    if verdict["sub_stage"] == stage and verdict["function"]:
        functions.insert(0, verdict["function"])
    return [function["function"] for function in functions]


def said_of(report):
    verdict = report["verdict"]
    stage = verdict["sub_stage"]
    shares = [row["share"] for row in report["stages"]["rows"] if row["name"] == stage]
    names = names_of(report, stage)
    return Said(
        verdict["suspect"],
        stage,
        names[0] if names else "-",
        next(
            (
                row["share"]
                for row in report["suspects"]["rows"]
                if row["name"] == verdict["suspect"]
            ),
            0.0,  # no verdict
        ),
        shares[0] if shares else 0.0,
    )


def problems_of(true, said):
    problems = []
    if said.suspect != true.suspect or said.stage != true.stage:
        problems.append(f"true: {true}; said: {said}")
    elif true.function not in ("-", said.function.rpartition(".")[2]):
        problems.append(f"true is {true.function}, said was {said.function}")
    else:
        for what, a, b in (
            ("suspect", true.share, said.share),
            ("stage", true.stage_share, said.stage_share),
        ):
            if a is not None and abs(a - b) > POINTS / 100:
                problems.append(f"the {what} has {100 * a:.1f} %, said were {100 * b:.1f} %")
    return problems


def tried(script, folder):
    """(what is true, what was said)"""
    run = str(pathlib.Path(folder) / script.stem)
    steptrace = str(BIN / "steptrace")
    words = [steptrace, "run", "--output", run, "--no-report", "--", *command(script)]
    done = subprocess.run(
        words,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    text = subprocess.run(
        [steptrace, "report", run, "--json"], check=True, capture_output=True, text=True
    ).stdout
    return true_of(done.stdout), said_of(json.loads(text))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", metavar="NAME")
    parser.add_argument("--folder", help="where the runs are kept")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    outcome = Outcome("blind")
    scripts = sorted(path for path in (HERE / "blind").glob("*.py") if path.name not in SHARED)
    with tempfile.TemporaryDirectory() as folder:
        for script in scripts:
            if arguments.only and script.stem not in arguments.only:
                continue
            true, said = tried(script, arguments.folder or folder)
            print(f"{script.stem}: true {true}; said {said}", flush=True)
            outcome.saw(script.stem, problems_of(true, said))
    finish([outcome], arguments.json)


if __name__ == "__main__":
    main()
