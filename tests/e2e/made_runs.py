# SPDX-License-Identifier: Apache-2.0
"""Runs of any size, written as `src/store/FORMAT.md` says and not by the product: for limits.

python made_runs.py PATH TRACKS makes a run of so many tracks, python made_runs.py PATH STEPS KERNELS
one of so many steps with so many kernels each.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

PART_ROWS = 1 << 17
TEXT = pa.dictionary(pa.int32(), pa.string())


class MadeRun:
    """A closed run of one rank, table by table."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.tables: dict[str, dict] = {}

    def add(self, name: str, table: pa.Table) -> None:
        """`table` holds all columns of that name's schema; slices by `ts_ns`."""
        parts = self.tables.setdefault(name, {"rows": 0, "absorbed": [], "segments": []})
        folder = Path("tables") / name / "node=0" / "rank=0"
        (self.path / folder).mkdir(parents=True, exist_ok=True)
        for begin in range(0, table.num_rows, PART_ROWS):
            part = table.slice(begin, PART_ROWS)
            file = folder / f"{len(parts['segments'])}.parquet"
            pq.write_table(part, self.path / file, compression="zstd", compression_level=1)
            segment = {
                "file": str(file),
                "node": 0,
                "rank": 0,
                "rows": part.num_rows,
                "bytes": (self.path / file).stat().st_size,
            }
            if "ts_ns" in part.column_names:
                segment["ts_min_ns"] = part["ts_ns"][0].as_py()
                segment["ts_max_ns"] = part["ts_ns"][-1].as_py()
            parts["segments"].append(segment)
            parts["rows"] += part.num_rows

    def close(self, end_ns: int) -> None:
        manifest = {
            "format": 1,
            "id": self.path.name,
            "name": self.path.name,
            "status": "completed",
            "command": ["made"],
            "epoch_utc_ns": 0,
            "epoch_monotonic_ns": 0,
            "end_ns": end_ns,
            "steptrace_version": "",
            "writer_pid": 1,
            "nodes": [
                {
                    "node": 0,
                    "host": "",
                    "cpus": None,
                    "memory_bytes": None,
                    "kernel": "",
                    "boot_id": "",
                    "clock": {
                        "source": "",
                        "ticks_per_ns": 0.0,
                        "uncertainty_ns": 0,
                        "monotonic_ns": 0,
                        "tsc": 0,
                    },
                }
            ],
            "ranks": [{"rank": 0, "node": 0, "local_rank": -1, "world_size": -1, "pid": 1}],
            "versions": {},
            "tables": self.tables,
        }
        (self.path / "run.json").write_text(json.dumps(manifest))


def tracks_table(count: int) -> pa.Table:
    """A process, and `count` threads of it: tracks 0 and 1 to `count`."""
    every = count + 1
    nulls = pa.nulls(every, pa.int64())
    return pa.table(
        {
            "track": pa.array(range(every), pa.int32()),
            "parent": pa.array([None] + [0] * count, pa.int32()),
            "kind": pa.array(["process"] + ["thread"] * count).cast(TEXT),
            "pid": pa.array([7] * every, pa.int64()),
            "tid": pa.array([None, *range(1, every)], pa.int64()),
            "device": nulls.cast(pa.int32()),
            "stream": nulls,
            "name": pa.array(["made"] + [f"line {i}" for i in range(1, every)]),
        }
    )


def slices_table(ts_ns: pa.Array, dur_ns: pa.Array, track: pa.Array, name: pa.Array) -> pa.Table:
    """Slices of no further properties; `name` is of dictionary type."""
    rows = len(ts_ns)
    empty = {
        column: pa.nulls(rows, pa.int64())
        for column in (
            "step",
            "correlation",
            "flow_out",
            "flow_in",
            "bytes",
            "group",
            "sequence",
            "external_id",
        )
    }
    none = pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), rows), [""])
    ops = pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), rows), ["cpu_op"])
    return pa.table(
        {
            "ts_ns": ts_ns,
            "dur_ns": dur_ns,
            "track": track,
            "name": name,
            "category": ops,
            "depth": pa.repeat(pa.scalar(0, pa.int32()), rows),
            **empty,
            "details": none,
            "args": pa.repeat(pa.scalar(""), rows),
        }
    )


def make_many_tracks(path: Path, tracks: int) -> None:
    """A run of so many threads of a slice each, the last one's named `needle`."""
    run = MadeRun(path)
    run.add("tracks", tracks_table(tracks))
    begins = pa.array(range(0, 1000 * tracks, 1000), pa.int64())
    numbers = pa.array(range(1, tracks + 1), pa.int32())
    names = pa.DictionaryArray.from_arrays(
        pa.array([0] * (tracks - 1) + [1], pa.int32()), ["op", "needle"]
    )
    run.add("slices", slices_table(begins, pa.repeat(pa.scalar(5000), tracks), numbers, names))
    run.close(1000 * tracks + 5000)


STEP_NS = 1_000_000
STEP_TIMES = [
    "data",
    "forward",
    "backward",
    "optimizer",
    "communication_phase",
    "checkpoint",
    "evaluation",
    "logging",
    "gc",
    "compile",
    "capture",
    "other_phase",
    "data_pipeline",
    "model",
    "communication",
    "framework_overhead",
    "other",
    "storage_read",
    "getitem",
    "collate",
    "receive",
    "cpu_shortage",
    "worker_start",
    "blocked_in_backward",
    "blocked_in_fetch",
]


