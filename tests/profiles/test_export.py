# SPDX-License-Identifier: Apache-2.0
"""What `export` writes for viewers: read by independent readers, and imported again."""

import collections
import json
import pathlib
import struct
import sys
from decimal import Decimal

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from profile_runs import imported, made_ranks, shared, steptrace, table

REAL = [
    "a100_nccl_rank0of2.pt.trace.json.gz",
    "a100_event_sync_multistream.pt.trace.json.gz",
    "b200_vllm_eager.pt.trace.json.gz",
    "v100_resnet50_workers4.pt.trace.json.gz",
]


def rows_of(run, folder):
    """Slices with the ids of their tracks, by whatever number the run gives these."""
    tracks = {row["track"]: row for row in table(run, "tracks", folder)}
    rows = []
    for row in table(run, "slices", folder):
        track = tracks[row["track"]]
        where = tuple(track[key] for key in ("kind", "rank", "pid", "tid", "device", "stream"))
        if row["category"] == "Trace":  # the profiler's own marks stand on lines without numbers
            where = ()
        rows.append((int(row["ts_ns"]), int(row["dur_ns"]), row["name"], row["category"], *where))
    return rows


def moved_to_zero(rows):
    first = min(row[0] for row in rows)
    return collections.Counter((row[0] - first, *row[1:]) for row in rows)


def fields(data):
    """(number, value) of each field of a protobuf message; messages and texts as bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = varint()
        kind = key & 7
        if kind == 0:
            yield key >> 3, varint()
        elif kind == 1:
            yield key >> 3, struct.unpack_from("<Q", data, at)[0]
            at += 8
        elif kind == 2:
            size = varint()
            yield key >> 3, data[at : at + size]
            at += size
        else:
            raise AssertionError(f"wire type {kind}")


class Perfetto:
    """Tracks, slices, counters and flows, as google/perfetto's protos say how to read them."""

    def __init__(self, data):
        self.tracks = {}
        self.slices = []
        self.counters = []
        self.flows = collections.defaultdict(int)
        self.open = collections.defaultdict(list)
        self.interned = {}
        for number, packet in fields(data):
            assert number == 1
            self.packet(dict(fields(packet)))
        assert not any(self.open.values()), "slices that never end"

    def packet(self, packet):
        if 6 in packet:  # the run's epoch on the trace's clock
            clocks = [dict(fields(clock)) for _, clock in fields(packet[6])]
            self.epoch_ns = next(clock[2] for clock in clocks if clock[1] == 6)
        if packet.get(13, 0) & 1:
            self.interned = {}
        for kind, entry in fields(packet.get(12, b"")):
            entry = dict(fields(entry))
            self.interned[kind, entry[1]] = entry[2].decode()
        if 60 in packet:
            track = dict(fields(packet[60]))
            assert track[1] not in self.tracks, "a track is declared once"
            self.tracks[track[1]] = track
        if 11 in packet:
            self.event(packet[8], list(fields(packet[11])))

    def event(self, ts_ns, pairs):
        event = dict(pairs)
        track = event[11]
        assert track in self.tracks
        if event[9] == 1:
            for number, flow in pairs:
                self.flows[flow] += number == 47
            name, category = self.interned[2, event[10]], self.interned[1, event[3]]
            self.open[track].append((ts_ns, name, category))
        elif event[9] == 2:
            begin_ns, name, category = self.open[track].pop()
            assert begin_ns <= ts_ns
            if self.open[track]:
                assert self.open[track][-1][0] <= begin_ns
            self.slices.append((begin_ns - self.epoch_ns, ts_ns - begin_ns, name, category))
        elif event[9] == 4:
            self.counters.append((ts_ns, struct.unpack("<d", struct.pack("<Q", event[44]))[0]))


@pytest.mark.parametrize("name", [*REAL, None])
def test_chrome_comes_back_with_the_same_intervals(tmp_path, name):
    source = shared(name)[0] if name else made_ranks(tmp_path)[0]
    run = imported(tmp_path, source)
    path = tmp_path / "back.pt.trace.json"
    steptrace("export", run, "--format", "chrome", "-o", path)
    document = json.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
    times = [e[key] for e in document["traceEvents"] for key in ("ts", "dur") if key in e]
    assert all(-time.as_tuple().exponent == 3 for time in times)
    (tmp_path / "second").mkdir()
    back = imported(tmp_path / "second", path)
    assert moved_to_zero(rows_of(back, tmp_path)) == moved_to_zero(rows_of(run, tmp_path))
    flows = collections.Counter(e["ph"] for e in document["traceEvents"])
    assert flows["s"] > 0 and flows["f"] > 0


