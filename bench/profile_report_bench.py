# SPDX-License-Identifier: Apache-2.0
"""`steptrace report --json` of an imported profile of 267 MB and 1.37 M events: CPU and peak memory,
beside six analyses of HTA 0.5 (HolisticTraceAnalysis), which has an environment of its own in
build/hta that this makes. Of HTA its loading, the counterpart of the import, is told apart.

The answer is checked: number and durations of the kernels against json.load, and the device's busy
time against HTA's, which rounds to microseconds and leaves out the last step. What HTA has
not done after PATIENCE_S is stopped, and said.

usage: profile_report_bench.py [MB | PROFILE.json]     STEPTRACE_BIN names another executable
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from hta_peer import hta_python
from process_cost import measure

ROOT = Path(__file__).resolve().parents[1]
MAKE_TRACE = ROOT / "tests" / "profiles" / "make_trace.py"
STEPTRACE = os.environ.get("STEPTRACE_BIN", ROOT / ".venv" / "bin" / "steptrace")
ROUNDS = 3

SUMS = """
import json, sys
kernels = [e for e in json.load(open(sys.argv[1]))["traceEvents"] if e.get("cat") == "kernel"]
kernels = [e for e in kernels if e["ph"] == "X"]
print(json.dumps([len(kernels), sum(round(e["dur"] * 1000) for e in kernels)]))
"""

PATIENCE_S = int(os.environ.get("PATIENCE_S", "240"))  # HTA took 777 s to load a made profile

ANALYSES = """
import json, signal, sys, time
from hta.trace_analysis import TraceAnalysis
def stop(*_):
    raise TimeoutError
signal.signal(signal.SIGALRM, stop)
signal.alarm(int(sys.argv[2]))
seconds = {"load": time.process_time()}
try:
    analysis = TraceAnalysis(trace_files={0: sys.argv[1]})
except TimeoutError:
    print(json.dumps([{"load": time.process_time() - seconds["load"]}, None]))
    raise SystemExit
seconds["load"] = time.process_time() - seconds["load"]
busy = {}
def run(name, call):
    begun = time.process_time()
    signal.alarm(int(sys.argv[2]))
    try:
        busy[name] = call()
    except ZeroDivisionError:  # without communication it divides by none
        pass
    except TimeoutError:
        name += ", stopped"
    signal.alarm(0)
    seconds[name] = time.process_time() - begun
run("temporal breakdown", lambda: analysis.get_temporal_breakdown(visualize=False))
run("overlap", lambda: analysis.get_comm_comp_overlap(visualize=False))
run("kernel breakdown", lambda: analysis.get_gpu_kernel_breakdown(visualize=False))
run("idle time", lambda: analysis.get_idle_time_breakdown(visualize=False))
run("launch stats", lambda: analysis.get_cuda_kernel_launch_stats(visualize=False))
run("queue length", lambda: analysis.get_queue_length_summary())
row = busy["temporal breakdown"].iloc[0]
times = [float(row[k]) for k in ("kernel_time(us)", "idle_time(us)", "compute_time(us)")]
print(json.dumps([seconds, times]))
"""


def check(report, kernels, hta_us):
    count, total_ns = kernels
    rows = report["kernels"]["rows"]
    assert sum(row["calls"] for row in rows) == count
    assert sum(row["total_ns"] for row in rows) == total_ns
    if hta_us is None:
        return
    window = report["devices"]["rows"][0]["window"]
    ours = 1 - window["idle_ns"] / window["span_ns"]
    theirs = 1 - hta_us[1] / hta_us[0]
    assert abs(ours - theirs) < 0.02, (ours, theirs)


def main():
    given = sys.argv[1] if len(sys.argv) > 1 else "267"
    with tempfile.TemporaryDirectory(prefix="steptrace-bench-") as name:
        profile = Path(given)
        if not profile.is_file():
            size = str(int(float(given) * 1e6))
            subprocess.run([sys.executable, MAKE_TRACE, name, "--bytes", size], check=True)
            profile = Path(name) / "rank0.pt.trace.json"
        run = Path(name) / "run"
        subprocess.run([STEPTRACE, "import", profile, "-o", run], check=True, capture_output=True)
        ours = [measure([STEPTRACE, "report", run, "--json"]) for _ in range(ROUNDS)]
        out, _, hta_user, _, hta_rss = measure(
            [hta_python(), "-c", ANALYSES, profile, str(PATIENCE_S)]
        )
        seconds, hta_us = json.loads(out.splitlines()[-1])
        kernels = json.loads(measure([sys.executable, "-c", SUMS, profile])[0])
        check(json.loads(ours[0][0]), kernels, hta_us)
        wall, user, system, rss = (statistics.median(r[k] for r in ours) for k in (1, 2, 3, 4))
        print(
            f"{'steptrace report':20} {user:6.2f} s of user CPU, {system:5.2f} s of the kernel's,"
        )
        print(f"{'':20} {wall:6.2f} s by the clock, peak {rss:5.0f} MiB")
        load = seconds.pop("load")
        if hta_us is None:
            print(f"{'HTA, loading':20} stopped after {load:.0f} s of CPU: nothing analysed yet")
            return
        analyses = sum(seconds.values())
        print(f"{'HTA, six analyses':20} {analyses:6.2f} s of CPU ({analyses / user:.1f}x)")
        for what, value in seconds.items():
            print(f"{'':20} {value:6.2f} s {what}")
        print(
            f"{'HTA, loading':20} {load:6.2f} s of CPU; whole process {hta_user:.1f} s of user CPU,"
        )
        print(f"{'':20} peak {hta_rss:5.0f} MiB")


if __name__ == "__main__":
    main()
