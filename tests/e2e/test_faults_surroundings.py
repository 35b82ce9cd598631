# SPDX-License-Identifier: Apache-2.0
"""Clocks that jump, processes that may not be seen, rings damaged field by field, runs cut off."""

import itertools
import json
import os
import shutil
import subprocess
import time

import pytest
from fault_tools import (
    ROOT,
    Recording,
    Run,
    can_mount,
    executable,
    plain,
    private_folder,
    record,
    same_as_without,
    script,
    wait_for,
)

PACKAGE = ROOT / "python" / "steptrace"
NOBODY = 65534
DAY_S = 86_400

needs_compiler = pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")
needs_root = pytest.mark.skipif(
    os.geteuid() != 0 or not shutil.which("setpriv"), reason="needs root and setpriv"
)
needs_mounts = pytest.mark.skipif(not can_mount(), reason="needs root and mount namespaces")

# CLOCK_REALTIME is a day behind from the start, and goes back an hour at the file's appearance and
# forth two days when it has gone. The other clocks are as they are.
MOVED_CLOCK = """
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static long moved(void) {
  static int seen;
  const char* file = getenv("MOVED_CLOCK_FILE");
  const int there = file != 0 && access(file, F_OK) == 0;
  seen |= there;
  return -86400 + (there ? -3600 : seen ? 172800 : 0);
}
int clock_gettime(clockid_t clock, struct timespec* time) {
  const long rc = syscall(SYS_clock_gettime, clock, time);
  if (rc == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += moved();
  return (int)rc;
}
int gettimeofday(struct timeval* restrict time, void* restrict zone) {
  const long rc = syscall(SYS_gettimeofday, time, zone);
  if (rc == 0) time->tv_sec += moved();
  return (int)rc;
}
time_t time(time_t* result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result != 0) *result = now.tv_sec;
  return now.tv_sec;
}
"""

STEPS_WHILE_THE_CLOCK_MOVES = """
file = os.environ.get("MOVED_CLOCK_FILE")
def jump():
    return round((time.time() - before) / 3600)
for i in range(40): step(0.01)
before = time.time()
if file: open(file, "w").close()
for i in range(40): step(0.01)
print("back", jump())
if file: os.unlink(file)
for i in range(40): step(0.01)
print("forth", jump()); sys.exit(3)
"""


@needs_compiler
def test_clock_set_back_and_forth(tmp_path):
    source = tmp_path / "moved_clock.c"
    source.write_text(MOVED_CLOCK)
    library = tmp_path / "moved_clock.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source], check=True)
    env = {"LD_PRELOAD": str(library), "MOVED_CLOCK_FILE": str(tmp_path / "moved")}
    begun_ns, begun = time.monotonic_ns(), time.time()
    command = script(tmp_path, STEPS_WHILE_THE_CLOCK_MOVES)
    outcome = record(tmp_path, command, "--quiet", env=env)
    took_ns = time.monotonic_ns() - begun_ns
    assert (outcome.status, outcome.stdout) == (3, b"back -1\nforth 48\n"), "the clock really moved"
    manifest = outcome.run.manifest()
    epoch = manifest["epoch_utc_ns"] / 1e9
    assert abs(epoch - (begun - DAY_S)) < 600, "the agent's clock too: the epoch is its only use"
    assert 0 < manifest["end_ns"] < took_ns
    steps = outcome.run.rows("steps")
    assert len(steps) == 120
    ends = [row["ts_ns"] + row["dur_ns"] for row in steps]
    assert all(0 < row["dur_ns"] < took_ns for row in steps)
    assert sorted(ends) == ends and 0 < ends[0] <= ends[-1] <= manifest["end_ns"]
    times = [row["ts_ns"] for row in outcome.run.rows("counters")]
    assert times and all(0 <= at <= took_ns for at in times)
    assert outcome.run.causes().keys() <= {"unavailable"}
    assert outcome.run.report()["data_loss"]["rows"] == []


