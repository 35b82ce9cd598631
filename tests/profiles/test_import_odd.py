# SPDX-License-Identifier: Apache-2.0
"""Files that are legal, or nearly, and not as most writers write them: what they mean is kept."""

import json

import pytest
from imports import losses, manifest, rows, steptrace
from test_import_damage import CASES, document, event


def test_half_a_character_leaves_the_arguments_readable(tmp_path):
    path = tmp_path / "half.json"
    path.write_text(CASES["half_a_character_in_args"][0])
    steptrace("import", path, "-o", tmp_path / "run")
    (row,) = [row for row in rows(tmp_path / "run", "slices") if row["name"] == "op9"]
    assert json.loads(row["details"]) == {"a": "x\ufffd", "b": ["\ufffd"]}


@pytest.mark.parametrize(
    "base",
    [
        "1700000000000000123",
        '"1700000000000000123"',
        "1700000000000000123.0",
        "17000000000000001.23e2",
    ],
)
def test_the_base_is_exact_in_any_notation(tmp_path, base):
    path = tmp_path / "base.json"
    text = document([event(0, ts=5), event(1, ts=7)])
    path.write_text(text.replace('"traceEvents"', f'"baseTimeNanoseconds": {base}, "traceEvents"'))
    steptrace("import", path, "-o", tmp_path / "run")
    assert losses(tmp_path / "run") == {}
    assert manifest(tmp_path / "run")["epoch_utc_ns"] == 1_700_000_000_000_000_123 + 5_000


def test_device_work_without_a_pid_is_the_devices_of_its_arguments(tmp_path):
    kernels = [
        event(number, cat="kernel", name=f"k{number}", args={"device": device, "stream": 7}, **ids)
        for number, device, ids in (
            (0, 3, {"pid": 3, "tid": 7}),
            (1, 3, {"pid": "@", "tid": 7}),
            (2, 3, {"pid": "@", "tid": "@"}),
            (3, 4, {"pid": "@", "tid": 7}),
            (4, 4, {"pid": None, "tid": None}),
            (5, 3, {"pid": "GPU", "tid": "stream 7"}),
        )
    ]
    path = tmp_path / "null.json"
    path.write_text(document(kernels).replace('"@"', "null"))
    steptrace("import", path, "-o", tmp_path / "run")
    tracks = {row["track"]: row for row in rows(tmp_path / "run", "tracks")}
    placed = {
        row["name"]: (tracks[row["track"]]["device"], tracks[row["track"]]["stream"])
        for row in rows(tmp_path / "run", "slices")
    }
    assert {name: tuple(map(int, place)) for name, place in placed.items()} == {
        "k0": (3, 7),
        "k1": (3, 7),
        "k2": (3, 7),
        "k3": (4, 7),
        "k4": (4, 7),
        "k5": (3, 7),
    }


def test_texts_that_become_alike(tmp_path):
    """Latin-1, as `donn\u00e9es` and `donn\u00e8es`: other bytes, the same text once they are replaced."""
    path = tmp_path / "latin.json"
    text = document(
        [event(i, name=f"op@{i}", cat=f"cat@{i}", args={"k": f"v@{i}"}) for i in range(4)]
    ).encode()
    for i, byte in enumerate([b"\xe9", b"\xe8", b"\xff", "\ufffd".encode()]):
        text = text.replace(b"@%d" % i, byte)
    path.write_bytes(text)
    run = tmp_path / "run"
    steptrace("import", path, "-o", run)
    found = {(row["name"], row["category"], row["details"]) for row in rows(run, "slices")}
    assert found == {("op\ufffd", "cat\ufffd", '{"k":"v\ufffd"}')}
    assert losses(run) == {"invalid_utf8": 3}  # a name, a category, arguments: each text once
    steptrace("report", run)
    steptrace("export", run, "--format", "parquet", "-o", tmp_path / "tables")
