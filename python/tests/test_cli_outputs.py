# SPDX-License-Identifier: Apache-2.0
"""Where output goes that a user named: links, pipes and devices stay what they are."""

import os
import signal
import subprocess
import threading
import time

import pytest
from cli_tools import complaint, executable


def tables_csv(ask, folder):
    assert ask("export", "demo", "--format", "csv", "-o", folder).returncode == 0
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_an_output_that_is_a_link_stays_one(ask, tmp_path):
    whole = tables_csv(ask, tmp_path / "whole")["steps.csv"]
    (tmp_path / "target.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("target.csv")
    (tmp_path / "new-link.csv").symlink_to("new.csv")
    for link, target in (("link.csv", "target.csv"), ("new-link.csv", "new.csv")):
        done = ask("export", "demo", "--format", "csv", "--table", "steps", "-o", tmp_path / link)
        assert (done.returncode, done.stderr) == (0, f"steptrace: wrote {tmp_path / link}\n")
        assert (tmp_path / link).is_symlink()
        assert (tmp_path / target).read_bytes() == whole
    (tmp_path / "loop").symlink_to("loop")
    loop = ask("export", "demo", "--format", "csv", "--table", "steps", "-o", tmp_path / "loop")
    assert "symbolic links" in complaint(loop)


def test_an_export_without_a_name_is_named_after_the_run_and_its_format(ask, folder, tmp_path):
    run = folder / "steptrace-runs" / "demo"
    for arguments, name in (
        (["--format", "perfetto"], "demo.pftrace"),
        (["--format", "csv", "--table", "steps"], "demo-steps.csv"),
        (["--format", "parquet"], "demo-parquet"),
    ):
        done = ask("export", run, *arguments, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert done.stderr == f"steptrace: wrote {name}\n"
        assert (tmp_path / name).exists()
    steps = ask("export", "demo", "--format", "arrow", "--table", "steps", "-o", tmp_path)
    assert steps.stderr == f"steptrace: wrote {tmp_path / 'demo-steps.arrows'}\n"


def test_an_output_that_is_a_pipe_gets_the_bytes(ask, tmp_path):
    whole = tables_csv(ask, tmp_path / "whole")["steps.csv"]
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()), daemon=True)
    reader.start()
    done = ask("export", "demo", "--format", "csv", "--table", "steps", "-o", pipe)
    reader.join(timeout=60)
    assert done.returncode == 0 and got == [whole]
    assert pipe.is_fifo()


def test_an_output_that_is_a_device_is_written_straight(ask, tmp_path):
    full = tmp_path / "full"
    try:
        os.mknod(full, 0o666 | 0o020000, os.makedev(1, 7))
        full.open("wb").close()
    except PermissionError:
        pytest.skip("needs root and a file system that has devices")
    done = ask("export", "demo", "--format", "perfetto", "-o", full)
    assert "No space left on device" in complaint(done)
    done = ask("report", "demo", "--notebook", full)
    assert "No space left on device" in complaint(done)
    assert full.is_char_device()


def test_standard_output_by_its_name_is_standard_output(ask, folder, tmp_path):
    whole = tables_csv(ask, tmp_path / "whole")["steps.csv"].decode()
    (tmp_path / "stdout").symlink_to("/proc/self/fd/1")
    export = ["export", "demo", "--format", "csv", "--table", "steps", "-o", tmp_path / "stdout"]
    assert ask(*export).stdout == whole
    # A file that a shell appends to is appended to.
    log = tmp_path / "log"
    log.write_text("before\n")
    with log.open("ab") as out:
        command = [str(executable()), *map(str, export)]
        subprocess.run(command, cwd=folder, stdout=out, check=True, timeout=60)
    assert log.read_text() == "before\n" + whole
    assert (tmp_path / "stdout").is_symlink()


@pytest.mark.parametrize("stop", [signal.SIGHUP, signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("format", ["csv", "chrome"])
def test_an_export_that_is_stopped_leaves_what_was_there(folder, tmp_path, format, stop):
    # It halts at a pipe that nobody reads: the last table, or the last rank.
    name, last = ("steps.csv", "data_loss.csv")
    if format == "chrome":
        name, last = ("rank0.pt.trace.json", "rank1.pt.trace.json")
    out = tmp_path / "out"
    out.mkdir()
    (out / name).write_text("of an older export")
    os.mkfifo(out / last)
    command = [str(executable()), "export", "demo", "--format", format, "-o", str(out)]
    with subprocess.Popen(command, cwd=folder) as export:
        try:
            limit = time.monotonic() + 60
            while not list(out.glob(f"{name}.*.partial")):
                assert export.poll() is None and time.monotonic() < limit
                time.sleep(0.01)
            export.send_signal(stop)
            assert export.wait(timeout=60) == -stop
        finally:
            export.kill()
    assert sorted(path.name for path in out.iterdir()) == sorted([name, last])
    assert (out / name).read_text() == "of an older export"