@needs_root
def test_training_under_another_monotonic_clock(tmp_path):
    """A container with a time namespace: its CLOCK_MONOTONIC is a day before the agent's."""
    prefix = ["unshare", "--time", "--monotonic", str(DAY_S), "--boottime", str(DAY_S), "--fork"]
    if subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("needs time namespaces")
    text = "import time as t\nfor i in range(60): step()\n"
    text += f"print(t.monotonic() > {DAY_S}); sys.exit(3)\n"
    outcome = record(tmp_path, [*prefix, *script(tmp_path, text)], "--quiet")
    assert (outcome.status, outcome.stdout) == (3, b"True\n")
    steps = outcome.run.rows("steps")
    if not steps:  # without a counter that all share, times cannot be told: then it is said
        assert outcome.run.report()["data_loss"]["rows"]
        return
    end_ns = outcome.run.manifest()["end_ns"]
    assert len(steps) == 60
    assert all(row["ts_ns"] > 0 and row["ts_ns"] + row["dur_ns"] <= end_ns for row in steps)


def as_nobody(command):
    user = f"--reuid={NOBODY}"
    return ["setpriv", user, f"--regid={NOBODY}", "--clear-groups", *command]


def executable_for_all(folder):
    """The executable where another user can start it."""
    copy = folder / "bin" / "steptrace"
    copy.parent.mkdir()
    shutil.copy(os.path.realpath(executable()), copy)
    package = folder / "package"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    for path in (copy.parent, package, copy):
        path.chmod(0o755)
    return ["env", f"STEPTRACE_PACKAGE_DIR={package}", str(copy)]


@pytest.fixture()
def open_folder():
    folder = private_folder()
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder)


ROOT_TRAINS = "sleep 1.2; id -u; exit 3"


@needs_root
def test_training_of_root_under_an_agent_of_nobody(open_folder):
    """By a program with the set-user-id bit: its owner is not the agent's, and it cannot be read."""
    becomes_root = open_folder / "becomes_root"
    shutil.copy(shutil.which("setpriv"), becomes_root)
    becomes_root.chmod(0o4755)
    run = open_folder / "run"
    command = [str(becomes_root), "--reuid=0", "--clear-groups", "sh", "-c", ROOT_TRAINS]
    recorded = [*executable_for_all(open_folder), "run", "--quiet", "--output", str(run), "--"]
    alone = plain(as_nobody(command))
    if alone.stdout != b"0\n":
        pytest.skip("needs a file system with set-user-id programs")
    done = plain(as_nobody([*recorded, *command]), cwd=open_folder)
    assert (done.returncode, done.stdout, done.stderr) == (3, alone.stdout, alone.stderr)
    details = [row["detail"] for row in Run(run).rows("data_loss") if row["cause"] == "no_hooks"]
    assert len(details) == 1 and "user 0" in details[0] and str(NOBODY) in details[0]
    assert any(loss["cause"] == "no_hooks" for loss in Run(run).report()["data_loss"]["rows"])


@needs_root
@needs_mounts
def test_processes_that_may_not_be_seen(open_folder):
    """/proc with hidepid=2: of the processes of others the agent sees nothing at all."""
    run = open_folder / "run"
    becomes_root = open_folder / "becomes_root"
    shutil.copy(shutil.which("setpriv"), becomes_root)
    becomes_root.chmod(0o4755)
    line = 'mount -t proc -o hidepid=2 proc /proc && exec "$@"'
    hidden = ["unshare", "-m", "-p", "--fork", "sh", "-c", line, "sh"]
    if plain([*hidden, "true"]).returncode != 0:
        pytest.skip("needs to mount /proc")
    command = [str(becomes_root), "--reuid=0", "--clear-groups", "sh", "-c", ROOT_TRAINS]
    recorded = [*executable_for_all(open_folder), "run", "--quiet", "--output", str(run), "--"]
    done = plain([*hidden, *as_nobody([*recorded, *command])], cwd=open_folder)
    alone = plain([*hidden, *as_nobody(command)])
    assert (done.returncode, done.stdout, done.stderr) == (
        alone.returncode,
        alone.stdout,
        alone.stderr,
    )
    report = Run(run).report()
    assert report["run"]["exit_code"] == alone.returncode
    assert report["data_loss"]["rows"] or report["notes"], (
        "the report says that it has no steps, and why"
    )
    assert report["verdict"]["reason"]["id"] == "no_steps"


