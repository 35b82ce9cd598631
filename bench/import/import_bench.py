# SPDX-License-Identifier: Apache-2.0
"""`steptrace import` of a Kineto profile of 267 MB, as it is and gzipped: speed, CPU, peak memory and
stored bytes, beside json.load, the inflate library alone and the .json.gz. The answer is checked: the
number of events, and the sum of their durations.

usage: import_bench.py [MB]     STEPTRACE_BIN names another executable
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "profiles"))
import make_trace  # noqa: E402

STEPTRACE = os.environ.get("STEPTRACE_BIN", ROOT / ".venv" / "bin" / "steptrace")
INFLATE = next(iter(sorted(ROOT.glob("build/*/bench/import/inflate_alone"), reverse=True)), None)
ROUNDS = 3
ON_DEVICE = {"kernel", "gpu_memcpy", "gpu_memset"}

LOAD = """
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
whole = [e for e in events if e["ph"] == "X" and e["cat"] != "Trace"]
device = sum(e["cat"] in ("kernel", "gpu_memcpy", "gpu_memset") for e in whole)
print(json.dumps([len(events), len(whole), sum(round(e["dur"] * 1000) for e in whole), device]))
"""


def measure(command):
    """(stdout, seconds, seconds of CPU, peak RSS in MiB) of a process and nothing else."""
    with tempfile.TemporaryFile() as out:
        started = time.perf_counter()
        child = subprocess.Popen([str(c) for c in command], stdout=out)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        assert child.returncode == 0, command
        out.seek(0)
        return out.read().decode(), seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def medians(rows):
    return [statistics.median(row[k] for row in rows) for k in (1, 2, 3)]


def stored(run):
    """Of the run's slices: how many, the sum of their durations; and the bytes of device slices' files."""
    import pyarrow.dataset as ds

    table = ds.dataset(run / "tables" / "slices").to_table(columns=["dur_ns", "category"])
    category = table["category"].cast("string").to_pylist()
    pairs = [(d, c) for d, c in zip(table["dur_ns"].to_pylist(), category) if c != "Trace"]
    return len(pairs), sum(d for d, _ in pairs), sum(c in ON_DEVICE for _, c in pairs)


def device_bytes(folder, run):
    """Bytes of the device's slices in a segment file of their own, encoded as the store does."""
    path = folder / "device.parquet"
    where = "category = 'kernel'"
    subprocess.run(
        [
            STEPTRACE,
            "export",
            run,
            "--table",
            "slices",
            "--where",
            where,
            "--format",
            "parquet",
            "-o",
            path,
        ],
        check=True,
    )
    return path.stat().st_size


def main():
    size = int(float(sys.argv[1]) * 1e6) if len(sys.argv) > 1 else 267_000_000
    with tempfile.TemporaryDirectory(prefix="steptrace-bench-") as name:
        folder = Path(name)
        plain = folder / "made.json"
        plain.write_text(make_trace.text(least_bytes=size))
        packed = folder / "made.json.gz"
        subprocess.run(f"gzip -6 -c {plain} > {packed}", shell=True, check=True)
        events, slices, dur_ns, on_device = json.loads(
            measure([sys.executable, "-c", LOAD, plain])[0]
        )
        gigabytes = plain.stat().st_size / 1e9
        print(
            f"{gigabytes * 1000:.0f} MB, {events} events, {packed.stat().st_size / 1e6:.1f} MB packed"
        )
        for what, path in (("import, raw", plain), ("import, gzip", packed)):
            rows = []
            for i in range(ROUNDS):
                run = folder / f"run-{path.name}-{i}"
                rows.append(measure([STEPTRACE, "import", path, "-o", run]))
            assert stored(run) == (slices, dur_ns, on_device), stored(run)
            seconds, cpu, rss = medians(rows)
            print(
                f"{what:20} {seconds:6.2f} s {gigabytes / seconds:6.2f} GB/s, of a core "
                f"{gigabytes / cpu:6.2f} GB/s, peak {rss:5.0f} MiB"
            )
        seconds, cpu, rss = medians(
            [measure([sys.executable, "-c", LOAD, plain]) for _ in range(ROUNDS)]
        )
        print(
            f"{'json.load':20} {seconds:6.2f} s {gigabytes / seconds:6.2f} GB/s{'':23}, peak {rss:5.0f} MiB"
        )
        if INFLATE:
            inflate = [measure([INFLATE, packed])[0].split() for _ in range(ROUNDS)]
            assert int(inflate[0][0]) == plain.stat().st_size
            seconds = statistics.median(float(row[1]) for row in inflate)
            print(f"{'inflate alone':20} {seconds:6.2f} s {gigabytes / seconds:6.2f} GB/s")
        total = sum(f.stat().st_size for f in (run / "tables").rglob("*.parquet"))
        print(
            f"stored: {total / 1e6:.1f} MB, {total / slices:.2f} bytes a slice; device slices alone "
            f"{device_bytes(folder, run) / on_device:.2f} bytes each; "
            f".json.gz {packed.stat().st_size / slices:.2f} bytes a slice"
        )


if __name__ == "__main__":
    main()
