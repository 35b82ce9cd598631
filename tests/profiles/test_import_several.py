# SPDX-License-Identifier: Apache-2.0
"""Several profiles at once: the same one twice, ranks of a job, and profiles of unrelated jobs."""

import gzip
import json

import make_trace
import pytest
from few_events import ALL, document, names, sound, write
from imports import losses, manifest, steptrace

EVENT_TABLES = ("slices", "counters", "memory")


@pytest.mark.parametrize("whose", [" of rank 0", ""])
def test_the_same_profile_twice_is_taken_once(tmp_path, whose):
    trace = json.loads(make_trace.text(steps=1))
    if not whose:
        del trace["distributedInfo"]
    text = json.dumps(trace)
    write(tmp_path / "a.json", text)
    write(tmp_path / "a.json.gz", gzip.compress(text.encode()))
    done = steptrace("import", tmp_path / "a.json", tmp_path / "a.json.gz", "-o", tmp_path / "run")
    assert f"a.json.gz: the same profile{whose} as " in done.stderr
    assert [rank["rank"] for rank in manifest(tmp_path / "run")["ranks"]] == [0]
    assert losses(tmp_path / "run") == {"same_profile_twice": 1}
    told = manifest(tmp_path / "run")
    once = steptrace("import", tmp_path / "a.json", "-o", tmp_path / "once").stdout
    held = sum(told["tables"].get(name, {"rows": 0})["rows"] for name in EVENT_TABLES)
    assert done.stdout.split(": ")[1] == once.split(": ")[1]
    assert once.split(": ")[1].startswith(f"{held} rows from 1 file, 1 rank")
    again = steptrace("import", tmp_path / "a.json", tmp_path / "a.json", "-o", tmp_path / "again")
    assert again.stdout.split(": ")[1] == once.split(": ")[1]


@pytest.mark.parametrize(
    ("before", "after"),
    [('"dur": 5', '"dur": 4'), ('"op3"', '"op4"'), ('"External id": 3', '"External id": 4')],
)
def test_another_profile_of_the_same_bounds_is_no_double(tmp_path, before, after):
    of_rank = '"distributedInfo": {"rank": 0, "world_size": 1}, "traceEvents"'
    text = document(sound()).replace('"traceEvents"', of_rank)
    assert before in text
    write(tmp_path / "a.json", text)
    write(tmp_path / "b.json", text.replace(before, after, 1))
    steptrace("import", tmp_path / "a.json", tmp_path / "b.json", "-o", tmp_path / "run")
    assert losses(tmp_path / "run") == {"same_rank_twice": 1}
    assert len(names(tmp_path / "run")) == 2 * len(ALL)


def test_a_run_of_an_import_says_which_steptrace_made_it(tmp_path):
    write(tmp_path / "a.json", make_trace.text(steps=1))
    steptrace("import", tmp_path / "a.json", "-o", tmp_path / "run")
    version = steptrace("--version").stdout.split()[1]
    assert manifest(tmp_path / "run")["steptrace_version"] == version != ""


def test_the_same_rank_twice_is_told_apart(tmp_path):
    write(tmp_path / "a.json", make_trace.text(steps=1))
    write(tmp_path / "b.json", make_trace.text(steps=2))
    done = steptrace("import", tmp_path / "a.json", tmp_path / "b.json", "-o", tmp_path / "run")
    assert "b.json: rank 0 as" in done.stderr and "stored as rank 1" in done.stderr
    assert [rank["rank"] for rank in manifest(tmp_path / "run")["ranks"]] == [0, 1]
    assert losses(tmp_path / "run") == {"same_rank_twice": 1}


def test_profiles_of_two_jobs_are_refused_and_named(tmp_path):
    write(tmp_path / "a.json", make_trace.text(rank=0, ranks=2, steps=1))
    write(tmp_path / "b.json", make_trace.text(rank=1, ranks=2, steps=1))
    write(tmp_path / "c.json", make_trace.text(rank=2, ranks=4, steps=1))
    files = [tmp_path / name for name in ("a.json", "b.json", "c.json")]
    done = steptrace("import", *files, "-o", tmp_path / "run", ok=False)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert "profiles of 2 jobs" in done.stderr and "a.json and 1 more (2 ranks" in done.stderr
    assert not (tmp_path / "run").exists()
    steptrace("import", *files[:2], "-o", tmp_path / "run")


def test_both_files_of_a_jax_folder_are_one_profile(tmp_path):
    """JAX writes its trace a second time for Perfetto, without the metadata."""
    names = [{"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "/device:GPU:0"}}]
    names.append({"ph": "M", "pid": 701, "name": "process_name", "args": {"name": "/host:CPU"}})
    calls = [
        {
            "ph": "X",
            "pid": 701,
            "tid": 1,
            "ts": 1000.5 * i,
            "dur": 300.25,
            "name": "PjitFunction(f)",
        }
        for i in range(20)
    ]
    trace = {"displayTimeUnit": "ns", "traceEvents": names + calls}
    write(tmp_path / "perfetto_trace.json", json.dumps(trace))
    host = {"metadata": {"highres-ticks": True}, **trace}
    write(tmp_path / "host.trace.json", json.dumps(host))
    files = [tmp_path / "host.trace.json", tmp_path / "perfetto_trace.json"]
    done = steptrace("import", *files, "-o", tmp_path / "run")
    assert "the same profile" in done.stderr
    assert [rank["rank"] for rank in manifest(tmp_path / "run")["ranks"]] == [0]
