# SPDX-License-Identifier: Apache-2.0
"""SageMaker Debugger's output: what is imported is what the files say, to the nanosecond."""

import collections
import gzip
import json
import marshal
import os
import shutil

import pytest
import sagemaker_reference as reference
from imports import losses, manifest, rows, steptrace
from real_profiles import SAGEMAKER as REAL

needs_real = pytest.mark.skipif(not REAL.exists(), reason=f"{REAL}: real profiles are absent")


def imported(tmp_path, *sources):
    run = tmp_path / "run"
    steptrace("import", *sources, "-o", run)
    return run


def stored_samples(run):
    epoch = manifest(run)["epoch_utc_ns"]
    hosts = {node["node"]: node["host"] for node in manifest(run)["nodes"]}
    tracks = {row["track"]: row for row in rows(run, "tracks")}
    for row in rows(run, "counters"):
        track = tracks[row["track"]]
        device = int(track["device"]) if track["device"] else None
        yield reference.Sample(
            hosts[int(track["node"])],
            track["name"],
            device,
            int(row["ts_ns"]) + epoch,
            float(row["value"]),
        )


def stored_events(run):
    epoch = manifest(run)["epoch_utc_ns"]
    for row in rows(run, "slices"):
        step = int(row["step"]) if row["step"] else None
        yield reference.Event(row["name"], int(row["ts_ns"]) + epoch, int(row["dur_ns"]), step)


def line(name, dimension, value, timestamp, kind="cpu", node="algo-1"):
    return (
        f'{{"Type":"{kind}","Name":"{name}","Dimension":"{dimension}","Value":{value},'
        f'"NodeId":"{node}","Timestamp":{timestamp}}}\n'
    )


def job(folder):
    """A job of two nodes in Debugger's own layout: 40 steps of PyTorch, waiting for data most of the time."""
    for node in ("algo-1", "algo-2"):
        system = folder / "profiler-output" / "system" / "incremental" / "2020092714"
        system.mkdir(parents=True, exist_ok=True)
        text = ""
        for tick in range(20):
            at = f"16012149{60 + tick // 2:02}.{5 * (tick % 2)}0000{tick}"
            for core in range(4):
                text += line(f"cpu{core}", "CPUUtilization", f"{tick}.{core}5", at, node=node)
                text += line(f"cpu{core}", "I/OWaitPercentage", "0.5", at, node=node)
            text += line("gpu0", "GPUUtilization", 5 + tick, at, "gpu", node)
            text += line("gpu0", "GPUMemoryUtilization", 40, at, "gpu", node)
            text += line("MemoryUsedPercent", "", "6.18", at, "memory", node)
            text += line("ReceiveBytesPerSecond", "Algorithm", "66775126.66", at, "network", node)
            text += line("IOPS", "", "12.5", at, "i/o", node)
        (system / f"1601214960.{node}.json").write_text(text)
        pevents = folder / "profiler-output" / "framework" / "pevents" / "2020092714"
        pevents.mkdir(parents=True, exist_ok=True)
        objects = [meta(0, start_time_since_epoch_in_micros=1601214960000000)]
        lines = ["Step:ModeKeys.TRAIN", "Forward", "Backward(post-forward)", "DataLoaderIter"]
        objects += [meta(i + 1, name=name) for i, name in enumerate(lines)]
        at = 1000
        for step in range(40):
            wait = 300_000 if step % 2 else 200_000
            objects.append(event("DataLoaderIter", 4, at, wait, pid=77))
            at += wait
            objects.append(event(lines[0], 1, at, 100_000, step_num=str(step), pid=77))
            objects.append(event("Forward", 2, at, 40_000, pid=77))
            objects.append(event("Backward(post-forward)", 3, at + 40_000, 60_000, pid=77))
            at += 100_000
        text = "[\n" + ",\n".join(json.dumps(one) for one in objects) + "\n]\n"
        (pevents / f"1601214999000000_77-{node}_pythontimeline.json").write_text(text)
    return folder


