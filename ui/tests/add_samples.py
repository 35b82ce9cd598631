# SPDX-License-Identifier: Apache-2.0
"""A run with sampled stacks: another run and the tables `stacks` and `samples` beside its own, as FORMAT.md of
src/store has them.   usage: add_samples.py RUN NEW

The training thread waits in `next` all the time; of a worker's samples six in ten are in a function whose name is
markup, two in `read` (waiting), two in its loop.
"""

import pathlib
import shutil
import sys

import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tests"))

import run_manifest

PERIOD_NS = 10_000_000
TEXT = pa.dictionary(pa.int32(), pa.string())
HOSTILE = "<img src=x onerror=\"document.title='owned'\">decode"

FRAMES = [  # parent, kind, function, file, line
    (None, "python", "main", "/job/train.py", 9),
    (0, "python", "next", "/venv/lib/python3.11/site-packages/torch/utils/data/dataloader.py", 100),
    (None, "python", "loop", "/venv/lib/python3.11/site-packages/torch/utils/data/worker.py", 3),
    (2, "python", HOSTILE, "/job/data sets/<b>.py", 41),
    (3, "native", "jpeg_decode", "/usr/lib/libjpeg.so.8", 0),
    (2, "python", "read", "/job/data sets/<b>.py", 50),
]
WORKER = [(4, "running")] * 6 + [(5, "waiting")] * 2 + [(2, "running")] * 2


def stacks():
    columns = list(zip(*FRAMES, strict=True))
    return pa.table(
        {
            "stack": pa.array(range(len(FRAMES)), pa.int32()),
            "parent": pa.array(columns[0], pa.int32()),
            "kind": pa.array(columns[1]).cast(TEXT),
            "function": pa.array(columns[2]).cast(TEXT),
            "file": pa.array(columns[3]).cast(TEXT),
            "line": pa.array(columns[4], pa.int32()),
        }
    )


def main_threads(run):
    """Tracks of the threads that processes began with, by the kind of their process."""
    rows = [
        r
        for path in sorted(run.glob("tables/tracks/**/*.parquet"))
        for r in pq.read_table(path).to_pylist()
    ]
    kinds = {row["track"]: row["kind"] for row in rows}
    threads = {}
    for row in rows:
        if row["kind"] == "thread" and row["tid"] == row["pid"]:
            threads.setdefault(kinds[row["parent"]], []).append(row["track"])
    return threads


def samples(threads, end_ns):
    rows = []
    for number, ts in enumerate(range(0, end_ns, PERIOD_NS)):
        rows += [(ts, track, 1, "waiting") for track in threads["process"]]
        rows += [(ts, track, *WORKER[number % len(WORKER)]) for track in threads["worker"]]
    ts, track, stack, state = zip(*rows, strict=True)
    return pa.table(
        {
            "ts_ns": pa.array(ts, pa.int64()),
            "track": pa.array(track, pa.int32()),
            "stack": pa.array(stack, pa.int32()),
            "state": pa.array(state).cast(TEXT),
            "interval_ns": pa.array([PERIOD_NS] * len(rows), pa.int64()),
        }
    )


def segment(run, name, table, times=None):
    file = f"tables/{name}/node=0/0.parquet"
    path = run / file
    path.parent.mkdir(parents=True)
    pq.write_table(table, path, compression="zstd")
    part = {"file": file, "node": 0, "rows": table.num_rows, "bytes": path.stat().st_size}
    if times:
        part.update(ts_min_ns=times[0], ts_max_ns=times[-1])
    return {"rows": table.num_rows, "absorbed": 0, "segments": [part]}


def main():
    run, new = map(pathlib.Path, sys.argv[1:])
    shutil.copytree(run, new)
    manifest = run_manifest.read(new)
    manifest["name"] = "training sampled"
    sampled = samples(main_threads(new), manifest["end_ns"])
    for name, table, times in (
        ("stacks", stacks(), None),
        ("samples", sampled, sampled["ts_ns"].to_pylist()),
    ):
        shutil.rmtree(new / "tables" / name, ignore_errors=True)
        manifest["tables"][name] = segment(new, name, table, times)
    (new / "report.json").unlink(missing_ok=True)
    run_manifest.write(new, manifest)


if __name__ == "__main__":
    main()
