# SPDX-License-Identifier: Apache-2.0
"""What is damaged is named and counted, the rest is used; what is refused leaves nothing."""

import bz2
import gzip
import io
import json
import lzma
import os
import tarfile
import zipfile

import make_trace
import pytest
from few_events import ALL, EVENTS, document, event, names, sound, write
from imports import losses, manifest, rows, steptrace


def with_event(text):
    events = sound()
    return document([*events[:3], text, *events[3:]])


# text -> names that are stored, losses
CASES = {
    "cut_off_in_an_event": (document(sound())[:-60], ALL[:-1], {"file_cut_off": 1}),
    "cut_off_between_events": (document(sound())[:-4] + ",\n", ALL, {"file_cut_off": 1}),
    "cut_off_after_the_events": (document(sound())[:-2], ALL, {"file_cut_off": 1}),
    "text_after_the_end": (document(sound(), "INFO: done\n"), ALL, {"text_after_end": 11}),
    "log_line_between_events": (
        with_event("{}").replace("{},", 'INFO:2024 "x" [1], done\n'),
        ALL,
        {"foreign_text": 1},
    ),
    "not_a_number_in_args": (
        with_event(event(9).replace('"External id": 9', '"a": NaN, "b": -Infinity, "c": N/A')),
        [*ALL, "op9"],
        {"not_a_number": 3},
    ),
    "not_a_number_as_time": (
        with_event(event(9, ts="N/A").replace('"N/A"', "N/A")),
        ALL,
        {"bad_timestamp": 1},
    ),
    "no_time": (with_event(event(9, ts=None)), ALL, {"bad_timestamp": 1}),
    "time_beyond_int64": (with_event(event(9, ts=10**30)), ALL, {"bad_timestamp": 1}),
    "duplicate_keys": (
        with_event(event(9).replace('"pid": 1', '"pid": 7, "pid": 1')),
        [*ALL, "op9"],
        {"duplicate_key": 1},
    ),
    "duplicate_keys_in_args": (
        with_event(event(9).replace('"External id": 9', '"a": 1, "a": 2')),
        [*ALL, "op9"],
        {"duplicate_key": 1},
    ),
    "unescaped_quote": (
        with_event(event(9, name="a @ b").replace(" @ ", ' "x" ')),
        ALL,
        {"damaged_event": 1},
    ),
    "control_character_in_a_name": (
        with_event(event(9, name="op9").replace('"op9"', '"op9\n"')),
        [*ALL, "op9\\n"],  # as a CSV shows it
        {},
    ),
    "negative_duration": (with_event(event(9, dur=-3)), [*ALL, "op9"], {"negative_duration": 1}),
    "no_duration": (with_event(event(9, dur=None)), [*ALL, "op9"], {"absent_duration": 1}),
    "a_duration_that_is_no_number": (
        with_event(event(9, dur="N/A").replace('"N/A"', "NaN")),
        [*ALL, "op9"],
        {"bad_duration": 1},
    ),
    "a_duration_beyond_all_clocks": (
        with_event(event(9, dur=7 * 10**15)),
        [*ALL, "op9"],
        {"bad_duration": 1},
    ),
    "two_arrays_of_events": (
        document(sound()).replace(event(2) + ",", event(2) + '], "traceEvents": ['),
        ALL,
        {"duplicate_key": 1},
    ),
    "time_0": (with_event(event(9, ts=0)), ALL, {"zero_timestamp": 1}),
    "time_0_first": (document([event(9, ts=0), *sound()]), ALL, {"zero_timestamp": 1}),
    "no_name": (with_event(event(9, name=None)), [*ALL, ""], {}),
    "an_object_that_is_no_event": (with_event('{"hello": 1}'), ALL, {"damaged_event": 1}),
    "unknown_kind": (with_event(event(9, ph="Z")), ALL, {"unsupported_event": 1}),
    "ids_as_text": (
        with_event(event(9, pid="1", tid="2", args={"External id": "9", "correlation": "4"})),
        [*ALL, "op9"],
        {},
    ),
    "null_arguments": (with_event(event(9, args={"External id": None})), [*ALL, "op9"], {}),
    "half_a_character": (
        with_event(event(9, name="@").replace("@", "op9\\ud83d \\ud83d\\ude00")),
        [*ALL, "op9\ufffd \U0001f600"],
        {"invalid_utf8": 1},
    ),
    "half_a_character_in_args": (
        with_event(event(9).replace('"External id": 9', '"a": "x\\udc00", "b": ["\\ud800"]')),
        [*ALL, "op9"],
        {"invalid_utf8": 1},
    ),
    "a_base_that_is_no_number": (
        document(sound()).replace('"traceEvents"', '"baseTimeNanoseconds": "now", "traceEvents"'),
        ALL,
        {"bad_base_time": 1},
    ),
    "a_base_with_a_fraction": (
        document(sound()).replace('"traceEvents"', '"baseTimeNanoseconds": 1.5, "traceEvents"'),
        ALL,
        {"bad_base_time": 1},
    ),
    "memory_beyond_all_machines": (
        with_event(
            event(9, ph="i", name="[memory]", args={"Bytes": 2**62, "Device Type": 0, "Addr": 1})
        ),
        ALL,
        {"bad_memory_event": 1},
    ),
    "missing_device_metadata": (
        with_event(event(9, cat="kernel", name="k", pid=0, tid=7)),
        [*ALL, "k"],
        {"missing_metadata": 1},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_undamaged_rest_is_imported(tmp_path, case):
    text, wanted, lost = CASES[case]
    path = tmp_path / "damaged.json"
    path.write_text(text)
    steptrace("import", path, "-o", tmp_path / "run")
    assert sorted(names(tmp_path / "run")) == sorted(wanted)
    assert losses(tmp_path / "run") == lost
    assert all(row["detail"] for row in rows(tmp_path / "run", "data_loss"))


def test_ids_as_text_are_the_same_thread(tmp_path):
    path = tmp_path / "mixed.json"
    path.write_text(CASES["ids_as_text"][0])
    steptrace("import", path, "-o", tmp_path / "run")
    stored = rows(tmp_path / "run", "slices")
    assert len({row["track"] for row in stored}) == 1
    op9 = next(row for row in stored if row["name"] == "op9")
    assert (op9["external_id"], op9["correlation"]) == ("9", "4")


def test_invalid_utf8(tmp_path):
    path = tmp_path / "bytes.json"
    path.write_bytes(with_event(event(9, name="bad@")).encode().replace(b"bad@", b"bad\xff\xfe"))
    steptrace("import", path, "-o", tmp_path / "run")
    assert "bad��" in names(tmp_path / "run")
    assert losses(tmp_path / "run") == {"invalid_utf8": 1}


def test_more_bad_names_than_are_remembered_are_counted(tmp_path):
    """Names of counters, which are in no row: 65,536 are told apart from each other."""
    count = 70_000
    named = {"ph": "C", "tid": None, "dur": None, "cat": None, "args": {"v": 1}}
    bad = [event(number, name=f"c{number}\ud800", **named) for number in range(count)]
    path = tmp_path / "profile.json"
    path.write_text(document([*sound(), *bad, *bad[:100]]))
    steptrace("import", path, "-o", tmp_path / "run")
    assert losses(tmp_path / "run")["invalid_utf8"] == count


def test_times_keep_every_digit(tmp_path):
    given = {
        "a": "1700000000000000.123",
        "b": "1700000000000000.1234",
        "c": "1700000000000000.1235",
        "d": "1.700000000000000125e15",
        "e": "1700000000000000",
        "f": "1700000000000001.9999999",
    }
    events = [
        event(0, name=name, ts="@" + name).replace(f'"@{name}"', ts) for name, ts in given.items()
    ]
    path = tmp_path / "digits.json"
    path.write_text(document(events))
    steptrace("import", path, "-o", tmp_path / "run")
    assert manifest(tmp_path / "run")["epoch_utc_ns"] == 1_700_000_000_000_000_000
    assert {row["name"]: int(row["ts_ns"]) for row in rows(tmp_path / "run", "slices")} == {
        "a": 123,
        "b": 123,
        "c": 124,
        "d": 125,
        "e": 0,
        "f": 2000,
    }


def test_cut_off_gzip(tmp_path):
    packed = gzip.compress(make_trace.text(steps=40).encode())
    path = tmp_path / "cut.json.gz"
    path.write_bytes(packed[: len(packed) // 2])
    steptrace("import", path, "-o", tmp_path / "run")
    assert len(rows(tmp_path / "run", "slices")) > 1000
    (loss,) = rows(tmp_path / "run", "data_loss")
    assert loss["cause"] == "file_cut_off" and "gzip" in loss["detail"]


def refused(tmp_path, path, *words, options=()):
    """One line, exit 2, nothing left."""
    failed = steptrace("import", path, "-o", tmp_path / "out" / "run", *options, ok=False)
    assert failed.returncode == 2
    assert failed.stderr.count("\n") == 1, failed.stderr
    for word in words:
        assert word in failed.stderr
    left = list((tmp_path / "out").iterdir()) if (tmp_path / "out").exists() else []
    assert left == []


def test_unusable_files_are_refused(tmp_path):
    refused(tmp_path, write(tmp_path / "empty.json", ""), "is empty")
    refused(tmp_path, write(tmp_path / "text.json", "hello\n"), "looks like text")
    refused(tmp_path, write(tmp_path / "other.json", '{"a": 1}'), "JSON without trace events")
    for name, data, *words in (
        ("a.bz2", bz2.compress(b"{}"), "bzip2", "unpack it first"),
        ("a.xz", lzma.compress(b"{}"), "xz file", "unpack it first"),
        ("a.7z", b"7z\xbc\xaf\x27\x1c\0\x04", "7z archive", "unpack it first"),
        ("a.gz", gzip.compress(gzip.compress(document(sound()).encode())), "gzip inside gzip"),
        ("lfs.json", "version https://git-lfs.github.com/spec/v1\nsize 9\n", "git lfs pull"),
        ("a.xplane.pb", b"\n\x14\x08\x01\x12\x10/host:annotation", "holds no event", "start_trace"),
    ):
        refused(tmp_path, write(tmp_path / name, data), *words)
    refused(tmp_path, write(tmp_path / "none.json", '{"traceEvents": []}'), "holds no event")
    timeless = write(tmp_path / "timeless.json", document([event(i, ts="x") for i in range(9)]))
    refused(tmp_path, timeless, "none of its events has a time", "record the profile again")
    refused(tmp_path, tmp_path / "absent.json", "No such file", "check the path")
    (tmp_path / "folder").mkdir()
    refused(tmp_path, tmp_path / "folder", "holds no file")


def test_numbers_of_the_job_as_text(tmp_path):
    job = {"rank": "3", "world_size": "4"}
    head = f'{{"distributedInfo": {json.dumps(job)}, '
    path = write(tmp_path / "text.json", head + document(sound())[1:])
    steptrace("import", path, "-o", tmp_path / "run")
    (rank,) = manifest(tmp_path / "run")["ranks"]
    assert (rank["rank"], rank["world_size"]) == (3, 4)
    (fact,) = [row for row in rows(tmp_path / "run", "run_metadata") if row["kind"] == "job"]
    assert json.loads(fact["json"]) == {"rank": 3, "world_size": 4}


def test_depth_is_limited(tmp_path):
    deep = event(9).replace('"External id": 9', '"a": ' + "[" * 10**6 + "]" * 10**6)
    refused(
        tmp_path,
        write(tmp_path / "deep.json", document([deep])),
        "nested more than 512",
        "--max-depth",
    )
    path = write(tmp_path / "less.json", with_event(event(9, args={"a": [[[[1]]]]})))
    refused(tmp_path, path, "--max-depth", options=["--max-depth", "3"])
    steptrace("import", path, "-o", tmp_path / "run", "--max-depth", "4")


def test_metadata_of_any_depth(tmp_path):
    """What is written again is bounded for itself: each level takes a frame of the stack."""
    deep = "[" * 10**6 + "]" * 10**6
    head = f'{{"distributedInfo": {{"rank": 3, "x": {deep}}}, "deviceProperties": {deep}, '
    path = write(tmp_path / "deep.json", head + document(sound())[1:])
    steptrace("import", path, "-o", tmp_path / "run", "--max-depth", "3000000")
    lost = [row["detail"] for row in rows(tmp_path / "run", "data_loss")]
    assert any("distributedInfo" in detail for detail in lost)


def test_gzip_bomb(tmp_path):
    path = tmp_path / "bomb.json.gz"
    with gzip.open(path, "wb", compresslevel=1) as packed:
        packed.write(b'{"schemaVersion": 1, "traceEvents": [')
        for _ in range(1100):
            packed.write(b" " * (1 << 20))
    refused(tmp_path, path, "unpacks to more than 1073741824 bytes", "--max-bytes")
    small = write(tmp_path / "small.json.gz", gzip.compress(document(sound()).encode()))
    refused(tmp_path, small, "--max-bytes", options=["--max-bytes", "100"])


def test_depth_is_limited_wherever_it_is(tmp_path):
    many = 10**6
    for name, text in {
        "closed": '{"traceEvents":[' + "[" * many + "]" * many + "]}",
        "unclosed": '{"traceEvents":[' + "[" * many,
        "late": document(sound())[:-4] + ",\n" + "[" * many,
        "array": "[" * many,
        "object": '{"a":' * many + "1" + "}" * many,
        "member": '{"x":' + "[" * many + "]" * many + ',"traceEvents":[]}',
    }.items():
        path = write(tmp_path / f"{name}.json", text)
        refused(tmp_path, path, f"{name}.json", "nested more than 512", "--max-depth")
    shallow = write(tmp_path / "shallow.json", document(sound()).replace("[\n", "[\n[[1]], "))
    steptrace("import", shallow, "-o", tmp_path / "run")
    assert names(tmp_path / "run") == ALL
    assert losses(tmp_path / "run") == {"foreign_text": 1}


def tar_gz(files):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text))
    return packed.getvalue()


def zipped(files):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return packed.getvalue()


def of_rank(rank, steps=40):
    return make_trace.text(steps=steps, rank=rank).encode()


def test_cut_off_tar(tmp_path):
    files = {f"r{rank}.json": of_rank(rank) for rank in range(3)}
    whole = tar_gz(files)
    path = write(tmp_path / "cut.tar.gz", whole[: len(whole) // 2])
    done = steptrace("import", path, "-o", tmp_path / "run")
    assert "cut.tar.gz" in done.stderr and "after r1.json is missing" in done.stderr
    assert len(manifest(tmp_path / "run")["ranks"]) == 2
    told = {row["cause"]: row["detail"] for row in rows(tmp_path / "run", "data_loss")}
    assert "r1.json: ends at byte" in told["file_cut_off"]
    assert "cut off" in told["file_damaged"]
    write(tmp_path / "r0.json", files["r0.json"])
    steptrace("import", tmp_path / "r0.json", "-o", tmp_path / "alone")
    stored = len(rows(tmp_path / "run", "slices"))
    of_one = len(rows(tmp_path / "alone", "slices"))
    assert of_one < stored < 2 * of_one


def test_zip_without_its_index(tmp_path):
    whole = zipped({f"r{rank}.json": of_rank(rank, steps=2) for rank in range(2)})
    path = write(tmp_path / "cut.zip", whole[: whole.index(b"PK\1\2")])
    done = steptrace("import", path, "-o", tmp_path / "run")
    assert "its index at the end is missing" in done.stderr
    assert len(manifest(tmp_path / "run")["ranks"]) == 2
    assert losses(tmp_path / "run") == {"file_damaged": 1}


def test_damaged_member_of_a_zip(tmp_path):
    whole = zipped({f"r{rank}.json": of_rank(rank, steps=2) for rank in range(2)})
    damaged = bytearray(whole)
    damaged[40:60] = b"\xff" * 20
    path = write(tmp_path / "damaged.zip", bytes(damaged))
    done = steptrace("import", path, "-o", tmp_path / "run")
    assert "damaged.zip/r0.json: the archive is damaged" in done.stderr
    assert [rank["rank"] for rank in manifest(tmp_path / "run")["ranks"]] == [1]
    assert losses(tmp_path / "run") == {"file_damaged": 1}


def test_archive_of_which_nothing_is_left(tmp_path):
    whole = tar_gz({"r0.json": of_rank(0)})
    refused(tmp_path, write(tmp_path / "cut.tar.gz", whole[:30]), "cut.tar.gz")
    whole = zipped({"r0.json": of_rank(0, steps=2)})
    damaged = whole[:37] + b"\xff" * 40 + whole[77:]
    refused(tmp_path, write(tmp_path / "damaged.zip", damaged), "r0.json", "is damaged")


def test_archive_in_an_archive(tmp_path):
    inner = tar_gz({"r1.json": of_rank(1, steps=1)})
    path = write(tmp_path / "a.zip", zipped({"r0.json": of_rank(0, steps=1), "b.tar.gz": inner}))
    done = steptrace("import", path, "-o", tmp_path / "run")
    assert "1 file is not a profile and was left out: " in done.stderr
    assert "b.tar.gz: is an archive inside an archive; unpack it" in done.stderr
    assert losses(tmp_path / "run") == {"no_profile": 1}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_unreadable_file(tmp_path):
    path = write(tmp_path / "mine.json", document(sound()))
    path.chmod(0)
    refused(tmp_path, path, "Permission denied")


def test_a_file_that_is_refused_while_it_is_read_does_not_count(tmp_path):
    """What it is was known from its beginning: its depth shows far behind that."""
    folder = tmp_path / "traces"
    folder.mkdir()
    write(folder / "rank0.json", document(sound()))
    deep = event(9).replace('"External id": 9', '"a": ' + "[" * 600)
    text = document([*sound(count=5000), deep])
    assert text.index("[[") > 256 << 10
    write(folder / "rank1.json", text)
    done = steptrace("import", folder, "-o", tmp_path / "run")
    assert losses(tmp_path / "run") == {"file_refused": 1}
    assert f"{EVENTS} rows from 1 file, 1 rank" in done.stdout
    assert names(tmp_path / "run") == ALL


def test_bad_files_among_good_ones(tmp_path):
    folder = tmp_path / "traces"
    folder.mkdir()
    write(folder / "good.json", document(sound()))
    write(folder / "empty.json", "")
    write(folder / "readme.txt", "hello")
    write(
        folder / "deep.json", document([event(9).replace('"External id": 9', '"a": ' + "[" * 9999)])
    )
    done = steptrace("import", folder, "-o", tmp_path / "run")
    assert "readme.txt" in done.stderr and "empty.json" in done.stderr
    assert names(tmp_path / "run") == ALL
    assert losses(tmp_path / "run") == {"no_profile": 2, "file_refused": 1}