@needs_mounts
def test_shared_memory_absent(tmp_path):
    """No /dev/shm at all."""
    devices = tmp_path / "dev"
    devices.mkdir()
    names = ["null", "zero", "full", "random", "urandom", "tty"]
    for name in names:
        (devices / name).touch()
    lines = [f'mount --bind /dev/{name} "{devices}/{name}"' for name in names]
    line = " && ".join(
        [*lines, f'mount --rbind "{devices}" /dev', 'test ! -e /dev/shm && exec "$@"']
    )
    text = "for i in range(60): step()\nprint('trained'); sys.exit(3)\n"
    outcome = record(
        tmp_path, script(tmp_path, text), prefix=["unshare", "-m", "sh", "-c", line, "sh"]
    )
    assert (outcome.status, outcome.stdout) == (3, b"trained\n")
    assert len(outcome.run.rows("steps")) == 60
    assert outcome.run.causes().keys() <= {"unavailable"}


# Offsets of src/wire: every field of FileHeader, the agent's words with what was lost in opening, of
# two controls and of a name.
HEADER_FIELDS = (
    *((0, 8), (8, 4), (12, 4), (16, 8), (24, 4), (28, 4), (32, 4), (36, 4), (40, 8), (48, 4)),
    *((52, 4), (56, 4), (60, 4), (64, 8), (72, 8), (80, 16), (96, 4), (100, 148), (248, 4)),
    *((252, 4), (256, 8), (264, 8), (272, 8), (280, 8), (288, 8)),
)
HEADER_PAGE = ((1024, 456), (1488, 16), (1504, 8))
CONTROL_FIELDS = ((0, 8), (8, 8), (16, 4), (20, 4), (24, 4), (28, 4), (64, 8), (72, 8))
FIELDS = [
    *HEADER_FIELDS,
    *HEADER_PAGE,
    *((4096 + at, size) for at, size in CONTROL_FIELDS),
    *(
        (4096 + 4 * 128 + at, size) for at, size in CONTROL_FIELDS
    ),  # of a thread beside the main one
    *((65536 + at, size) for at, size in ((0, 4), (4, 2), (6, 2), (8, 8))),
    *((65536 + (4 << 20) + at, size) for at, size in ((0, 8), (8, 4), (12, 1), (13, 1), (14, 2))),
]

DAMAGES_EVERY_FIELD = f"""
for i in range(10): step()
folder = os.environ.get("STEPTRACE_RING_DIR")
FIELDS = {FIELDS!r}
if folder:
    own = next(f for f in os.listdir(folder) if f.split(".")[0] == str(os.getpid()))
    good = open(os.path.join(folder, own), "rb").read()
    last = len(good.rstrip(bytes(1)))
    pid = 2_000_000
    for at, size in FIELDS:
        for byte in (0, 0x7F, 0xFF):
            pid += 1
            fd = os.open(os.path.join(folder, "%d.77.ring" % pid), os.O_CREAT | os.O_RDWR, 0o600)
            for start in range(0, last, 4096):  # sparse, as the good one
                page = good[start : start + 4096]
                if page.strip(bytes(1)): os.pwrite(fd, page, start)
            os.ftruncate(fd, len(good))
            os.pwrite(fd, bytes([byte]) * size, at)
            os.close(fd)
        time.sleep(0.02)
time.sleep(2)
for i in range(10): step()
print("done")
"""


