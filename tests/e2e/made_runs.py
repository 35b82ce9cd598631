# SPDX-License-Identifier: Apache-2.0
"""Runs of any size, written as `src/store/FORMAT.md` says and not by the product: for limits.

python made_runs.py PATH TRACKS makes a run of so many tracks.
"""

import json
import sys
from pathlib import Path

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


if __name__ == "__main__":
    make_many_tracks(Path(sys.argv[1]), int(sys.argv[2]))
