# SPDX-License-Identifier: Apache-2.0
"""Profiles of XLA, as JAX and TensorFlow write them in Chrome's format: lines are told by their
names, steps by the script's marks."""

import json

from profile_runs import imported, section, steptrace, table

STEPS = 4
STEP_NS = 20_000_000
MARK_NS = 18_000_000  # the loop takes 2 ms for the next batch, before the mark begins


def name(pid, text, tid=None):
    event = {"ph": "M", "pid": pid, "name": "process_name" if tid is None else "thread_name"}
    if tid is not None:
        event["tid"] = tid
    return {**event, "args": {"name": text}}


def row(pid, tid, begin_ns, dur_ns, text, **args):
    return {
        "ph": "X",
        "pid": pid,
        "tid": tid,
        "ts": begin_ns / 1000,
        "dur": dur_ns / 1000,
        "name": text,
        "args": args,
    }


def on_gpu():
    events = [
        name(1, "/device:GPU:0"),
        name(1, "Stream #14(MemcpyH2D)", 14),
        name(1, "Stream #15(Compute)", 15),
        name(1, "XLA Modules", 16),
        name(1, "XLA Ops", 17),
        name(701, "/host:CPU"),
        name(701, "python", 1),
        {},
    ]
    for step in range(STEPS):
        at = 1_000_000_000 + step * STEP_NS
        events.append(row(701, 1, at, MARK_NS, "train", step_num=str(step)))
        events.append(row(701, 1, at + 18_200_000, 1_500_000, "load_batch"))
        events.append(row(701, 1, at + 100_000, 300_000, "PjitFunction(step)"))
        copied = "kind_src:pinned kind_dst:device size:4096 dest:0 async:1"
        events.append(row(1, 14, at + 200_000, 500_000, "MemcpyH2D", memcpy_details=copied))
        module = {"hlo_module": "jit_step"}
        events.append(row(1, 15, at + 1_000_000, 9_000_000, "loop_fusion_7", **module))
        events.append(
            row(1, 15, at + 10_000_000, 2_000_000, "ncclDevKernel_AllReduce_Sum", **module)
        )
        events.append(row(1, 16, at + 1_000_000, 11_000_000, "jit_step(12)"))
        events.append(row(1, 17, at + 1_000_000, 9_000_000, "fusion.7"))
        events.append(row(1, 17, at + 10_000_000, 2_000_000, "all-reduce.1"))
    return events


def written(folder, events, file="vm.trace.json"):
    path = folder / file
    path.write_text(json.dumps({"displayTimeUnit": "ns", "traceEvents": events}))
    return path


def test_repeated_lines_count_once(tmp_path):
    run = imported(tmp_path, written(tmp_path, on_gpu()))
    (device,) = section(run, "devices")["devices"]["rows"]
    assert device["device"] == 0
    assert device["events"] == STEPS * 3
    assert sorted(one["stream"] for one in device["streams"]) == [14, 15]
    assert [(one["kind"], one["count"], one["bytes"]) for one in device["copies"]] == [
        ("HtoD", STEPS, STEPS * 4096)
    ]
    (rank,) = section(run, "distributed")["distributed"]["ranks"]
    assert rank["computation_ns"] == STEPS * 9_000_000
    assert rank["exposed_ns"] == STEPS * 2_000_000


def test_steps_are_those_that_the_script_marks(tmp_path):
    run = imported(tmp_path, written(tmp_path, on_gpu()))
    steps = [(int(row["step"]), int(row["dur_ns"])) for row in table(run, "steps", tmp_path)]
    assert steps == [(0, MARK_NS)] + [(step, STEP_NS) for step in range(1, STEPS)]
    loads = [row for row in table(run, "slices", tmp_path) if row["name"] == "load_batch"]
    assert [row["step"] for row in loads] == ["1", "2", "3", ""]
    assert {row["category"] for row in loads} == {"user_annotation"}


def test_a_loader_that_the_script_names_is_the_data_pipeline(tmp_path):
    events = [name(701, "/host:CPU"), name(701, "python", 1), name(701, "tf_XLAEigen/1", 2)]
    for step in range(12):
        at = 1_000_000_000 + step * STEP_NS
        events.append(row(701, 1, at, 19_990_000, "train", step_num=step))
        events.append(row(701, 1, at, 16_000_000, "load_batch"))
        events.append(row(701, 1, at + 1_000, 15_000_000, "$train.py:11 load_batch"))
        events.append(row(701, 1, at + 16_000_000, 200_000, "PjitFunction(step)"))
        operation = {"hlo_op": "dot.2", "hlo_module": "jit_step", "run_id": str(step)}
        events.append(row(701, 2, at + 16_200_000, 3_700_000, "dot.2", **operation))
    run = imported(tmp_path, written(tmp_path, events))
    (row_of_loader,) = {
        one["category"] for one in table(run, "slices", tmp_path) if "train.py(11)" in one["name"]
    }
    assert row_of_loader == "python_function"
    report = json.loads(steptrace("report", run, "--json"))
    verdict = report["verdict"]
    shares = {one["name"]: one["share"] for one in report["suspects"]["rows"]}
    assert verdict["suspect"] == "data_pipeline"
    assert abs(shares["data_pipeline"] - 0.8) < 0.01
    assert abs(shares["model"] - 0.195) < 0.01


def test_names_behind_the_rows_tell_the_same(tmp_path):
    events = on_gpu()
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
    late = [one for one in events if one.get("ph") == "X"] + events[:7]
    expected = imported(first, written(first, events))
    found = imported(second, written(second, late))
    for part in ("devices", "distributed"):
        assert section(found, part)[part] == section(expected, part)[part]


def test_both_files_that_jax_writes_are_one_profile(tmp_path):
    folder = tmp_path / "plugins" / "profile" / "2026_11_30_05_20_38"
    folder.mkdir(parents=True)
    written(folder, on_gpu(), "vm.trace.json")
    written(folder, on_gpu(), "perfetto_trace.json")
    run = imported(tmp_path, tmp_path / "plugins")
    assert {row["rank"] for row in table(run, "tracks", tmp_path)} == {"0"}
    assert len(table(run, "steps", tmp_path)) == STEPS
