# SPDX-License-Identifier: Apache-2.0
"""What is imported is what the profile says, to the nanosecond."""

import collections
import gzip
import json
import tarfile
import zipfile

import kineto_reference as reference
import make_trace
import pytest
from imports import losses, manifest, rows, steptrace
from real_profiles import KINETO

DIALECTS = ["2021", "absolute", "base"]


def whole(text):
    return None if text == "" else int(text)


def stored_slices(run, rank):
    tracks = {row["track"]: row for row in rows(run, "tracks") if int(row["rank"]) == rank}
    for row in rows(run, "slices"):
        if int(row["rank"]) != rank:
            continue
        track = tracks[row["track"]]
        if track["kind"] == "stream":
            place = ("device", track["device"], track["stream"])
        else:
            place = ("host", track["pid"], track["tid"])
        yield (
            row,
            reference.Slice(
                int(row["ts_ns"]),
                int(row["dur_ns"]),
                row["name"],
                row["category"],
                place,
                whole(row["correlation"]),
                whole(row["external_id"]),
                whole(row["sequence"]),
                whole(row["bytes"]),
            ),
        )


def check_equal(run, rank, trace, epoch):
    """Every complete event of the profile is stored once, and nothing else but instants."""
    expected = collections.Counter()
    for event in reference.slices(trace):
        if event.category != "Trace":
            expected[event._replace(ts=event.ts - epoch)] += 1
    stored = collections.Counter()
    for row, event in stored_slices(run, rank):
        if row["category"] not in ("Trace", "instant"):
            stored[event] += 1
    assert stored == expected
    wanted = sorted(event._replace(ts=event.ts - epoch) for event in reference.memory(trace))
    kept = sorted(
        reference.Memory(
            int(r["ts_ns"]),
            int(r["device"]),
            int(r["address"]),
            int(r["bytes"]),
            whole(r["total_allocated_bytes"]),
            whole(r["total_reserved_bytes"]),
        )
        for r in rows(run, "memory")
        if int(r["rank"]) == rank
    )
    assert [tuple(map(str, m)) for m in kept] == [tuple(map(str, m)) for m in wanted]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_event_is_stored_exactly(tmp_path, dialect):
    path = tmp_path / "made.json"
    path.write_text(make_trace.text(steps=3, dialect=dialect))
    steptrace("import", path, "-o", tmp_path / "run")
    trace = reference.load(path)
    epoch = reference.epoch([trace])
    check_equal(tmp_path / "run", 0, trace, epoch)
    base = make_trace.BASE_NS if dialect == "base" else 0
    assert manifest(tmp_path / "run")["epoch_utc_ns"] == base + epoch
    assert losses(tmp_path / "run") == {}


@pytest.mark.skipif(
    not KINETO.is_dir(), reason=f"{KINETO} is not there: real profiles are not checked"
)
@pytest.mark.parametrize(
    "name",
    [
        "a100_event_sync_multistream",
        "a100_nccl_rank0of2",
        "a100_simple_add",
        "b200_vllm_eager",
        "mi300x_resnet_rank0of8",
        "sampled_rank0of128",
        "sampled_rank1of128",
        "v100_ns_no_basetime",
        "v100_resnet50_workers0",
        "v100_resnet50_workers4",
    ],
)
def test_real_profiles_are_stored_exactly(tmp_path, name):
    path = KINETO / f"{name}.pt.trace.json.gz"
    steptrace("import", path, "-o", tmp_path / "run")
    trace = reference.load(path)
    rank = trace.get("distributedInfo", {}).get("rank", 0)
    check_equal(tmp_path / "run", rank, trace, reference.epoch([trace]))


def test_details_and_flows(tmp_path):
    path = tmp_path / "made.json"
    path.write_text(make_trace.text(steps=1))
    steptrace("import", path, "-o", tmp_path / "run")
    stored = rows(tmp_path / "run", "slices")
    linear = [row for row in stored if row["name"] == "aten::linear"]
    assert json.loads(linear[0]["details"]) == {
        "Fwd thread id": 0,
        "Input Dims": [[64, 512], [512, 512]],
    }
    kernel = next(row for row in stored if row["name"].startswith("ncclDevKernel"))
    assert json.loads(kernel["details"])["Process Group Name"] == "0"
    assert "stream" not in json.loads(kernel["details"])
    assert sorted(int(row["flow_out"]) for row in linear) == list(range(1, 13))
    backward = [row for row in stored if row["name"] == "AddmmBackward0"]
    assert sorted(int(row["flow_in"]) for row in backward) == list(range(1, 13))
    runtime = next(row for row in stored if row["category"] == "cuda_runtime")
    assert (runtime["depth"], linear[0]["depth"]) == ("2", "1")


