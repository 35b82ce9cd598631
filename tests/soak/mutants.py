# SPDX-License-Identifier: Apache-2.0
"""Damages profiles and runs in random ways and gives them to every command that reads: none may crash, hang, take
much memory, or end with more than a line of error; what `import` accepts, all others must read.

usage: mutants.py [--seconds S] [--most N] [--seed N] [--json FILE]      N: of each kind
"""

import argparse
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

from outcomes import Outcome, finish

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parents[0] / "e2e"))

from fault_tools import executable  # noqa: E402

LIMIT_S = 60
# What stands before an error: which damaged files are left out.
NOTE = re.compile(r"its -?\d+ rows of \w+ are not in|not all could be used")
MOST_KIB = 1 << 20  # of resident memory, for files of a few KiB
READERS = (
    ("report",),
    ("report", "--json"),
    ("show", "slices", "--limit", "20"),
    ("show", "steps", "--json"),
    ("rules",),
    ("export", "--format", "csv"),
    ("export", "--format", "perfetto"),
    ("report", "--html"),
)
TOKENS = [
    b'"', b"{", b"}", b"[", b"]", b",", b":", b"\\u0000", b"\\ud800", b"\xff", b"\xc3\x28", b"\xef\xbf\xbd", b"-1",
    b"1e999", b"9223372036854775808", b"null", b"\x00" * 64, b'"args":{}', b'"ph":"X"', b'"dur":-5',
]  # fmt: skip


def mutate(data, chance):
    """A copy with one to eight random damages."""
    data = bytearray(data)
    for _ in range(chance.randint(1, 8)):
        at = chance.randrange(len(data) or 1)
        end = min(len(data), at + chance.randint(1, 1 << chance.randint(0, 8)))
        kind = chance.randrange(7)
        if kind == 0 and data:
            data[at % len(data)] ^= 1 << chance.randrange(8)
        elif kind == 1:
            del data[at:end]
        elif kind == 2:
            data[at:at] = chance.choice(TOKENS)
        elif kind == 3:
            data[at:end] = chance.choice(TOKENS)
        elif kind == 4:
            data[at:at] = data[at:end]
        elif kind == 5:
            other = chance.randrange(len(data) or 1)
            data[at:end] = data[other : other + end - at]
        elif chance.random() < 0.3:
            del data[at:]
    return bytes(data)


def seeds():
    """Small files of each format: those that the importers' fuzzers begin with."""
    files = [
        f
        for folder in (ROOT / "src/import").rglob("seeds/*")
        for f in folder.rglob("*")
        if f.is_file()
    ]
    return sorted(f for f in files if f.stat().st_size < 200_000)


def ask(arguments, folder):
    """What is wrong with how a command ends, and its status."""
    with tempfile.TemporaryFile() as stderr:
        process = subprocess.Popen(
            [executable(), *map(str, arguments)],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
        )
        until = time.monotonic() + LIMIT_S
        while (done := os.wait4(process.pid, os.WNOHANG))[0] == 0:
            if time.monotonic() > until:
                process.kill()
                os.wait4(process.pid, 0)
                return ["takes over a minute"], None
            time.sleep(0.002)
        process.returncode = os.waitstatus_to_exitcode(done[1])
        stderr.seek(0)
        said = stderr.read().decode(errors="replace")
    problems = []
    if process.returncode not in (0, 2):
        problems.append(f"ends with {process.returncode}: {said[-200:]!r}")
    errors = [line for line in said.splitlines() if not NOTE.search(line)]
    if process.returncode == 2 and (len(errors) != 1 or not errors[0].startswith("steptrace: ")):
        problems.append(f"an error is not one line: {said[-300:]!r}")
    if done[2].ru_maxrss > MOST_KIB:
        problems.append(f"takes {done[2].ru_maxrss >> 10} MiB")
    return problems, process.returncode


def reader(command, run, folder):
    name, *options = command
    if name == "export":
        options = [*options, "--output", folder / "out"]
    if "--html" in options:
        options = ["--html", folder / "out.html"]
    return [name, run, *options]


def read_all(run, folder, accepted):
    """Gives a run to every reader; `accepted`: an import made it, so none may refuse it."""
    problems = []
    for command in READERS:
        found, status = ask(reader(command, run, folder), folder)
        out = folder / "out"
        shutil.rmtree(out) if out.is_dir() else out.unlink(missing_ok=True)
        (folder / "out.html").unlink(missing_ok=True)
        if accepted and status == 2:
            found.append("refuses what import accepted")
        problems += [f"{' '.join(command)} {problem}" for problem in found]
    return problems


def keep(path, number):
    """A file that did not hold, where it can be looked at."""
    kept = ROOT / "build/soak"
    kept.mkdir(parents=True, exist_ok=True)
    to = kept / f"{number}-{path.name}"
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(path, to, dirs_exist_ok=True) if path.is_dir() else shutil.copy(path, to)
    return to.relative_to(ROOT)


def profiles(goes_on, chance, outcome):
    files = seeds()
    while goes_on(outcome):
        seed = chance.choice(files)
        with tempfile.TemporaryDirectory() as holder:
            folder = pathlib.Path(holder)
            mutant = folder / seed.name
            mutant.write_bytes(mutate(seed.read_bytes(), chance))
            problems, status = ask(["import", mutant, "--output", folder / "run"], folder)
            if status == 0:
                problems += read_all(folder / "run", folder, accepted=True)
            elif (folder / "run").exists():
                problems.append("leaves a run behind that it refused")
            kept = keep(mutant, outcome.tried) if problems else seed.name
            outcome.saw(str(kept), problems)


def made_run(folder):
    script = "import torch\nm=torch.nn.Linear(4,1)\no=torch.optim.SGD(m.parameters(),lr=.1)\n"
    script += (
        "for _ in range(40):\n o.zero_grad(); m(torch.ones(8,4)).mean().backward(); o.step()\n"
    )
    run = folder / "whole"
    command = [executable(), "run", "--no-report", "--quiet", "--output", str(run), "--"]
    subprocess.run([*command, sys.executable, "-c", script], check=True)
    return run


def runs(goes_on, chance, outcome):
    with tempfile.TemporaryDirectory() as holder:
        folder = pathlib.Path(holder)
        whole = made_run(folder)
        names = sorted(f.relative_to(whole) for f in whole.rglob("*") if f.is_file())
        while goes_on(outcome):
            run = folder / "run"
            shutil.copytree(whole, run)
            name = chance.choice(names)
            (run / name).write_bytes(mutate((run / name).read_bytes(), chance))
            shutil.copytree(run, folder / "damaged")
            problems = read_all(run, folder, accepted=False)
            problems += ask(["recover", run], folder)[0]
            found, status = ask(["report", run], folder)
            problems += found + ([] if status == 0 else ["cannot be read after recover"])
            kept = keep(folder / "damaged", f"run{outcome.tried}") if problems else ""
            outcome.saw(f"{name} {kept}".strip(), problems)
            shutil.rmtree(run)
            shutil.rmtree(folder / "damaged")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--most", type=int, default=10**9)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--json")
    options = parser.parse_args()
    print(f"seed {options.seed}")
    chance = random.Random(options.seed)
    outcomes = [Outcome("damaged profiles"), Outcome("damaged runs")]
    for find, outcome in zip((profiles, runs), outcomes):
        until = time.monotonic() + options.seconds / 2
        find(
            lambda o, until=until: o.tried < options.most and time.monotonic() < until,
            chance,
            outcome,
        )
    finish(outcomes, options.json)


if __name__ == "__main__":
    main()