def meta(line_id, **args):
    return {"name": "process_name", "ph": "M", "pid": line_id, "args": args}


def event(name, line_id, ts, dur, **args):
    return {"name": name, "pid": line_id, "ph": "X", "ts": ts, "dur": dur, "args": args}


def files(folder, pattern):
    return sorted(path for path in folder.rglob(pattern) if path.is_file())


def check_samples(run, paths):
    expected = collections.Counter()
    for path in paths:
        for sample in reference.samples(path)[0]:
            expected[sample] += 1
    own = [s for s in stored_samples(run) if not s.metric.startswith("cpu.")]
    assert collections.Counter(own) == expected
    return expected


def test_a_job_of_two_nodes_is_one_run(tmp_path):
    folder = job(tmp_path / "job")
    run = imported(tmp_path, folder)
    assert [node["host"] for node in manifest(run)["nodes"]] == ["algo-1", "algo-2"]
    assert [(rank["rank"], rank["node"], rank["pid"]) for rank in manifest(run)["ranks"]] == [
        (0, 0, 77),
        (1, 1, 77),
    ]
    check_samples(run, files(folder, "*.algo-?.json"))
    expected = collections.Counter()
    for path in files(folder, "*_pythontimeline.json"):
        expected.update(reference.events(path)[0])
    assert collections.Counter(stored_events(run)) == expected
    assert losses(run) == {}


def test_the_node_is_the_mean_of_its_cores(tmp_path):
    folder = job(tmp_path / "job")
    run = imported(tmp_path, folder)
    for node in ("algo-1", "algo-2"):
        found = reference.samples(files(folder, f"*.{node}.json")[0])[0]
        means = {
            s.ts: s.value
            for s in stored_samples(run)
            if s.metric == "cpu.busy_share" and s.node == node
        }
        assert means == reference.core_means(found)
        assert len(means) == 20


def test_steps_last_from_mark_to_mark(tmp_path):
    run = imported(tmp_path, job(tmp_path / "job"))
    steps = sorted((int(row["rank"]), int(row["step"]), row) for row in rows(run, "steps"))
    assert [(rank, step) for rank, step, _ in steps] == [(r, s) for r in (0, 1) for s in range(40)]
    for _, step, row in steps[1:40]:
        wait = 300_000_000 if step % 2 else 200_000_000
        assert int(row["dur_ns"]) == 100_000_000 + wait
        assert (int(row["data_ns"]), int(row["forward_ns"]), int(row["backward_ns"])) == (
            wait,
            40_000_000,
            60_000_000,
        )
        assert int(row["data_pipeline_ns"]) + int(row["model_ns"]) == int(row["dur_ns"])


def test_the_report_of_a_job_has_system_lines_and_a_verdict(tmp_path):
    run = imported(tmp_path, job(tmp_path / "job"))
    report = json.loads(steptrace("report", run, "--json").stdout)
    metrics = {(row["node"], row["metric"]) for row in report["system"]["rows"]}
    assert {(0, "cpu.busy_share"), (1, "gpu.utilization_share")} <= metrics
    assert report["verdict"]["status"] == "found"
    assert report["verdict"]["suspect"] == "data_pipeline"
    text = steptrace("report", run).stdout
    body, commands = text.split("More: ")  # a command that names the run's path is not cut
    assert max(map(len, body.splitlines())) <= 80
    # As it is typed in the folder where it is read, if that is shorter.
    assert str(run) in commands or os.path.relpath(run) in commands


def test_a_damaged_file_is_used_as_far_as_it_goes(tmp_path):
    good = line("cpu0", "CPUUtilization", 5, "1601214960.5")
    text = (
        good
        + "nonsense\n"
        + line("cpu0", "CPUUtilization", "NaN", "1601214961.5")
        + line("cpu0", "CPUUtilization", "-19.61", "1601214962.5")
        + line("cpu0", "CPUUtilization", 7, "Infinity")
        + good[:40]
    )
    (tmp_path / "1601214960.algo-1.json").write_text(text)
    run = imported(tmp_path, tmp_path / "1601214960.algo-1.json")
    assert losses(run) == {
        "line_damaged": 1,
        "value_not_a_number": 1,
        "bad_timestamp": 1,
        "value_out_of_range": 1,
        "file_cut_off": 1,
    }
    assert [s.value for s in stored_samples(run) if s.metric == "core.busy_share"] == [
        0.05,
        -0.1961,
    ]


