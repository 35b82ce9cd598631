# SPDX-License-Identifier: Apache-2.0
"""`steptrace import` of Kineto profiles beside others that read them. Answers are checked: the number
of events, and the sum of their durations.

    one     a profile of 267 MB, as it is and gzipped: wall time, CPU, peak memory and stored bytes,
            beside json.load, the inflate library alone (ISA-L; zlib too), HTA and the .json.gz
    ranks   a folder of profiles of as many ranks, beside one of them

usage: import_bench.py [one|ranks]... [--mb MB] [--ranks N] [--rank-mb MB] [--rounds N] [--no-hta]

STEPTRACE_BIN names another executable. HTA comes into an environment of its own, build/hta, which is
made where it is missing. On a machine that does other things, too, read the CPU seconds.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
from hta_peer import hta_python  # noqa: E402
from process_cost import measure  # noqa: E402

MAKE_TRACE = ROOT / "tests" / "profiles" / "make_trace.py"
STEPTRACE = os.environ.get("STEPTRACE_BIN", ROOT / ".venv" / "bin" / "steptrace")
INFLATE = next(iter(sorted(ROOT.glob("build/*/bench/import/inflate_alone"), reverse=True)), None)

LOAD = """
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
whole = [e for e in events if e["ph"] == "X" and e["cat"] != "Trace"]
device = sum(e["cat"] in ("kernel", "gpu_memcpy", "gpu_memset") for e in whole)
print(json.dumps([len(events), len(whole), sum(round(e["dur"] * 1000) for e in whole), device]))
"""

STORED = """
import json, sys
import pyarrow.dataset as ds
table = ds.dataset(sys.argv[1]).to_table(columns=["dur_ns", "category"])
pairs = zip(table["dur_ns"].to_pylist(), table["category"].cast("string").to_pylist())
pairs = [(d, c) for d, c in pairs if c != "Trace"]
device = sum(c in ("kernel", "gpu_memcpy", "gpu_memset") for _, c in pairs)
print(json.dumps([len(pairs), sum(d for d, _ in pairs), device]))
"""

# zlib, in pieces, as most readers of .gz have it.
ZLIB = """
import sys, zlib
inflate, size = zlib.decompressobj(31), 0
with open(sys.argv[1], "rb") as file:
    while piece := file.read(1 << 20):
        size += len(inflate.decompress(piece))
print(size + len(inflate.flush()))
"""


def medians(rows):
    """Seconds by the clock and of CPU, the kernel's too; peak RSS in MiB."""
    costs = [(row.seconds, row.user_s + row.kernel_s, row.peak_mib) for row in rows]
    return [statistics.median(column) for column in zip(*costs)]


def line(what, gigabytes, rows):
    seconds, cpu, rss = medians(rows)
    print(
        f"{what:20} {seconds:6.2f} s {gigabytes / seconds:6.2f} GB/s; CPU {cpu:6.2f} s, of a core "
        f"{gigabytes / cpu:6.3f} GB/s; peak {rss:5.0f} MiB",
        flush=True,
    )
    return cpu


def stored(run):
    """Of the run's slices: how many, the sum of their durations, how many on devices."""
    return tuple(json.loads(measure([sys.executable, "-c", STORED, run / "tables" / "slices"])[0]))


def device_bytes(folder, run):
    """Bytes of the device's slices in a segment file of their own, encoded as the store does."""
    path = folder / "device.parquet"
    where = ["--where", "category = 'kernel'", "--format", "parquet", "-o", path]
    subprocess.run([STEPTRACE, "export", run, "--table", "slices", *where], check=True)
    return path.stat().st_size


def made(folder, megabytes, ranks):
    """Fills a folder with profiles of so many ranks; the first."""
    size = ["--bytes", int(megabytes * 1e6), "--ranks", ranks]
    measure([sys.executable, MAKE_TRACE, folder, *size])
    return folder / "rank0.pt.trace.json"


def imported(folder, name, path, rounds, wanted):
    """Rows of `measure`, and the last run."""
    rows = []
    for i in range(rounds):
        run = folder / f"run-{name}-{i}"
        rows.append(measure([STEPTRACE, "import", path, "-o", run]))
        if i == 0:
            assert stored(run) == wanted, (stored(run), wanted)
    return rows, run