EVERY = [
    ["a100_event_sync_multistream.pt.trace.json.gz"],
    ["a100_nccl_rank0of2.pt.trace.json.gz"],
    ["a100_simple_add.pt.trace.json.gz"],
    ["b200_vllm_eager.pt.trace.json.gz"],
    ["mi300x_resnet_rank0of8.pt.trace.json.gz"],
    ["sampled_rank0of128.pt.trace.json.gz", "sampled_rank1of128.pt.trace.json.gz"],
    ["v100_ns_no_basetime.pt.trace.json.gz"],
    ["v100_resnet50_workers0.pt.trace.json.gz"],
    ["v100_resnet50_workers4.pt.trace.json.gz"],
    None,
]
TABLES = ["slices", "counters", "memory", "steps", "tracks"]


def places(run, folder):
    """What a track is, by its own words: its numbers are those of one run."""
    tracks = {row["track"]: row for row in table(run, "tracks", folder)}

    def place(number):
        if number not in tracks:
            return number
        row = dict(tracks[number])
        row.pop("track")
        row["parent"] = place(row["parent"])
        return tuple(sorted(row.items()))

    return {number: place(number) for number in tracks}


def content(run, folder):
    """Every column of every row, tracks by what they are."""
    place_of = places(run, folder)
    content = {"run_metadata": collections.Counter()}
    for name in TABLES:
        rows = table(run, name, folder)
        for row in rows:
            row["track"] = place_of.get(row.get("track"))
            row.pop("parent", None)
        content[name] = collections.Counter(tuple(row.items()) for row in rows)
    for row in table(run, "run_metadata", folder):
        if row["kind"] != "source":
            content["run_metadata"][tuple(row.items())] += 1
    return content


def figures(run):
    """The report, less what names this run and its import."""
    report = json.loads(steptrace("report", run, "--json"))
    for key in ("run", "data_loss", "notes"):
        report.pop(key)
    report["run_card"].pop("lines")  # they say what was imported
    report["run_card"].pop("imported_as")
    report["run_card"].pop("writers")
    return report


@pytest.mark.parametrize("names", EVERY, ids=lambda names: names[0][:12] if names else "made")
def test_perfetto_comes_back_as_the_same_run(tmp_path, names):
    run = imported(tmp_path, *(shared(*names) if names else made_ranks(tmp_path)))
    path = tmp_path / "out.pftrace"
    steptrace("export", run, "--format", "perfetto", "-o", path)
    (tmp_path / "second").mkdir()
    back = imported(tmp_path / "second", path)
    expected, found = content(run, tmp_path), content(back, tmp_path)
    for name, rows in expected.items():
        assert found[name] == rows, (name, list((rows - found[name]).items())[:3])
    assert sum(expected["slices"].values()) > 0
    assert figures(back) == figures(run)
    first, second = (json.loads((r / "run.json").read_text()) for r in (run, back))
    for key in ("epoch_utc_ns", "end_ns", "ranks"):
        assert first.get(key) == second.get(key), key


@pytest.mark.parametrize("names", EVERY, ids=lambda names: names[0][:12] if names else "made")
def test_chrome_comes_back_as_the_same_run(tmp_path, names):
    run = imported(tmp_path, *(shared(*names) if names else made_ranks(tmp_path)))
    path = tmp_path / ("back.pt.trace.json" if names and len(names) == 1 else "ranks")
    steptrace("export", run, "--format", "chrome", "-o", path)
    (tmp_path / "second").mkdir()
    back = imported(tmp_path / "second", path)
    expected, found = content(run, tmp_path), content(back, tmp_path)
    for name, rows in expected.items():
        if name == "run_metadata":  # the format tells ranks by one more
            assert not rows - found[name], name
            continue
        assert found[name] == rows, (name, list((rows - found[name]).items())[:3])
    assert figures(back) == figures(run)


# Of each column of `slices` an event that fills it; importers of other formats fill `args`.
FULL = [
    ("ProfilerStep#3", "user_annotation", 1, 100, 900, {}),
    ("aten::mm", "cpu_op", 1, 110, 50, {"External id": 5, "Sequence number": 9}),
    ("MmBackward0", "cpu_op", 1, 200, 50, {"External id": 6}),
    ("cudaLaunchKernel", "cuda_runtime", 1, 120, 5, {"correlation": 7, "External id": 5}),
    (
        "ncclDevKernel_AllReduce",
        "kernel",
        7,
        130,
        50,
        {
            "correlation": 7,
            "External id": 5,
            "bytes": 64,
            "queued": 3,
            "Seq": 2,
            "Process Group Name": "4",
        },
    ),
]