def test_ranks_of_a_folder_share_one_epoch(tmp_path):
    folder = tmp_path / "traces"
    folder.mkdir()
    for rank in range(3):  # names tell nothing: the content does
        (folder / f"{'cab'[rank]}.json").write_text(make_trace.text(rank=rank, ranks=3))
    steptrace("import", folder, "-o", tmp_path / "run")
    run = manifest(tmp_path / "run")
    assert [rank["rank"] for rank in run["ranks"]] == [0, 1, 2]
    assert [rank["world_size"] for rank in run["ranks"]] == [3, 3, 3]
    traces = {name: reference.load(folder / f"{name}.json") for name in "cab"}
    epoch = reference.epoch(traces.values())
    for rank, name in enumerate("cab"):
        check_equal(tmp_path / "run", rank, traces[name], epoch)


def test_ranks_by_name_where_the_content_is_silent(tmp_path):
    for rank in (3, 11):
        (tmp_path / f"trace_rank{rank}.json").write_text(make_trace.text(rank=rank, dialect="2021"))
    paths = [tmp_path / "trace_rank3.json", tmp_path / "trace_rank11.json"]
    steptrace("import", *paths, "-o", tmp_path / "run")
    assert [rank["rank"] for rank in manifest(tmp_path / "run")["ranks"]] == [3, 11]


def tables(run):
    names = ["tracks", "slices", "memory", "counters", "run_metadata", "data_loss"]
    return {name: rows(run, name) for name in names}


def test_packed_forms_hold_the_same(tmp_path):
    folder = tmp_path / "traces"
    folder.mkdir()
    for rank in range(2):
        (folder / f"r{rank}.json").write_text(make_trace.text(rank=rank, ranks=2))
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as archive:
        archive.add(folder, "traces")
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.iterdir()):
            archive.write(path, path.name)
    packed = tmp_path / "packed"
    packed.mkdir()
    for path in folder.iterdir():
        text = path.read_bytes()
        half = len(text) // 2  # two members: gzip files may be joined
        (packed / path.name).write_bytes(gzip.compress(text[:half]) + gzip.compress(text[half:]))
    wanted = None
    for source in (folder, tmp_path / "a.tar.gz", tmp_path / "a.zip", packed):
        run = tmp_path / f"run-{source.name}"
        steptrace("import", source, "-o", run)
        found = tables(run)
        found.pop("run_metadata")  # name the file
        wanted = wanted or found
        assert found == wanted, source


def test_the_same_file_gives_the_same_tables(tmp_path):
    path = tmp_path / "made.json"
    path.write_text(make_trace.text(steps=20))
    for run in ("one", "two"):
        steptrace("import", path, "-o", tmp_path / run)
    assert tables(tmp_path / "one") == tables(tmp_path / "two")


def test_report_of_a_file_and_of_its_run_agree(tmp_path):
    path = tmp_path / "made.json.gz"
    path.write_bytes(gzip.compress(make_trace.text(steps=8).encode()))
    runs = tmp_path / "runs"
    first = json.loads(steptrace("report", path, "--json", "--folder", runs).stdout)
    path.unlink()
    (run,) = runs.iterdir()
    again = json.loads(steptrace("report", run, "--json").stdout)
    assert first == again
    assert first["steps"]["count"] == 8


