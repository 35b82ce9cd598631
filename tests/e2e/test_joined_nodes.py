# SPDX-License-Identifier: Apache-2.0
"""A job on two nodes: a run each, joined into one. Both nodes are this machine; what makes two of
them is the boot that the runs name, and a clock that is ahead."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
import run_manifest
from fault_tools import LIMIT_S, executable, record
from test_live_collectives import TRAINING

pytestmark = pytest.mark.alone

AHEAD_NS = 250_000_000


def node_run(folder, rank, meeting):
    folder.mkdir()
    path = folder / "train.py"
    meet = f'init_process_group("gloo", init_method="file://{meeting}/store", rank={rank}, world_size=2)'
    assert 'init_process_group("gloo")' in TRAINING
    path.write_text(TRAINING.replace('init_process_group("gloo")', meet))
    env = {"OMP_NUM_THREADS": "1", "RANK": str(rank), "LOCAL_RANK": "0", "WORLD_SIZE": "2"}
    outcome = record(folder, [sys.executable, str(path), str(meeting)], env=env)
    assert outcome.status == 0, outcome.stderr
    return outcome.run.path


def on_another_machine(run):
    manifest = run_manifest.read(run)
    manifest["nodes"][0] |= {"boot_id": "another", "host": "node1"}
    manifest["epoch_utc_ns"] += AHEAD_NS
    run_manifest.write(run, manifest)


def steptrace(*words):
    return subprocess.run(
        [executable(), *map(str, words)], capture_output=True, text=True, timeout=LIMIT_S
    )


def test_two_nodes_are_one_job(tmp_path):
    meeting = tmp_path / "meeting"
    meeting.mkdir()
    with ThreadPoolExecutor(2) as pool:
        runs = list(pool.map(lambda rank: node_run(tmp_path / f"n{rank}", rank, meeting), range(2)))
    on_another_machine(runs[1])
    job = tmp_path / "job"
    done = steptrace("join", *runs, "-o", job)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(" rows, 2 nodes, 2 ranks\n")

    report = json.loads(steptrace("report", job, "--json").stdout)
    assert (report["run"]["nodes"], report["run"]["ranks"]) == (2, 2)
    section = report["distributed"]
    assert section["unmatched_count"] == 0
    assert section["collective_count"] == 53
    # The clock that is ahead shows in the collectives: none can end before the last has begun.
    (ahead,) = [row for row in section["clocks"] if row["offset_ns"] != 0]
    assert abs(abs(ahead["offset_ns"]) - AHEAD_NS) < 20e6
    blame = section["blame"][0]
    assert (blame["rank"], blame["cause"]) == (1, "data_wait")

    again = steptrace("join", *runs, "-o", job)
    assert (again.returncode, len(again.stderr.splitlines())) == (2, 1)
    twice = steptrace("join", runs[0], runs[0], "-o", tmp_path / "twice")
    assert twice.returncode == 2
    assert "the same run as" in twice.stderr
    assert not (tmp_path / "twice").exists()