@pytest.mark.parametrize("form", ["chrome", "perfetto"])
def test_each_column_comes_back(tmp_path, form):
    events = [
        {
            "ph": "X",
            "pid": int(tid == 1),
            "tid": tid,
            "name": name,
            "cat": cat,
            "ts": ts,
            "dur": dur,
        }
        | {"args": args}
        for name, cat, tid, ts, dur, args in FULL
    ]
    for end, ts in (("s", 110), ("f", 200)):
        flow = {"ph": end, "cat": "fwdbwd", "name": "fwdbwd", "id": 8, "bp": "e"}
        events.append({**flow, "pid": 1, "tid": 1, "ts": ts})
    profile = tmp_path / "full.pt.trace.json"
    profile.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    run = imported(tmp_path, profile)
    rows = table(run, "slices", tmp_path)
    assert {name for name in rows[0] if all(row[name] == "" for row in rows)} <= {"args"}
    path = tmp_path / {"chrome": "back.pt.trace.json", "perfetto": "back.pftrace"}[form]
    steptrace("export", run, "--format", form, "-o", path)
    (tmp_path / "second").mkdir()
    back = imported(tmp_path / "second", path)
    assert content(back, tmp_path)["slices"] == content(run, tmp_path)["slices"]


def test_chrome_keeps_the_nodes(tmp_path):
    paths = made_ranks(tmp_path)
    for host, path in zip("ab", paths, strict=True):
        profile = json.loads(path.read_text())
        path.write_text(json.dumps({"host_name": f"host-{host}", **profile}))
    run = imported(tmp_path, *paths)
    steptrace("export", run, "--format", "chrome", "-o", tmp_path / "ranks")
    (tmp_path / "second").mkdir()
    back = imported(tmp_path / "second", tmp_path / "ranks")
    first, second = (json.loads((r / "run.json").read_text()) for r in (run, back))
    assert [node["host"] for node in first["nodes"]] == ["host-a", "host-b"]
    for key in ("nodes", "ranks"):
        assert first[key] == second[key], key
    assert figures(back) == figures(run)


@pytest.mark.parametrize("name", [*REAL, None])
def test_perfetto_holds_the_same_intervals(tmp_path, name):
    run = imported(tmp_path, *(shared(name) if name else made_ranks(tmp_path)))
    path = tmp_path / "out.pftrace"
    steptrace("export", run, "--format", "perfetto", "-o", path)
    read = Perfetto(path.read_bytes())
    expected = rows_of(run, tmp_path)
    steps = [
        (int(r["ts_ns"]), int(r["dur_ns"]), f"step {r['step']}", r["kind"])
        for r in table(run, "steps", tmp_path)
    ]
    assert collections.Counter(read.slices) == collections.Counter(
        [r[:4] for r in expected] + steps
    )
    launched = sum(1 for count in read.flows.values() if count >= 2)
    assert launched > 0
    memory = [r for r in table(run, "memory", tmp_path) if r["total_allocated_bytes"]]
    assert len(read.counters) == len(memory) + len(table(run, "counters", tmp_path))


def test_ranks_of_one_process_id_stay_apart(tmp_path):
    run = imported(tmp_path, *made_ranks(tmp_path))
    path = tmp_path / "out.pftrace"
    steptrace("export", run, "--format", "perfetto", "-o", path)
    processes = [
        dict(fields(track[3]))
        for track in Perfetto(path.read_bytes()).tracks.values()
        if 3 in track
    ]
    named = [process[6] for process in processes if process[6].startswith(b"rank")]
    assert sorted(named) == [b"rank 0", b"rank 1"]
    assert len({process[1] for process in processes}) == len(processes)


def test_chrome_of_several_ranks_is_a_folder_that_imports_again(tmp_path):
    run = imported(tmp_path, *made_ranks(tmp_path))
    steptrace("export", run, "--format", "chrome", "-o", tmp_path / "ranks")
    (tmp_path / "second").mkdir()
    back = imported(tmp_path / "second", tmp_path / "ranks")
    assert moved_to_zero(rows_of(back, tmp_path)) == moved_to_zero(rows_of(run, tmp_path))


def test_what_makes_no_sense_is_refused_in_one_line(tmp_path):
    run = imported(tmp_path, *made_ranks(tmp_path))
    for arguments, text in [
        (["--format", "perfetto", "--table", "slices", "-o", "x"], "--table"),
        (["--format", "chrome", "-o", "-"], "name a folder"),
        (["--format", "perfetto", "-o", tmp_path / "none" / "x"], "can be written"),
    ]:
        error = steptrace("export", run, *arguments, fails=True)
        assert text in error and error.count("\n") == 1, error
