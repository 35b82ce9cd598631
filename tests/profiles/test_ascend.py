# SPDX-License-Identifier: Apache-2.0
"""Profiles of Ascend NPUs: device work, collectives, steps and launches, as its profiler tells them
by the names of processes alone."""

import gzip
import json
from collections import Counter
from decimal import Decimal

import pytest
from ascend_profile import made, truth
from profile_runs import imported, section, table
from real_profiles import ASCEND


def test_times_of_devices_are_those_of_an_independent_count(tmp_path):
    profiles = [made(0), made(1, late_ns=50_000)]
    run = imported(tmp_path, *(profile.write(tmp_path) for profile in profiles))
    devices = section(run, "devices")["devices"]["rows"]
    assert [(one["rank"], one["device"]) for one in devices] == [(0, 0), (1, 1)]
    ranks = section(run, "distributed")["distributed"]["ranks"]
    for profile, rank in zip(profiles, ranks):
        true = truth(profile.events())
        assert rank["exposed_ns"] == true["exposed_ns"]
        assert rank["overlap_ns"] == true["overlap_ns"]
        assert rank["computation_ns"] + rank["overlap_ns"] == true["compute_ns"]


def test_tasks_of_a_collective_and_derived_rows_are_no_work_of_their_own(tmp_path):
    run = imported(tmp_path, made(0).write(tmp_path))
    categories = Counter(row["category"] for row in table(run, "slices", tmp_path))
    assert categories["kernel"] == 2 * 3  # two of a stream, one of HCCL
    assert categories["gpu_memcpy"] == 2
    assert categories["hccl_task"] == 2 * 2
    assert categories["npu_sync"] == 2
    assert categories["npu_figure"] == 2 * 2
    (device,) = section(run, "devices")["devices"]["rows"]
    assert device["events"] == 2 * 4


def test_collectives_of_two_ranks_find_each_other(tmp_path):
    run = imported(
        tmp_path, *(made(rank, late_ns=50_000 * rank).write(tmp_path) for rank in (0, 1))
    )
    distributed = section(run, "distributed")["distributed"]
    assert distributed["collective_count"] == 2
    for number, call in enumerate(distributed["collectives"]):
        assert (call["name"], call["group"], call["sequence"]) == ("all_reduce", "868", number)
        assert call["bytes"] == 1_000_000
        assert call["ranks"] == 2
        assert call["wait_ns"] == 50_000
        assert call["last_rank"] == 1


def test_launches_find_their_tasks_and_operators(tmp_path):
    run = imported(tmp_path, made(0).write(tmp_path))
    (device,) = section(run, "devices")["devices"]["rows"]
    (launches,) = device["launches"]
    assert launches["call"] == "HostToDevice"
    assert launches["calls"] == launches["device_events"] == 8
    assert launches["delay_ns"]["min"] == 20_000
    assert launches["delay_ns"]["max"] == 120_000
    assert device["without_launch"] == 0
    kernels = section(run, "kernels")["kernels"]["rows"]
    assert {(one["name"], launch["operator"]) for one in kernels for launch in one["launches"]} >= {
        ("aclnnMm_MatMulCommon_MatMulV2", "aten::mm"),
        ("aclnnInplaceAdd_Add", "aten::add_"),
    }


def test_steps_are_those_of_the_script(tmp_path):
    run = imported(tmp_path, made(0).write(tmp_path))
    steps = table(run, "steps", tmp_path)
    assert [(int(row["step"]), int(row["dur_ns"])) for row in steps] == [
        (50, 1_000_000),
        (51, 1_000_000),
    ]
    for row in table(run, "slices", tmp_path):
        if row["category"] in ("kernel", "gpu_memcpy"):
            assert row["step"] in ("50", "51")


def test_names_that_come_behind_the_rows_tell_the_same(tmp_path):
    profile = made(0)
    first, second = tmp_path / "first", tmp_path / "second"
    expected = imported(first, profile.write(first))
    profile.named, profile.flows = [], [*profile.flows, *profile.named]
    path = second / "trace_view.json"
    second.mkdir()
    path.write_text(json.dumps(profile.events()))
    found = imported(second, path)
    for name in ("devices", "distributed"):
        assert section(found, name)[name] == section(expected, name)[name]


def test_what_msprof_wrote_of_the_same_device_is_the_same_profile(tmp_path):
    profile = made(0)
    path = profile.write(tmp_path)
    beside = path.parents[1] / "PROF_000001" / "mindstudio_profiler_output" / "msprof_1.json"
    beside.parent.mkdir(parents=True)
    beside.write_text(json.dumps([*profile.named, *profile.device]))
    run = imported(tmp_path, path.parents[1])
    (device,) = section(run, "devices")["devices"]["rows"]
    assert device["events"] == 2 * 4
    assert {row["rank"] for row in table(run, "tracks", tmp_path)} == {"0"}
    (loss,) = [
        row for row in table(run, "data_loss", tmp_path) if row["cause"] == "same_profile_twice"
    ]
    assert "msprof_1.json: the same device work as in" in loss["detail"]


@pytest.mark.parametrize("rank", (0, 1))
def test_a_real_profile_has_the_figures_of_its_own_profiler(tmp_path, rank):
    folder = ASCEND / f"rank{rank}_ascend_pt"
    if not folder.exists():
        pytest.skip(f"{folder}: no such profile here")
    (path,) = folder.rglob("trace_view.json.gz")
    with gzip.open(path) as file:
        events = json.loads(file.read(), parse_float=Decimal)
    true = truth(events)
    run = imported(tmp_path, folder)
    (device,) = section(run, "devices")["devices"]["rows"]
    (times,) = section(run, "distributed")["distributed"]["ranks"]
    assert device["device"] == rank
    assert times["exposed_ns"] == true["exposed_ns"]
    assert times["computation_ns"] + times["overlap_ns"] == true["compute_ns"]
    own = Counter()
    for event in events:
        if event["ph"] == "X" and event["name"] in ("Computing", "Communication(Not Overlapped)"):
            own[event["name"]] += event["dur"] * 1000
    # Its own pieces are rounded each.
    assert times["exposed_ns"] == pytest.approx(
        float(own["Communication(Not Overlapped)"]), abs=500
    )
    assert true["compute_ns"] == pytest.approx(float(own["Computing"]), abs=500)