def test_a_file_is_imported_once_until_it_changes(tmp_path):
    """`report FILE` again and again is one run; `import` makes one each time."""
    path, runs = tmp_path / "made.json", tmp_path / "runs"
    path.write_text(make_trace.text(steps=2))

    def report(*more):
        done = steptrace("report", path, "--json", "--folder", runs, *more)
        return json.loads(done.stdout), done.stderr

    first, told = report()
    assert "imported as" in told
    again, told = report()
    assert again == first and "unchanged since it was imported as" in told
    assert len(list(runs.iterdir())) == 1
    path.write_text(make_trace.text(steps=3))
    changed, told = report()
    assert "unchanged" not in told and len(list(runs.iterdir())) == 2
    assert changed["steps"]["count"] == 3 and first["steps"]["count"] == 2
    report("--max-depth", "64")  # other limits may read it otherwise
    assert len(list(runs.iterdir())) == 3
    steptrace("import", path, "--folder", runs)
    assert len(list(runs.iterdir())) == 4
    for run in runs.iterdir():
        assert json.loads((run / "import.json").read_text())["files"][0]["path"] == str(path)


def test_a_report_of_a_file_leaves_nothing_in_the_working_directory(tmp_path, monkeypatch):
    """Its run lies in the user's cache, private, and serves a copy of the file too."""
    here, elsewhere, cache = (tmp_path / name for name in ("here", "elsewhere", "cache"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    for folder in (here, elsewhere):
        folder.mkdir()
        (folder / "made.json").write_text(make_trace.text(steps=2))
    first = steptrace("report", "made.json", "--json", cwd=here)
    assert [path.name for path in here.iterdir()] == ["made.json"]
    (run,) = (cache / "steptrace" / "imports").iterdir()
    assert f"imported into the cache, as {run}" in first.stderr
    for folder in (run, run.parent):
        assert folder.stat().st_mode & 0o777 == 0o700
    again = steptrace("report", "made.json", "--json", cwd=elsewhere)
    assert again.stdout == first.stdout
    assert f"unchanged since it was imported as {run}" in again.stderr


def test_a_notebook_names_a_run_that_stays(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "made.json").write_text(make_trace.text(steps=2))
    done = steptrace("report", "made.json", "--notebook", "made.ipynb", cwd=tmp_path)
    assert "imported as steptrace-runs/made" in done.stderr
    assert str(tmp_path / "steptrace-runs" / "made") in (tmp_path / "made.ipynb").read_text()


def test_a_cache_that_others_may_write_to_is_not_used(tmp_path, monkeypatch):
    cache = tmp_path / "cache" / "steptrace" / "imports"
    cache.mkdir(parents=True)
    cache.chmod(0o770)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "made.json").write_text(make_trace.text(steps=2))
    done = steptrace("report", "made.json", cwd=tmp_path)
    assert "imported as steptrace-runs/made" in done.stderr
    assert list(cache.iterdir()) == []


def test_without_a_cache_it_lies_with_the_other_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("STEPTRACE_CACHE_MB", "0")
    (tmp_path / "made.json").write_text(make_trace.text(steps=2))
    assert (
        "imported as steptrace-runs/made" in steptrace("report", "made.json", cwd=tmp_path).stderr
    )


def test_a_run_that_lost_files_does_not_answer_for_a_profile_that_is_whole(tmp_path):
    path, runs = tmp_path / "made.json", tmp_path / "runs"
    path.write_text(make_trace.text(steps=2))

    def report():
        done = steptrace("report", path, "--json", "--folder", runs)
        return json.loads(done.stdout), done.stderr

    first, _ = report()
    for table in ("steps", "slices"):
        for file in (runs / "made" / "tables" / table).rglob("*.parquet"):
            file.unlink()
    again, told = report()
    assert "unchanged" not in told and len(list(runs.iterdir())) == 2
    assert again["steps"] == first["steps"] and again["verdict"] == first["verdict"]
    assert "unchanged since it was imported as" in report()[1]


def test_chrome_events(tmp_path):
    events = [
        {"ph": "B", "name": "outer", "cat": "a", "pid": 1, "tid": 2, "ts": 10},
        {"ph": "B", "name": "inner", "cat": "a", "pid": 1, "tid": 2, "ts": 12.5},
        {"ph": "E", "pid": 1, "tid": 2, "ts": 13.25},
        {"ph": "E", "pid": 1, "tid": 2, "ts": 20},
        {"ph": "E", "pid": 1, "tid": 2, "ts": 21},
        {"ph": "B", "name": "never ended", "pid": 1, "tid": 3, "ts": 22},
        {"ph": "b", "name": "async", "cat": "net", "id": "0x2a", "pid": 1, "tid": 2, "ts": 11},
        {"ph": "e", "name": "async", "cat": "net", "id": "0x2a", "pid": 1, "tid": 5, "ts": 31},
        {"ph": "i", "name": "now", "pid": 1, "tid": 2, "ts": 15, "s": "t"},
        {"ph": "C", "name": "load", "pid": 1, "ts": 16, "args": {"value": 2.5}},
        {"ph": "C", "name": "mem", "pid": 1, "ts": 17, "args": {"a": 1, "b": 3}},
        {"ph": "s", "name": "flow", "cat": "f", "id": 9, "pid": 1, "tid": 2, "ts": 12.75},
        {"ph": "M", "name": "thread_name", "pid": 1, "tid": 2, "args": {"name": "worker"}},
    ]
    path = tmp_path / "chrome.json"
    path.write_text(json.dumps(events)[:-1])  # not closed, which Chrome allows
    run = tmp_path / "run"
    steptrace("import", path, "-o", run)
    found = {row["name"]: row for row in rows(run, "slices")}
    times = {
        name: (int(r["ts_ns"]), int(r["dur_ns"]), int(r["depth"])) for name, r in found.items()
    }
    assert times == {
        "outer": (0, 10_000, 0),
        "inner": (2_500, 750, 1),
        "async": (1_000, 20_000, 0),
        "now": (5_000, 0, 1),
    }
    assert found["inner"]["flow_out"] == "9"
    assert losses(run) == {"begin_without_end": 1, "end_without_begin": 1, "date_unknown": 1}
    tracks = {row["track"]: row["name"] for row in rows(run, "tracks")}
    assert sorted((tracks[r["track"]], float(r["value"])) for r in rows(run, "counters")) == [
        ("load", 2.5),
        ("mem.a", 1.0),
        ("mem.b", 3.0),
    ]
    assert tracks[found["outer"]["track"]] == "worker"


def test_ranges_joined_by_an_id_of_a_process_or_of_all(tmp_path):
    """`id2` says whose the number is; the ranges overlap, so that order alone joins them wrongly."""

    def edge(ph, name, ts, pid, **id2):
        return {"ph": ph, "cat": "ipc", "name": name, "pid": pid, "tid": 2, "ts": ts, "id2": id2}

    events = [
        edge("b", "one", 10, 1, local="0x1"),
        edge("b", "other process", 11, 2, local="0x1"),
        edge("b", "two", 12, 1, local="0x2"),
        edge("b", "across", 13, 1, **{"global": "0x1"}),
        edge("e", "one", 15, 1, local="0x1"),
        edge("e", "two", 18, 1, local="0x2"),
        edge("e", "across", 24, 2, **{"global": "0x1"}),
        edge("e", "other process", 30, 2, local="0x1"),
    ]
    (tmp_path / "chrome.json").write_text(json.dumps(events))
    steptrace("import", tmp_path / "chrome.json", "-o", tmp_path / "run")
    found = rows(tmp_path / "run", "slices")
    assert {row["name"]: (int(row["ts_ns"]), int(row["dur_ns"])) for row in found} == {
        "one": (0, 5_000),
        "other process": (1_000, 19_000),
        "two": (2_000, 6_000),
        "across": (3_000, 11_000),
    }
    assert losses(tmp_path / "run") == {"date_unknown": 1}


def test_a_run_that_exists_stays(tmp_path):
    path = tmp_path / "made.json"
    path.write_text(make_trace.text(steps=1))
    steptrace("import", path, "-o", tmp_path / "run")
    before = (tmp_path / "run" / "run.json").read_bytes()
    failed = steptrace("import", path, "-o", tmp_path / "run", ok=False)
    assert failed.returncode == 2 and "exists already" in failed.stderr
    assert (tmp_path / "run" / "run.json").read_bytes() == before


def test_a_run_is_tables_and_a_manifest(tmp_path):
    path = tmp_path / "made.json"
    path.write_text(make_trace.text(steps=200))
    steptrace("import", path, "-o", tmp_path / "run")
    stored = rows(tmp_path / "run", "slices")
    text = path.read_text()
    assert len(stored) == text.count('"ph": "X"') + text.count('"Record Window End"')
    assert sorted(p.name for p in (tmp_path / "run").iterdir()) == [
        "import.json",
        "manifest",
        "run.json",
        "tables",
    ]