def test_a_timeline_that_was_killed_is_read_to_its_end(tmp_path):
    text = (
        '[\n{"name":"process_name","ph":"M","pid":1,"args":{"name":"allreduce.w"}},\n'
        '{"ph":"B","name":"NEGOTIATE_ALLREDUCE","ts":100,"pid":1},\n'
        '{"ph":"B","name":"inner","ts":110,"pid":1},\n{"ph":"E","ts":120.25,"pid":1},\n'
        '{"ph":"X","name":"bro\n{"ph":"i","name":"CYCLE_START","ts":130,"s":"g"},\n{"ph":"E","t'
    )
    (tmp_path / "timeline.json").write_text(text)
    run = imported(tmp_path, tmp_path / "timeline.json")
    found = {(row["name"], int(row["dur_ns"])) for row in rows(run, "slices")}
    assert found == {("inner", 10_250), ("CYCLE_START", 0)}
    counted = losses(run)
    assert (counted["damaged_event"], counted["file_cut_off"], counted["begin_without_end"]) == (
        1,
        1,
        1,
    )


def test_the_same_file_twice_is_read_once(tmp_path):
    folder = job(tmp_path / "job")
    path = files(folder, "*.algo-1.json")[0]
    shutil.copy(path, folder / "copy.json")
    run = imported(tmp_path, folder)
    check_samples(run, files(folder, "*.algo-?.json"))
    assert losses(run) == {"same_profile_twice": 1}


def test_a_python_profile_is_kept_by_function(tmp_path):
    folder = (
        tmp_path
        / "cprofile"
        / "151-algo-1"
        / ("train-9-stepstart-1601214960000001_train-9-stepend-1601214960500001")
    )
    folder.mkdir(parents=True)
    stats = {
        ("train.py", 3, "main"): (1, 2, 0.25, 0.5, {}),
        ("~", 0, "<built-in>"): (
            3,
            3,
            8e-06,
            8e-06,
            {("train.py", 3, "main"): (3, 3, 8e-06, 8e-06)},
        ),
    }
    (folder / "python_stats").write_bytes(marshal.dumps(stats))
    run = imported(tmp_path, folder / "python_stats")
    check_python_profile(run, folder / "python_stats")
    (slice_,) = rows(run, "slices")
    assert (slice_["category"], int(slice_["dur_ns"]), slice_["step"]) == (
        "python_profile",
        500_000_000,
        "9",
    )


def check_python_profile(run, path):
    name = path.parent.name
    found = {}
    for row in rows(run, "run_metadata"):
        fact = json.loads(row["json"])
        if row["kind"] != "python_function" or fact["profile"] != name:
            continue

        def numbers(one):
            return (one["calls"], one["primitive_calls"], one["self_ns"], one["total_ns"])

        def key(one):
            return (one["file"], one["line"], one["function"])

        callers = {key(one): numbers(one) for one in fact["callers"]}
        found[key(fact)] = (*numbers(fact), callers)
    assert found == reference.python_functions(path)


@pytest.mark.parametrize(
    "content, cause",
    [(b"\x00\x01", "binary"), (b"[1,2,3]", "JSON"), (b"", "empty"), (b"hello", "text")],
)
def test_what_is_no_profile_is_refused(tmp_path, content, cause):
    path = tmp_path / "x.json"
    path.write_bytes(content)
    done = steptrace("import", path, "-o", tmp_path / "run", ok=False)
    assert done.returncode == 2
    assert cause in done.stderr and len(done.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "run").exists()