def repeated(text: str, rows: int) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), rows), [text])


def steps_table(steps: int) -> pa.Table:
    """Steps one after the other, most of each spent waiting for data."""
    number = np.arange(steps)
    dur_ns = STEP_NS - number * 7919 % 50_000
    data_ns = dur_ns * 6 // 10
    times = dict.fromkeys(STEP_TIMES, np.zeros(steps, np.int64))
    times |= {"data": data_ns, "data_pipeline": data_ns, "getitem": data_ns}
    times |= {"forward": dur_ns - data_ns, "model": dur_ns - data_ns}
    one = np.ones(steps, np.int32)
    return pa.table(
        {
            "step": number,
            "ts_ns": number * STEP_NS,
            "dur_ns": dur_ns,
            "kind": repeated("train", steps),
            **{f"{name}_ns": values for name, values in times.items()},
            "operators_ns": pa.nulls(steps, pa.int64()),
            "dispatch_ns": pa.nulls(steps, pa.int64()),
            "batches": one,
            "backwards": one,
            "optimizer_steps": one,
            "waits": one,
            "starved_waits": one,
            "min_queue_depth": pa.nulls(steps, pa.int32()),
            "longest_user_range": repeated("", steps),
            "longest_user_range_ns": np.zeros(steps, np.int64),
        }
    )


def kernels_table(steps: int, kernels: int) -> pa.Table:
    """Of each step so many operators on track 1, a launch in each, and its kernel on track 2."""
    count = steps * kernels
    apart_ns = STEP_NS // kernels
    begin_ns = np.arange(count) * apart_ns
    begins = np.stack([begin_ns, begin_ns + 1, begin_ns + 100], axis=1).ravel()
    lasts = np.tile([apart_ns * 9 // 10, apart_ns // 10, apart_ns // 2], count)
    order = np.argsort(begins, kind="stable")
    tracks = np.tile(np.array([1, 1, 2], np.int32), count)
    which = np.tile(np.array([0, 1, 2], np.int32), count)
    # Some twenty of each kind.
    names = np.stack(
        [np.arange(count) % 20, np.full(count, 20), 21 + np.arange(count) % 20], axis=1
    )
    texts = [f"aten::op{i}" for i in range(20)] + ["cudaLaunchKernel"]
    texts += [f"kernel_{i}" for i in range(20)]
    numbers = np.repeat(np.arange(1, count + 1), 3)
    is_linked = which > 0
    text_array = pa.DictionaryArray.from_arrays(
        pa.array(names.ravel()[order].astype(np.int32)), texts
    )
    table = slices_table(
        pa.array(begins[order]), pa.array(lasts[order]), pa.array(tracks[order]), text_array
    )
    kinds = pa.DictionaryArray.from_arrays(
        pa.array(which[order]), ["cpu_op", "cuda_runtime", "kernel"]
    )
    linked = pa.array(numbers[order], mask=~is_linked[order])
    table = table.set_column(table.schema.get_field_index("category"), "category", kinds)
    return table.set_column(table.schema.get_field_index("correlation"), "correlation", linked)


def source_table() -> pa.Table:
    """That the slices are a profile's, all of them, as an import says it."""
    return pa.table(
        {
            "ts_ns": pa.array([0], pa.int64()),
            "pid": pa.array([0], pa.int64()),
            "kind": repeated("source", 1),
            "json": ['{"format":"kineto"}'],
        }
    )


def make_trained(path: Path, steps: int, kernels: int) -> None:
    """A run of so many steps, and of each so many kernels with their operators and launches."""
    run = MadeRun(path)
    tracks = tracks_table(2)
    kinds = pa.array(["process", "thread", "stream"]).cast(TEXT)
    streams = pa.array([None, None, 7], pa.int64())
    devices = pa.array([None, None, 0], pa.int32())
    for name, column in {"kind": kinds, "stream": streams, "device": devices}.items():
        tracks = tracks.set_column(tracks.schema.get_field_index(name), name, column)
    run.add("tracks", tracks)
    run.add("steps", steps_table(steps))
    if kernels > 0:
        run.add("slices", kernels_table(steps, kernels))
        run.add("run_metadata", source_table())
    run.close(steps * STEP_NS)


def make_dense(path: Path, tracks: int, slices: int) -> None:
    """A run of so many threads, each with so many slices with gaps between them."""
    run = MadeRun(path)
    run.add("tracks", tracks_table(tracks))
    begins = pa.array(np.repeat(np.arange(slices) * 1000, tracks))
    numbers = pa.array(np.tile(np.arange(1, tracks + 1, dtype=np.int32), slices))
    rows = tracks * slices
    run.add("slices", slices_table(begins, pa.repeat(400, rows), numbers, repeated("op", rows)))
    run.close(1000 * slices)


if __name__ == "__main__":
    if len(sys.argv) > 3:
        make_trained(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
    else:
        make_many_tracks(Path(sys.argv[1]), int(sys.argv[2]))
