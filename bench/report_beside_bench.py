# SPDX-License-Identifier: Apache-2.0
"""This tree's `steptrace` beside another build of it, as one of an earlier commit: CPU seconds, the
kernel's included, of the same work on the same inputs, in turn.

    start     `--version`: what every command costs
    steps     `report --json` of a run of 10^6 steps
    import    `import` of a Kineto profile of 200 MB
    profile   `report --json` of what each of them imported

usage: report_beside_bench.py OTHER [start|steps|import|profile]... [--steps N] [--mb MB]
                              [--rounds N] [--make-run PATH]

OTHER is the other executable; without one nothing is measured. STEPTRACE_BIN names another one of
ours. A run is read by builds that know its format: where OTHER is older, --make-run names a
store_make_run of its tree.

Told are the medians, and ours over theirs with a 95 % interval (bootstrap over the rounds). The
answers are checked: number and times of the steps, number of the kernels against the profile's
text, their times against each other. What both find besides may differ, as builds do.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from process_cost import measure

ROOT = Path(__file__).resolve().parents[1]
STEPTRACE = Path(os.environ.get("STEPTRACE_BIN", ROOT / ".venv" / "bin" / "steptrace"))
MAKE_RUN = next(iter(sorted(ROOT.glob("build/*/src/store/store_make_run"), reverse=True)), None)
MAKE_TRACE = ROOT / "tests" / "profiles" / "make_trace.py"
WHAT = ["start", "steps", "import", "profile"]
MORE_STARTS = 10  # a round: one takes milliseconds


def interval(pairs, rounds=1000):
    """95 % interval of the ratio of the medians."""
    generator = random.Random(1)

    def ratio():
        ours, theirs = zip(*generator.choices(pairs, k=len(pairs)))
        return statistics.median(ours) / statistics.median(theirs)

    found = sorted(ratio() for _ in range(rounds))
    return found[rounds // 40], found[-1 - rounds // 40]


def rows_of(section):
    """Of a report; before report/2 a section of rows was a list."""
    return section if isinstance(section, list) else section["rows"]


def in_turn(executables, rounds, command_of, check):
    """CPU seconds of both, a pair a round; who is first changes from round to round."""
    pairs = []
    for number in range(-1, rounds):  # the first warms the files
        cpu_s, texts = [0.0, 0.0], ["", ""]
        for which in (0, 1) if number % 2 == 0 else (1, 0):
            cost = measure(command_of(which, executables[which]))
            cpu_s[which], texts[which] = cost.user_s + cost.kernel_s, cost.text
        if number < 0:
            check(*texts)
        else:
            pairs.append(tuple(cpu_s))
    return pairs


def tell(name, pairs):
    ours, theirs = (statistics.median(column) for column in zip(*pairs))
    low, high = interval(pairs)
    result = "not slower" if high <= 1 else "slower" if low > 1 else "not told apart"
    print(
        f"{name:8} ours {ours:7.3f} s of CPU, the other {theirs:7.3f} s; ratio "
        f"{ours / theirs:5.3f} [{low:5.3f}, {high:5.3f}] of {len(pairs)} rounds: {result}",
        flush=True,
    )


def start(executables, rounds):
    def check(ours, theirs):
        assert ours.split()[0] == theirs.split()[0], (ours, theirs)

    pairs = in_turn(executables, rounds * MORE_STARTS, lambda _, exe: [exe, "--version"], check)
    tell("start", pairs)


def steps(executables, rounds, folder, make_run, count):
    run = folder / "steps"
    subprocess.run(
        [make_run, run, f"steps={count}", "slices=0"], check=True, stdout=subprocess.DEVNULL
    )

    def figures(text):
        report = json.loads(text)
        told = {one["name"]: one["ns"] for one in rows_of(report["suspects"])}
        return report["steps"]["count"], told.get("data_pipeline"), sum(told.values())

    def check(ours, theirs):
        assert figures(ours) == figures(theirs), (figures(ours), figures(theirs))
        assert figures(ours)[0] == count, figures(ours)

    pairs = in_turn(executables, rounds, lambda _, exe: [exe, "report", run, "--json"], check)
    tell("steps", pairs)


def make_profile(folder, megabytes):
    size = str(int(megabytes * 1e6))
    subprocess.run([sys.executable, MAKE_TRACE, folder, "--bytes", size], check=True)
    profile = folder / "rank0.pt.trace.json"
    with open(profile, encoding="utf-8") as file:
        kernels = sum('"cat": "kernel"' in line for line in file)
    assert kernels > 0
    return profile, kernels


def imported(folder, which):
    """A run to write anew."""
    run = folder / f"imported-{which}"
    if run.exists():
        subprocess.run(["rm", "-r", run], check=True)
    return run


def kernels_of(text):
    rows = rows_of(json.loads(text)["kernels"])
    return sum(row["calls"] for row in rows), sum(row["total_ns"] for row in rows)


def profiles(executables, rounds, folder, megabytes, wanted):
    profile, kernels = make_profile(folder, megabytes)

    def command(which, exe):
        return [exe, "import", profile, "-o", imported(folder, which)]

    # Also where only the reports are asked for: they are of these.
    pairs = in_turn(executables, rounds if "import" in wanted else 0, command, lambda *_: None)
    if pairs:
        tell("import", pairs)

    def check(ours, theirs):
        assert kernels_of(ours) == kernels_of(theirs), (kernels_of(ours), kernels_of(theirs))
        assert kernels_of(ours)[0] == kernels, (kernels_of(ours), kernels)

    def report(which, exe):
        return [exe, "report", folder / f"imported-{which}", "--json"]

    if "profile" in wanted:
        tell("profile", in_turn(executables, rounds, report, check))
    else:
        check(*(measure(report(which, exe)).text for which, exe in enumerate(executables)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("other", type=Path, nargs="?")
    parser.add_argument("what", nargs="*", default=WHAT, metavar="|".join(WHAT))
    parser.add_argument("--steps", type=int, default=10**6)
    parser.add_argument("--mb", type=float, default=200)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--make-run", type=Path, default=MAKE_RUN)
    given = parser.parse_args()
    if given.other is None:
        print("report_beside_bench: nothing to compare with; name another build's executable")
        return
    if unknown := set(given.what) - set(WHAT):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    if "steps" in given.what and given.make_run is None:
        parser.error("store_make_run is not built; run `make test` or build that target")
    executables = (STEPTRACE, given.other)
    with tempfile.TemporaryDirectory(prefix="steptrace-bench-") as name:
        folder = Path(name)
        if "start" in given.what:
            start(executables, given.rounds)
        if "steps" in given.what:
            steps(executables, given.rounds, folder, given.make_run, given.steps)
        if {"import", "profile"} & set(given.what):
            profiles(executables, given.rounds, folder, given.mb, given.what)


if __name__ == "__main__":
    main()
