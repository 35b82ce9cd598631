# SPDX-License-Identifier: Apache-2.0
"""What a range costs from Python in instructions, counted by callgrind: the same on every machine.

Each way to record a range runs under callgrind as a loop; counts are dumped at markers (calls of a
libc function that nothing else calls), and the empty loop's is taken off.

usage: python_instructions_bench.py
"""

import gc
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PACKAGE = pathlib.Path(__file__).resolve().parents[1] / "python" / "steptrace"
RANGES = range(2000)
# A tenth above what they take with a Python 3.11 built without profiles: what goes back is seen here.
BUDGETS = {"pair": 380, "with_annotate": 1520, "with_kept_range": 940, "decorated_call": 2000}


def empty_loop(probe, steptrace):
    for _ in RANGES:
        pass


def pair(probe, steptrace):
    name = probe.name("pair", 1)
    begin, end = probe.begin, probe.end
    for _ in RANGES:
        begin(name)
        end()


def with_annotate(probe, steptrace):
    annotate = steptrace.annotate
    for _ in RANGES:
        with annotate("with"):
            pass


def with_kept_range(probe, steptrace):
    kept = steptrace.annotate("kept")
    for _ in RANGES:
        with kept:
            pass


def nothing():
    pass


def plain_call(probe, steptrace):
    call = nothing
    for _ in RANGES:
        call()


def decorated_call(probe, steptrace):
    call = steptrace.annotate("decorated")(nothing)
    for _ in RANGES:
        call()


LOOPS = [empty_loop, pair, with_annotate, with_kept_range, plain_call, decorated_call]


def inside():
    sys.path.insert(0, str(PACKAGE.parent))
    import steptrace

    probe = sys.modules["steptrace._probe"]
    gc.disable()
    for loop in LOOPS:  # what is done once is done
        loop(probe, steptrace)
    before = probe.stats()["records"]
    for loop in LOOPS:
        os.sched_rr_get_interval(0)
        loop(probe, steptrace)
    os.sched_rr_get_interval(0)
    recorded = probe.stats()["records"] - before
    assert recorded == 4 * 2 * len(RANGES), recorded


def instructions(path):
    (found,) = re.findall(r"^(?:summary|totals): (\d+)", path.read_text(), re.MULTILINE)[:1]
    return int(found)


def main():
    if shutil.which("valgrind") is None:
        print("python_instructions: valgrind is not installed; tools/setup --bench installs it")
        return 0
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as rings:
        environment = {
            **os.environ,
            "STEPTRACE_RING_DIR": rings,
            "STEPTRACE_PROBE": str(PACKAGE / "_probe.abi3.so"),
            "PYTHONHASHSEED": "0",
        }
        out = os.path.join(folder, "callgrind.out")
        command = [
            *["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={out}"],
            *["--dump-before=sched_rr_get_interval", sys.executable, "-S", __file__, "--inside"],
        ]
        subprocess.run(command, env=environment, timeout=900, check=True)
        dumps = sorted(
            pathlib.Path(folder).glob("callgrind.out.*"), key=lambda path: int(path.suffix[1:])
        )
        # The first holds what came before the first marker.
        counts = [instructions(path) for path in dumps][1 : 1 + len(LOOPS)]
    kept = True
    for loop, count in zip(LOOPS, counts):
        each = (count - counts[0]) / len(RANGES)
        budget = BUDGETS.get(loop.__name__)
        kept = kept and (budget is None or each <= budget)
        print(
            f"{loop.__name__:16} {each:7.0f} instructions" + (f", budget {budget}" * bool(budget))
        )
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(inside() if "--inside" in sys.argv else main())