@needs_real
def test_real_system_metrics(tmp_path):
    run = imported(tmp_path, REAL / "test_traces" / "system")
    expected = check_samples(run, files(REAL / "test_traces" / "system", "*.json"))
    assert sum(expected.values()) == 78


@needs_real
def test_a_real_file_that_is_cut_off(tmp_path):
    path = REAL / "1591160699.algo-1.json.corrupt"
    run = imported(tmp_path, path)
    check_samples(run, [path])
    assert reference.samples(path)[1] == 1
    assert losses(run) == {"line_damaged": 1}  # the half line has a line end


@needs_real
@pytest.mark.parametrize(
    "folder",
    ["merge_traces", "model_timeline_traces", "test_traces/framework", "horovod_timeline_traces"],
)
def test_real_framework_events(tmp_path, folder):
    run = imported(tmp_path, REAL / folder)
    expected, unclosed = collections.Counter(), 0
    for path in files(REAL / folder, "*.json"):
        found, open_ranges = reference.events(path)
        expected.update(found)
        unclosed += open_ranges
    assert sum(expected.values()) > 0
    assert collections.Counter(stored_events(run)) == expected
    assert losses(run).get("begin_without_end", 0) == unclosed


@needs_real
@pytest.mark.parametrize(
    "name", ["horovod_timeline_small.json", "tfprofiler_local_missing_metadata"]
)
def test_real_timelines_without_a_date(tmp_path, name):
    run = imported(tmp_path, REAL / name)
    paths = files(REAL / name, "*.gz") if (REAL / name).is_dir() else [REAL / name]
    found = [e for path in paths for e in reference.events(path)[0]]
    first = min(e.ts for e in found)
    stored = collections.Counter(
        e._replace(ts=e.ts - manifest(run)["epoch_utc_ns"]) for e in stored_events(run)
    )
    assert stored == collections.Counter(e._replace(ts=e.ts - first) for e in found)
    assert losses(run)["date_unknown"] == 1


@needs_real
def test_a_real_tensorflow_timeline_and_python_profiles(tmp_path):
    folder = REAL / "tfprofiler_timeline_traces"
    run = imported(tmp_path, folder)
    (metadata,) = files(folder, "*.metadata")
    base_us = int(metadata.name.split("_")[1])
    (timeline,) = files(folder, "*.gz")
    expected = collections.Counter(reference.events(timeline, base_us)[0])
    stored = collections.Counter(e for e in stored_events(run) if e.name != "Python profile")
    assert stored == expected
    for path in files(folder, "python_stats"):
        check_python_profile(run, path)
    assert {rank["pid"] for rank in manifest(run)["ranks"]} == {80807, 151}


@needs_real
def test_the_whole_real_folder_is_one_run(tmp_path):
    run = imported(tmp_path, REAL)
    hosts = [node["host"] for node in manifest(run)["nodes"]]
    assert "algo-1" in hosts and "b88ab1bb8259" in hosts
    counted = losses(run)
    assert counted["same_profile_twice"] == 1  # 1591160699.algo-1.json
    assert counted["line_damaged"] == 1
    unique = set()
    for path in [
        *files(REAL / "test_traces" / "system", "*.json"),
        REAL / "1591160699.algo-1.json.corrupt",
    ]:
        unique.update(reference.samples(path)[0])
    own = [s for s in stored_samples(run) if not s.metric.startswith("cpu.")]
    assert sorted(own, key=str) == sorted(unique, key=str)


@needs_real
def test_importing_again_without_the_source_reports_the_same(tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(REAL / "merge_traces", copy)
    run = imported(tmp_path, copy)
    first = steptrace("report", run, "--json").stdout
    shutil.rmtree(copy)
    assert steptrace("report", run, "--json").stdout == first


@needs_real
def test_packed_files_are_read_as_plain_ones(tmp_path):
    path = REAL / "1591160699.algo-1.json"
    packed = tmp_path / "metrics.json.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    check_samples(imported(tmp_path, packed), [path])
