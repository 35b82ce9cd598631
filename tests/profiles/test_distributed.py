# SPDX-License-Identifier: Apache-2.0
"""The distributed section on made and real profiles, against distributed_reference.py."""

import json
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import distributed_reference as reference
from profile_runs import event, imported, made_ranks, section, shared, steptrace

TIMES = ("total_ns", "computation_ns", "overlap_ns", "exposed_ns", "other_ns")


def check_times(row, rank):
    assert {key: row[key] for key in TIMES} == rank.times()


def check_blame(distributed):
    """Whatever was blamed, in total and in parts, is what was waited."""
    waited = sum(rank["wait_ns"] for rank in distributed["ranks"])
    assert distributed["wait_ns"] == waited
    assert sum(row["caused_wait_ns"] for row in distributed["blame"]) == waited
    for row in distributed["blame"]:
        assert sum(waiter["wait_ns"] for waiter in row["waiters"]) == row["caused_wait_ns"]
        assert sum(part["ns"] for part in row["parts"]) == row["caused_wait_ns"]
        assert row["before_step_ns"] + row["in_step_ns"] == row["caused_wait_ns"]


def test_made_ranks(tmp_path):
    paths = made_ranks(tmp_path)
    distributed = section(imported(tmp_path, *paths), "distributed")["distributed"]
    ranks = [reference.Rank(path) for path in paths]
    pairs, expected = reference.compare(*ranks)
    assert len(pairs) == distributed["collective_count"] == 3
    for row, rank in zip(distributed["ranks"], ranks):
        check_times(row, rank)
        assert {key: row[key] for key in expected[rank.rank]} == expected[rank.rank]
    assert distributed["wait_ns"] == 3 * 250
    check_blame(distributed)
    (blame,) = distributed["blame"]
    assert (blame["rank"], blame["cause"]) == (1, "data_wait")
    collective = distributed["collectives"][0]
    assert collective["transfer_ns"] == 440
    assert collective["algorithm_bytes_per_s"] == pytest.approx(
        float(reference.bandwidth(250, 4, 440, 1)), rel=1e-12
    )


def test_sampled_ranks_of_128(tmp_path):
    paths = shared("sampled_rank0of128.pt.trace.json.gz", "sampled_rank1of128.pt.trace.json.gz")
    distributed = section(imported(tmp_path, *paths), "distributed")["distributed"]
    ranks = [reference.Rank(path) for path in paths]
    pairs, expected = reference.compare(*ranks)
    assert distributed["status"] == "found"
    assert distributed["world_size"] == 128
    assert distributed["collective_count"] == len(pairs) == distributed["incomplete_count"]
    assert distributed["unmatched_count"] == sum(len(r.calls) for r in ranks) - 2 * len(pairs)
    assert not distributed["clocks_corrected"]
    for row, rank in zip(distributed["ranks"], ranks):
        check_times(row, rank)
        assert {key: row[key] for key in expected[rank.rank]} == expected[rank.rank]
    check_blame(distributed)


@pytest.mark.parametrize(
    ("name", "size"),
    [("a100_nccl_rank0of2.pt.trace.json.gz", 2), ("mi300x_resnet_rank0of8.pt.trace.json.gz", 8)],
)
def test_one_rank_of_several(tmp_path, name, size):
    (path,) = shared(name)
    run = imported(tmp_path, path)
    distributed = section(run, "distributed")["distributed"]
    rank = reference.Rank(path)
    assert distributed["reason"]["id"] == "one_rank"
    assert f"1 of {size} ranks" in distributed["reason"]["text"]
    assert distributed["blame"] == []
    (row,) = distributed["ranks"]
    check_times(row, rank)
    assert (
        row["collectives"] == len(rank.calls) == sum(o["calls"] for o in distributed["operations"])
    )
    communication = sum(call["to"] - call["from"] for call in rank.calls)
    assert row["unmatched_ns"] == communication
    assert sum(o["total_ns"] for o in distributed["operations"]) == communication
    text = steptrace("report", run, "--section", "distributed")
    assert all(len(line) <= 80 for line in text.splitlines())
    assert "waiting cannot be computed" in " ".join(text.split())


def test_sizes_of_the_a100s_collectives(tmp_path):
    (path,) = shared("a100_nccl_rank0of2.pt.trace.json.gz")
    distributed = section(imported(tmp_path, path), "distributed")["distributed"]
    rank = reference.Rank(path)
    sizes = {"Float": 4, "Long": 8, "Int": 4}
    for operation in distributed["operations"]:
        assert operation["group"] == "0"
        calls = [
            call
            for call in rank.calls
            if call["what"] == operation["name"]
            and call["args"]["dtype"] == operation["dtype"]
            and max(call["args"]["In msg nelems"], call["args"]["Out msg nelems"])
            * sizes[call["args"]["dtype"]]
            == operation["bytes"]
        ]
        total = sum(call["to"] - call["from"] for call in calls)
        assert (len(calls), total) == (operation["calls"], operation["total_ns"])
        per_s = float(reference.bandwidth(operation["bytes"] * len(calls), 1, total, 1))
        assert operation["algorithm_bytes_per_s"] == pytest.approx(per_s, rel=1e-12)
        assert operation["bandwidth_holds_wait"]


def test_the_whole_report_blames_as_its_section_does(tmp_path):
    """The late rank's time and cause, as JSON and section have them, in the text's table of ranks."""
    run = imported(tmp_path, *made_ranks(tmp_path))
    blamed = section(run, "distributed")["distributed"]["blame"]
    assert json.loads(steptrace("report", run, "--json"))["distributed"]["blame"] == blamed
    text = steptrace("report", run)
    cells = {
        b["rank"]: f"{b['caused_wait_ns']} ns ({b['cause'].replace('_', ' ')})" for b in blamed
    }
    assert cells and all(b["caused_wait_ns"] < 1000 for b in blamed)
    rows = [line for line in text.splitlines() if line.startswith("  rank ")]
    assert len(rows) == 2
    for line in rows:
        assert line.endswith(cells.get(int(line.split()[1]), "   -")), line


def test_ranks_whose_collectives_ran_on_the_host(tmp_path):
    """Of several groups a profile does not tell whose gloo's collectives are: the section says so."""
    groups = [{"pg_name": "0", "ranks": [0, 1]}, {"pg_name": "1", "ranks": [0]}]
    paths = []
    for rank in (0, 1):
        where = {"pid": 50 + rank, "tid": 51}
        call = event("user_annotation", "gloo:all_reduce", 100, 900 + rank, where)
        job = {"backend": "gloo", "rank": rank, "world_size": 2, "pg_config": groups}
        paths.append(tmp_path / f"rank{rank}.json")
        document = {"schemaVersion": 1, "distributedInfo": job, "traceEvents": [call]}
        paths[-1].write_text(json.dumps(document))
    run = imported(tmp_path, *paths)
    assert (
        section(run, "distributed")["distributed"]["status"] == "found"
    )  # the steps of its ranks tell
    text = " ".join(steptrace("report", run, "--section", "distributed").split())
    assert "no communication kernels in the profile" in text
    assert "gloo" in text and "`steptrace run`" in text
    assert "import the profiles of all ranks" not in text


def test_text_of_two_ranks_fits_the_page(tmp_path):
    run = imported(tmp_path, *made_ranks(tmp_path))
    text = steptrace("report", run, "--section", "distributed")
    assert all(len(line) <= 80 for line in text.splitlines()), text
    assert "data wait" in text
    json.loads(steptrace("report", run, "--json"))
