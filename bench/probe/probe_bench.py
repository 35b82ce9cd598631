# SPDX-License-Identifier: Apache-2.0
"""What a begin and its end cost the training: ours beside LTTng-UST, clock_gettime, rdtsc (C++), and
beside torch.profiler.record_function and a pair of plain Python calls (Python). Every contender in
alternate rounds of one process, thread CPU time, the empty loop taken off; every record of ours is
accounted for. Exit 1: over budget, or a wrong answer.

usage: probe_bench.py [--rounds N] [--pairs PATH] [--json FILE]
"""

import argparse
import contextlib
import gc
import json
import os
import pathlib
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time

TREE = pathlib.Path(__file__).resolve().parents[2]
PROBE = TREE / "python" / "steptrace" / "_probe.abi3.so"
BUDGET_NS = {"C++": 20.0, "Python": 35.0}
OURS = {"C++": "steptrace_header", "Python": "steptrace"}
PYTHON_PAIRS = 20_000  # two records each: within the main thread's ring
# The control of ring 0: head at byte 0, tail and its complement at 64 (src/wire/ring_layout.h).
CONTROL, TAIL = 4096, 4096 + 64


@contextlib.contextmanager
def lttng_session(folder):
    """A session that records the bench's two events; yields why there is none, or None."""
    if shutil.which("lttng") is None or shutil.which("lttng-sessiond") is None:
        yield "lttng-tools is not installed"
        return
    environment = {**os.environ, "LTTNG_HOME": str(folder), "HOME": str(folder)}

    def lttng(*arguments):
        return subprocess.run(
            ["lttng", "--no-sessiond", *arguments],
            env=environment, capture_output=True, text=True, timeout=30,
        )  # fmt: skip

    daemon = subprocess.Popen(
        ["lttng-sessiond", "--no-kernel"],
        env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        for _ in range(100):
            if lttng("list").returncode == 0:
                break
            time.sleep(0.1)
        steps = [
            ("create", "bench", f"--output={folder}/trace"),
            ("enable-channel", "-u", "--subbuf-size=4M", "--num-subbuf=8", "--discard", "c"),
            ("enable-event", "-u", "-c", "c", "steptrace_bench:*"),
            ("start",),
        ]
        failed = next((r.stderr for r in (lttng(*step) for step in steps) if r.returncode), None)
        yield failed
        lttng("destroy", "bench")
    finally:
        daemon.terminate()
        daemon.wait(timeout=30)


def run_cpp(binary, rounds):
    """{contender: [median, low, high]} and why LTTng is missing, or None."""
    with tempfile.TemporaryDirectory(
        dir="/dev/shm"
    ) as rings, tempfile.TemporaryDirectory() as home:
        with lttng_session(pathlib.Path(home)) as why_not:
            result = subprocess.run(
                [str(binary), str(rounds)],
                env={
                    **os.environ,
                    "STEPTRACE_RING_DIR": rings,
                    "STEPTRACE_PROBE": str(PROBE),
                    "LTTNG_HOME": home,
                    "LTTNG_UST_REGISTER_TIMEOUT": "2000",
                },
                capture_output=True, text=True, timeout=600,
            )  # fmt: skip
        if result.returncode != 0:
            sys.exit(f"probe_bench: {result.stderr.strip()}")
        recorded = sum(f.stat().st_size for f in pathlib.Path(home).rglob("c_*") if f.is_file())
    rows = {}
    for line in result.stdout.splitlines():
        name, *numbers = line.split()
        rows[name] = [float(number) for number in numbers]
    if "lttng_ust" in rows and recorded < 1 << 20:
        why_not = why_not or "its session recorded nothing"
    if why_not:
        rows.pop("lttng_ust", None)
    return rows, why_not


class OwnRing:
    """This process's ring file, read and given back by the bytes of the specification."""

    def __init__(self, folder):
        (file,) = pathlib.Path(folder).glob("*.ring")
        self.fd = os.open(file, os.O_RDWR)
        self.drained = self.head()

    def head(self):
        return struct.unpack("<Q", os.pread(self.fd, 8, CONTROL))[0]

    def take(self):
        head = self.head()
        os.pwrite(self.fd, struct.pack("<QQ", head, ~head & (1 << 64) - 1), TAIL)
        taken, self.drained = head - self.drained, head
        return taken


def python_contenders(probe):
    from torch.profiler import record_function

    name = probe.name("pair", 1)
    begin, end = probe.begin, probe.end
    log = []
    append, now = log.append, time.perf_counter_ns
    isenabled = gc.isenabled  # with callable: what two built-ins cost that do nothing
    pairs = range(PYTHON_PAIRS)

    def empty_loop():
        for _ in pairs:
            pass

    def steptrace():
        for _ in pairs:
            begin(name)
            end()

    def two_empty_calls():
        for _ in pairs:
            callable(name)
            isenabled()

    def record_function_idle():
        for _ in pairs:
            with record_function("pair"):
                pass

    def plain_python():
        log.clear()
        for _ in pairs:
            append(("b", "pair", now()))
            append(("e", "pair", now()))

    return [empty_loop, two_empty_calls, steptrace, record_function_idle, plain_python]


def run_python(rounds):
    with tempfile.TemporaryDirectory(dir="/dev/shm") as rings:
        os.environ["STEPTRACE_RING_DIR"] = rings
        sys.path.insert(0, str(PROBE.parent))
        import _probe

        if not _probe.attach():
            sys.exit("probe_bench: the probe does not attach")
        _probe.instant(_probe.name("warm up", 1), 0, 0)
        ring = OwnRing(rings)
        ring.take()
        contenders = python_contenders(_probe)
        times = {contender.__name__: [] for contender in contenders}
        for round_number in range(rounds + 3):
            for contender in contenders:
                start = time.thread_time_ns()
                contender()
                spent = time.thread_time_ns() - start
                expected = 2 * PYTHON_PAIRS if contender.__name__ == "steptrace" else 0
                if ring.take() != expected:
                    sys.exit(f"probe_bench: {contender.__name__}: wrong number of records")
                if round_number >= 3:
                    times[contender.__name__].append(spent / PYTHON_PAIRS)
        if any(value for key, value in _probe.stats().items() if key.startswith("dropped")):
            sys.exit("probe_bench: records were dropped")
    empty = statistics.median(times["empty_loop"])
    rows = {}
    for name, values in times.items():
        low, median, high = statistics.quantiles(values, n=4)
        off = 0 if name == "empty_loop" else empty
        rows[name] = [median - off, low - off, high - off]
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--pairs", default=TREE / "build/release/bench/probe/probe_pairs")
    parser.add_argument("--json", default=TREE / "build/bench/probe.json")
    options = parser.parse_args()
    cpp, why_not = run_cpp(options.pairs, options.rounds)
    results = {"C++": cpp, "Python": run_python(options.rounds)}
    over = False
    for language, rows in results.items():
        for name, (median, low, high) in sorted(rows.items(), key=lambda row: row[1][0]):
            ours = name == OURS[language]
            verdict = ""
            if ours:
                over |= median > BUDGET_NS[language]
                verdict = f"   budget {BUDGET_NS[language]:.0f}"
            print(f"{language:7} {name:22} {median:8.1f} ns a pair ({low:.1f}-{high:.1f}){verdict}")
    if why_not:
        print(f"LTTng-UST left out: {why_not.strip()}")
    path = pathlib.Path(options.json)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"ns_a_pair": results, "without_lttng": why_not}, indent=1))
    sys.exit(1 if over else 0)


if __name__ == "__main__":
    main()
