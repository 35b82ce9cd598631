# SPDX-License-Identifier: Apache-2.0
"""What the agent costs: CPU and memory at rest and under load, and seconds added to a program.

usage: agent_load_bench.py [--seconds S] [--json FILE]

Its answer is checked: under load every range that the host made is either in the run or counted as
lost; and it ends with status 1 when the agent lost any, up to a million records a second.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))
from fault_tools import Recording, command_line, executable, wait_for  # noqa: E402

TICKS_PER_S = os.sysconf("SC_CLK_TCK")
WARM_UP_S = 1.0


def build_host(folder):
    host = folder / "agent_load_host"
    source = ROOT / "bench" / "agent_load_host.c"
    subprocess.run(
        ["cc", "-O2", f"-I{ROOT / 'include'}", str(source), "-o", str(host), "-ldl"], check=True
    )
    return host


def cpu_and_rss(pid):
    text = pathlib.Path(f"/proc/{pid}/schedstat").read_text().split()
    threads = pathlib.Path(f"/proc/{pid}/task")
    cpu_ns = 0
    for thread in threads.iterdir():
        cpu_ns += int((thread / "schedstat").read_text().split()[0])
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    rss = next(int(x.split()[1]) for x in status.splitlines() if x.startswith("VmRSS"))
    peak = next(int(x.split()[1]) for x in status.splitlines() if x.startswith("VmHWM"))
    assert text
    return cpu_ns, rss << 10, peak << 10


def under(host, folder, rate, seconds):
    recording = Recording(folder, [str(host), str(rate), str(seconds + 2 * WARM_UP_S)], "--quiet")
    agent = wait_for(
        lambda: next((p for p in recording.children() if command_line(p)[1:2] == ["agent"]), None)
    )
    time.sleep(WARM_UP_S)
    began, cpu, _ = time.monotonic(), cpu_and_rss(agent)[0], None
    time.sleep(seconds)
    after, rss, peak = cpu_and_rss(agent)
    wall_s = time.monotonic() - began
    sent = time.monotonic()
    outcome = recording.finish()
    made = int(outcome.stdout)
    rows = json.loads(
        subprocess.run(
            [executable(), "show", str(outcome.run.path), "data_loss", "--json"],
            check=True,
            capture_output=True,
        ).stdout
    )
    rows = rows["rows"] if isinstance(rows, dict) else rows
    lost = sum(row["count"] for row in rows if row["table"] == "slices" and row["count"] > 0)
    slices = sum(
        segment["rows"] for segment in outcome.run.manifest()["tables"]["slices"]["segments"]
    )
    stored = sum(
        segment["bytes"] for segment in outcome.run.manifest()["tables"]["slices"]["segments"]
    )
    assert 2 * slices + lost >= 2 * made - 1, (slices, lost, made)
    return {
        "records_per_s": rate,
        "agent_cpu_share": (after - cpu) / 1e9 / wall_s,
        "agent_rss_mib": rss / 2**20,
        "agent_peak_mib": peak / 2**20,
        "ranges": made,
        "lost_records": lost,
        "bytes_per_slice": stored / max(1, slices),
        "run_bytes": sum(f.stat().st_size for f in outcome.run.path.rglob("*") if f.is_file()),
        "close_s": time.monotonic() - sent - max(0.0, 2 * WARM_UP_S - WARM_UP_S),
    }


def bytes_an_hour(host, folder, seconds):
    """What a run at rest grows by: the slope between a short and a long one, so that what each run
    holds once does not count."""
    sizes = []
    for length in (seconds, 3 * seconds):
        place = folder / f"rest-{length}"
        place.mkdir()
        sizes.append(under(host, place, 0, length)["run_bytes"])
    return (sizes[1] - sizes[0]) / (2 * seconds) * 3600


def seconds_of(command, repeats):
    times = []
    for _ in range(repeats):
        began = time.monotonic()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.monotonic() - began)
    return statistics.median(times)


def added(folder, repeats=15):
    """Seconds that a program of nothing takes longer: begin, end and report together."""
    plain = seconds_of(["true"], repeats)
    recorded = seconds_of(
        [executable(), "run", "--no-report", "--folder", str(folder / "runs"), "--", "true"],
        repeats,
    )
    return recorded - plain


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--json")
    arguments = parser.parse_args()
    results = {"load": []}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        host = build_host(folder)
        for rate in (0, 100_000, 1_000_000):
            place = folder / str(rate)
            place.mkdir()
            one = under(host, place, rate, arguments.seconds)
            results["load"].append(one)
            print(
                f"{rate:>9} records/s: agent {100 * one['agent_cpu_share']:.2f} % of a core, "
                f"RSS {one['agent_rss_mib']:.1f} MiB (peak {one['agent_peak_mib']:.1f}), "
                f"lost {one['lost_records']} of {2 * one['ranges']} records, "
                f"{one['bytes_per_slice']:.1f} bytes a slice, closed in {one['close_s']:.2f} s"
            )
        results["bytes_an_hour"] = bytes_an_hour(host, folder, arguments.seconds)
        print(f"a run at rest grows by {results['bytes_an_hour'] / 1e6:.2f} MB an hour")
        results["added_s"] = added(folder)
        print(f"added to a program of nothing: {results['added_s']:.3f} s")
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(results, indent=1))
    lost = sum(one["lost_records"] for one in results["load"])
    sys.exit(f"agent_load_bench: {lost} records were lost; see the lines above" if lost else 0)


if __name__ == "__main__":
    main()