def one(options, folder):
    profiles = folder / "one"
    profiles.mkdir()
    plain = made(profiles, options.mb, 1)
    packed = folder / "made.json.gz"
    subprocess.run(f"gzip -6 -c {plain} > {packed}", shell=True, check=True)
    loads = [measure([sys.executable, "-c", LOAD, plain]) for _ in range(options.rounds)]
    events, slices, dur_ns, on_device = json.loads(loads[0][0])
    gigabytes = plain.stat().st_size / 1e9
    print(
        f"{gigabytes * 1000:.0f} MB, {events} events, {packed.stat().st_size / 1e6:.1f} MB packed"
    )
    wanted = (slices, dur_ns, on_device)
    raw, run = imported(folder, "raw", plain, options.rounds, wanted)
    zipped, _ = imported(folder, "gz", packed, options.rounds, wanted)
    ours = line("import, raw", gigabytes, raw)
    line("import, gzip", gigabytes, zipped)
    load = line("json.load", gigabytes, loads)
    print(f"{'':20} json.load takes {load / ours:.1f} times the CPU")
    if INFLATE:
        alone = [measure([INFLATE, packed]) for _ in range(options.rounds)]
        assert int(alone[0][0].split()[0]) == plain.stat().st_size
        line("inflate alone", gigabytes, alone)
        share = medians(alone)[0] / medians(zipped)[0]
        print(f"{'':20} a gzipped import runs at {share:.0%} of its speed")
    zlib = [measure([sys.executable, "-c", ZLIB, packed]) for _ in range(options.rounds)]
    assert int(zlib[0][0]) == plain.stat().st_size
    line("zlib alone", gigabytes, zlib)
    share = medians(zlib)[0] / medians(zipped)[0]
    print(f"{'':20} a gzipped import runs at {share:.0%} of its speed")
    if options.hta:
        hta = [measure([hta_python(), Path(__file__).parent / "hta_load.py", profiles])]
        # It leaves out flows, what has no duration, and some of its own choice.
        assert 0.95 * slices <= int(hta[0][0]) <= 1.05 * slices, (hta[0][0], slices)
        cpu = line("HTA 0.5", gigabytes, hta)
        print(f"{'':20} HTA takes {cpu / ours:.1f} times the CPU")
    total = sum(f.stat().st_size for f in (run / "tables").rglob("*.parquet"))
    print(
        f"stored: {total / 1e6:.1f} MB, {total / slices:.2f} bytes a slice; device slices alone "
        f"{device_bytes(folder, run) / on_device:.2f} bytes each; "
        f".json.gz {packed.stat().st_size / slices:.2f} bytes a slice"
    )


def ranks(options, folder):
    profiles = folder / "ranks"
    profiles.mkdir()
    first = made(profiles, options.rank_mb, options.ranks)
    _, slices, dur_ns, on_device = json.loads(measure([sys.executable, "-c", LOAD, first])[0])
    gigabytes = first.stat().st_size / 1e9
    wanted = (slices, dur_ns, on_device)
    single, _ = imported(folder, "first", first, options.rounds, wanted)
    each = [json.loads(measure([sys.executable, "-c", LOAD, p])[0]) for p in profiles.iterdir()]
    all_wanted = tuple(sum(column) for column in list(zip(*each))[1:])
    many, _ = imported(folder, "all", profiles, options.rounds, all_wanted)
    print(f"{options.ranks} ranks of {gigabytes * 1000:.0f} MB")
    one_cpu = line("one rank", gigabytes, single)
    all_cpu = line(f"{options.ranks} ranks", gigabytes * options.ranks, many)
    print(f"{'':20} {all_cpu / one_cpu / options.ranks:.2f} times the CPU of one rank, a rank")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", default=["one", "ranks"], metavar="one|ranks")
    parser.add_argument("--mb", type=float, default=267)
    parser.add_argument("--ranks", type=int, default=64)
    parser.add_argument("--rank-mb", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-hta", dest="hta", action="store_false")
    options = parser.parse_args()
    for part in options.parts:
        with tempfile.TemporaryDirectory(prefix="steptrace-bench-") as name:
            {"one": one, "ranks": ranks}[part](options, Path(name))


if __name__ == "__main__":
    main()