def test_rings_damaged_in_every_field(tmp_path):
    outcome = same_as_without(tmp_path, script(tmp_path, DAMAGES_EVERY_FIELD))
    own = [row for row in outcome.run.rows("steps") if row["rank"] == 0]
    assert len(own) >= 20, "the good one is whole"
    causes = outcome.run.causes()
    assert "ring_damaged" in causes
    assert {loss["cause"] for loss in outcome.run.report()["data_loss"]["rows"]} <= set(causes)
    assert all(row["detail"] for row in outcome.run.rows("data_loss"))


LONG = "for i in range(400): step(0.01)\n"


def cuts(size):
    """Every byte of the beginning and of the end, and some between."""
    ends = itertools.chain(range(min(size, 6)), range(max(size - 6, 0), size))
    return sorted({*ends, *(size * share // 7 for share in range(1, 7))})


def test_a_live_run_cut_off_at_any_byte(tmp_path):
    recording = Recording(tmp_path, script(tmp_path, LONG), "--quiet")
    wait_for(lambda: (recording.path / "run.json").exists() and Run(recording.path).rows("slices"))
    agent, command = recording.agent(), recording.command()
    for pid in (recording.pid, agent, command):
        os.kill(pid, 9)
    recording.process.communicate()
    journals = sorted(recording.path.glob("journal/**/*.arrows"))
    assert journals
    for journal in journals:
        whole = journal.read_bytes()
        for size in cuts(len(whole)):
            journal.write_bytes(whole[:size])
            done = plain([executable(), "report", str(recording.path), "--json"])
            assert done.returncode == 0, (journal.name, size, done.stderr)
        journal.write_bytes(whole)


def test_a_closed_run_cut_off_at_any_byte(tmp_path):
    """A segment that is cut off is left out, and the report counts what is lost with it."""
    outcome = record(tmp_path, script(tmp_path, "for i in range(50): step()\n"))
    for segment in sorted(outcome.run.path.glob("tables/**/*.parquet")):
        whole = segment.read_bytes()
        name = str(segment.relative_to(outcome.run.path))
        for size in cuts(len(whole)):
            segment.write_bytes(whole[:size])
            done = plain([executable(), "report", str(outcome.run.path), "--json"])
            assert done.returncode == 0, (name, size, done.stderr)
            told = [
                loss
                for loss in outcome.run.rows("data_loss")
                if loss["cause"] == "segment_damaged" and loss["detail"].startswith(name)
            ]
            assert len(told) == 1 and told[0]["count"] > 0, (name, size)
            causes = {loss["cause"] for loss in json.loads(done.stdout)["data_loss"]["rows"]}
            assert "segment_damaged" in causes, (name, size)
        segment.write_bytes(whole)


def test_a_closed_run_damaged_within_is_named_and_recovered(tmp_path):
    outcome = record(tmp_path, script(tmp_path, "for i in range(50): step()\n"))
    run = str(outcome.run.path)
    segment = sorted(outcome.run.path.glob("tables/steps/**/*.parquet"))[0]
    segment.write_bytes(b"?" * segment.stat().st_size)
    (outcome.run.path / "report.json").unlink(missing_ok=True)
    before = plain([executable(), "report", run, "--json"])
    assert before.returncode == 0, before.stderr
    (loss,) = (
        loss
        for loss in json.loads(before.stdout)["data_loss"]["rows"]
        if loss["cause"] == "segment_damaged"
    )
    assert f"`steptrace recover {run}` keeps what is sound of it" in loss["detail"]
    recovered = plain([executable(), "recover", run])
    assert recovered.returncode == 0, recovered.stderr
    assert b"1 damaged file moved to" in recovered.stderr
    done = plain([executable(), "report", run, "--json"])
    assert done.returncode == 0
    losses = json.loads(done.stdout)["data_loss"]["rows"]
    assert [loss["cause"] for loss in losses].count("segment_damaged") == 1
    assert list((outcome.run.path / "damaged").iterdir())
