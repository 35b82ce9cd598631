# SPDX-License-Identifier: Apache-2.0
"""Programs that do odd things: threads, forks, exec, names, damaged rings, no Python, other users."""

import os
import shutil
import sys

import pytest
from fault_tools import executable, private_folder, record, same_as_without, script

EXPECTED_DAMAGE = {"ring_damaged", "invalid_records", "invalid_facts", "strange_files"}


def names_of(run):
    return {row["name"] for row in run.rows("slices")}


def test_exec_in_the_middle(tmp_path):
    second = script(
        tmp_path, "for i in range(5): step()\nprint('second'); sys.exit(4)\n", name="second.py"
    )
    first = script(
        tmp_path,
        f"for i in range(5): step()\nprint('first', flush=True)\nos.execv({second[0]!r}, {second!r})\n",
    )
    outcome = same_as_without(tmp_path, first)
    assert outcome.status == 4
    optimizers = [row for row in outcome.run.rows("slices") if row["name"] == "optimizer"]
    assert len(optimizers) == 10, "both images of the process are there"
    assert outcome.run.causes() == {}


def test_fork_in_the_middle(tmp_path):
    text = """
for i in range(5): step()
names = [probe.name(f"child {number}", USER) for number in range(4)]
for name in names:
    if os.fork() == 0:
        for i in range(100): probe.begin(name); probe.end()
        os._exit(0)
for name in names: os.wait()
for i in range(5): step()
print("done")
"""
    outcome = same_as_without(tmp_path, script(tmp_path, text))
    slices = outcome.run.rows("slices")
    for number in range(4):
        assert sum(row["name"] == f"child {number}" for row in slices) == 100
    assert sum(row["name"] == "optimizer" for row in slices) == 10
    assert outcome.run.causes() == {}


def test_many_threads(tmp_path):
    """500 threads: as many as the budget has rings for are recorded, the others are counted."""
    text = """
import threading
name = probe.name("work", USER)
gate = threading.Barrier(500)
def work():
    gate.wait()
    for i in range(20): probe.begin(name); probe.end()
    gate.wait()
threads = [threading.Thread(target=work) for i in range(500)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print("done")
"""
    # The sampler of stacks has a budget of threads of its own.
    outcome = same_as_without(tmp_path, script(tmp_path, text), "--stack-rate", "0")
    recorded = sum(row["name"] == "work" for row in outcome.run.rows("slices"))
    lost = outcome.run.causes()
    assert 20 * 50 <= recorded <= 500 * 20
    assert set(lost) == {"thread_budget"}
    assert 2 * recorded + lost["thread_budget"] == 2 * 20 * 500, "nothing is missing uncounted"
    assert len({row["track"] for row in outcome.run.rows("slices")}) == recorded // 20


def test_many_names(tmp_path):
    """10^5 names: what the arena holds is recorded, the rest is counted."""
    text = """
for i in range(100_000):
    probe.begin(probe.name("a name of its own for each range, number %d" % i, USER)); probe.end()
    if i % 2000 == 0: time.sleep(0.005)
print("done")
"""
    outcome = same_as_without(tmp_path, script(tmp_path, text))
    lost = outcome.run.causes()
    recorded = len(outcome.run.rows("slices"))
    assert recorded >= 30_000
    assert set(lost) <= {"names_full", "ring_full"}
    assert 2 * recorded + 2 * lost.get("names_full", 0) + lost.get("ring_full", 0) >= 200_000


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("line\\nbreak\\ttab", "line\nbreak\ttab"),
        ("\\x1b[2J\\x1b[31mred", "\x1b[2J\x1b[31mred"),
        ("nul\\0inside", None),
        ("\\u202eright to left", "\u202eright to left"),
        ("'\\\"<script>,{}\\\\", "'\"<script>,{}\\"),
        ("", None),
        ("x" * 100_000, None),
    ],
)
def test_names_with_odd_characters(tmp_path, name, stored):
    text = f'probe.begin(probe.name("{name}", USER)); step(); probe.end()\nprint("done")\n'
    outcome = same_as_without(tmp_path, script(tmp_path, text))
    if stored is not None:
        assert stored in names_of(outcome.run)
    assert len(outcome.run.rows("slices")) >= 3
    outcome.run.report()


def test_bytes_that_are_no_text(tmp_path):
    """A native caller may give any bytes as a name: the file gets valid UTF-8."""
    text = """
import ctypes
step()
bad = [b"\\xff\\xfe", b"half \\xe2\\x82", b"nul\\0inside", b"\\xed\\xa0\\x80", b"\\xc0\\xaf", b"\\xf4\\x90\\x80\\x80"]
if "STEPTRACE_PROBE" in os.environ:  # include/steptrace/probe_v1.h
    library = ctypes.CDLL(os.environ["STEPTRACE_PROBE"])
    table = (ctypes.c_void_p * 15).in_dll(library, "steptrace_probe_v1")
    name = ctypes.CFUNCTYPE(
        ctypes.c_uint32, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint16)(table[4])
    for text in bad:
        probe.begin(name(text, len(text), USER)); probe.end()
step(); print("done")
"""
    outcome = same_as_without(tmp_path, script(tmp_path, text))
    assert outcome.status == 0
    bad = "\ufffd"
    expected = {bad * 2, "half " + bad * 2, "nul\0inside", bad * 3, bad * 4}
    assert expected <= names_of(outcome.run), "as they are told, each bad byte by one sign"
    assert outcome.run.causes() == {}
    outcome.run.report()


def damaged_rings_script(tmp_path):
    return script(
        tmp_path,
        """
for i in range(10): step()
folder = os.environ.get("STEPTRACE_RING_DIR")
if folder:
    import random
    random.seed(5)
    own = next(f for f in os.listdir(folder) if f.endswith(".ring") and f.startswith(str(os.getpid())))
    good = open(os.path.join(folder, own), "rb").read(5 << 20)
    def put(pid, content):
        fd = os.open(os.path.join(folder, "%d.77.ring" % pid), os.O_CREAT | os.O_WRONLY, 0o600)
        os.write(fd, content); os.close(fd)
    put(1000001, b"")
    put(1000002, b"garbage" * 1000)
    put(1000003, good[:4096])
    put(1000004, os.urandom(1 << 20))
    for i in range(40):
        damaged = bytearray(good)
        at = random.randrange(0, 36 << 10)
        damaged[at:at + 8] = os.urandom(8)
        put(2000000 + i, bytes(damaged))
    os.symlink("/etc/passwd", os.path.join(folder, "1000005.77.ring"))
    os.mkdir(os.path.join(folder, "1000006.77.ring"))
    open(os.path.join(folder, "no ring at all"), "w").write("x")
    open(os.path.join(folder, "99999999999999999999.1.ring"), "w").write("x")
time.sleep(2.5)
if folder:  # the agent removes no strangers, so the test does
    for name in ("no ring at all", "99999999999999999999.1.ring"):
        os.unlink(os.path.join(folder, name))
    os.rmdir(os.path.join(folder, "1000006.77.ring"))
for i in range(10): step()
print("done")
""",
    )


def test_damaged_rings_beside_a_good_one(tmp_path):
    outcome = same_as_without(tmp_path, damaged_rings_script(tmp_path))
    assert len(outcome.run.rows("steps")) == 20, "the good one is whole"
    causes = outcome.run.causes()
    assert "ring_damaged" in causes and "strange_files" in causes
    assert set(causes) <= EXPECTED_DAMAGE | {"ring_full", "names_full", "disarmed"}


@pytest.mark.parametrize("option", ["-S", "-I", "-E"])
def test_python_without_site(tmp_path, option):
    command = [sys.executable, option, "-c", "import time; time.sleep(0.5); print('done')"]
    outcome = same_as_without(tmp_path, command)
    assert outcome.status == 0
    losses = [row for row in outcome.run.rows("data_loss") if row["table"] == "steps"]
    assert [row["cause"] for row in losses] == ["no_hooks"]
    assert option in losses[0]["detail"]


@pytest.mark.parametrize("option", ["-S", "-I", "-E"])
def test_python_without_site_that_ends_at_once(tmp_path, option):
    """Before the agent has looked: what was asked for is known all the same."""
    outcome = same_as_without(tmp_path, [sys.executable, option, "-c", "print('done')"])
    losses = [row for row in outcome.run.rows("data_loss") if row["table"] == "steps"]
    assert [row["cause"] for row in losses] == ["no_hooks"]
    assert option in losses[0]["detail"]


@pytest.mark.parametrize(
    "code, headline",
    [
        ("print('done')", "Python ran, but torch was not imported"),
        ("import time; time.sleep(2)", "Python ran, but torch was not imported"),
        ("import no_such_module", "the training failed before torch was imported"),
    ],
)
def test_python_without_a_framework(tmp_path, code, headline):
    """The hooks were there and had nothing to watch: nobody cleared an environment."""
    outcome = same_as_without(tmp_path, [sys.executable, "-c", code])
    report = outcome.run.report()
    assert headline in report["verdict"]["headline"]
    assert report["data_loss"]["rows"] == []


STANDS_FOR_TORCH = {
    "torch/__init__.py": "",
    "torch/serialization.py": "def save(): pass\ndef load(): pass\n",
}
IMPORTS = "import torch.serialization, time; time.sleep(2); print('done')"


@pytest.fixture()
def site(tmp_path):
    """A folder for PYTHONPATH with a stand-in for torch."""
    for name, text in STANDS_FOR_TORCH.items():
        path = tmp_path / "site" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "site"


@pytest.mark.parametrize(
    "before, reason",
    [
        ("ulimit -f 4096", "ulimit -f"),
        ("export STEPTRACE_PROBE=/nonexistent.so", "STEPTRACE_PROBE"),
    ],
)
def test_hooks_that_cannot_record(tmp_path, site, before, reason):
    """It imported what is hooked: that nothing of it was recorded is a loss, and no 'no torch'."""
    script = f'{before}; PYTHONPATH={site}:$PYTHONPATH exec {sys.executable} -c "{IMPORTS}"'
    outcome = same_as_without(tmp_path, ["bash", "-c", script])
    (loss,) = outcome.run.report()["data_loss"]["rows"]
    assert (loss["table"], loss["cause"]) == ("steps", "cannot_record")
    assert reason in loss["detail"] and "(pid " in loss["detail"]
    verdict = outcome.run.report()["verdict"]
    assert verdict["headline"] == "no step seen: the hooks could not record"


def test_one_that_cannot_record_beside_one_that_does(tmp_path, site):
    trains = " ".join(script(tmp_path, "for i in range(5): step()\n"))
    other = f'PYTHONPATH={site}:$PYTHONPATH {sys.executable} -c "{IMPORTS}"'
    outcome = record(tmp_path, ["bash", "-c", f"{trains}; ulimit -f 4096; {other}"])
    assert len(outcome.run.rows("steps")) == 5
    assert outcome.run.causes() == {"cannot_record": -1}


def test_a_python_with_hooks_hides_none_without(tmp_path):
    sleeps = "import time; time.sleep(2)"
    line = f'{sys.executable} -c "{sleeps}"; env -i {sys.executable} -c "{sleeps}; print(1)"'
    outcome = same_as_without(tmp_path, ["bash", "-c", line])
    (loss,) = outcome.run.report()["data_loss"]["rows"]
    assert loss["cause"] == "no_hooks" and "loaded no hooks" in loss["detail"]


def test_forks_and_namespaces_of_a_python_with_hooks_lost_nothing(tmp_path):
    text = """
import multiprocessing, os, shutil, subprocess, sys, time
if __name__ == "__main__":
    started = [
        multiprocessing.get_context(how).Process(target=time.sleep, args=(2,))
        for how in ("fork", "spawn", "forkserver")
    ]
    for process in started: process.start()
    if os.fork() == 0: os._exit(0)  # a zombie
    child = os.fork()
    if child == 0:
        time.sleep(2)
        os._exit(0)
    if shutil.which("unshare"):  # where the system allows it
        sleeps = "import time; time.sleep(2)"
        inside = ["unshare", "-Upf", sys.executable, "-c", sleeps]
        subprocess.run(inside, stderr=subprocess.DEVNULL)
    for process in started: process.join()
    os.waitpid(child, 0)
    print("done")
"""
    path = tmp_path / "forks.py"
    path.write_text(text)
    outcome = same_as_without(tmp_path, [sys.executable, str(path)])
    report = outcome.run.report()
    assert "torch was not imported" in report["verdict"]["headline"]
    assert report["data_loss"]["rows"] == []


def test_a_script_by_its_own_first_line(tmp_path):
    path = tmp_path / "train"
    path.write_text(f"#!{sys.executable} -S\nprint('done')\n")
    path.chmod(0o755)
    outcome = same_as_without(tmp_path, [str(path)])
    (loss,) = outcome.run.report()["data_loss"]["rows"]
    assert loss["cause"] == "no_hooks" and "-S" in loss["detail"]


def test_a_run_in_a_run_hides_none_beside_it(tmp_path):
    inner = f"{executable()} run --quiet --output {tmp_path / 'inner'} -- sleep 2"
    alone = record(tmp_path, ["bash", "-c", f"{inner}; true"])
    assert alone.run.report()["data_loss"]["rows"] == []
    (evidence,) = alone.run.report()["verdict"]["evidence"]
    assert evidence["text"].startswith("the command ran `steptrace run` itself")
    shutil.rmtree(tmp_path / "inner")
    shutil.rmtree(alone.run.path)
    beside = f"{sys.executable} -S -c 'import time; time.sleep(2)'"
    outcome = record(tmp_path, ["bash", "-c", f"{inner}; {beside}"])
    (loss,) = outcome.run.report()["data_loss"]["rows"]
    assert "-S" in loss["detail"]


def test_hooks_off_is_what_was_asked_for(tmp_path):
    command = [sys.executable, "-c", "import time; time.sleep(2); print('done')"]
    outcome = record(tmp_path, command, "--hooks", "off")
    report = outcome.run.report()
    assert report["verdict"]["headline"] == "no step seen: the hooks were switched off"
    assert report["data_loss"]["rows"] == []


def test_hooks_off_in_a_child_is_not_the_runs(tmp_path):
    python = f"{sys.executable} -c 'import time; time.sleep(0.4)'"
    outcome = record(tmp_path, ["bash", "-c", f"STEPTRACE_HOOKS=off {python}; {python}"])
    report = outcome.run.report()
    assert "torch was not imported" in report["verdict"]["headline"]
    assert report["data_loss"]["rows"] == []


def test_program_without_python(tmp_path):
    outcome = same_as_without(tmp_path, ["sh", "-c", "sleep 1.2; echo done; exit 6"])
    assert outcome.status == 6
    assert "no_hooks" not in outcome.run.causes()
    assert outcome.run.rows("counters"), "the system is sampled all the same"
    report = outcome.run.report()
    assert report["verdict"]["reason"]["id"] == "no_steps"
    assert report["data_loss"]["rows"] == [], "nothing was lost"
    assert any("no process of the command was Python" in note["text"] for note in report["notes"])


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="needs root")
def test_process_of_another_user(tmp_path):
    """Rings are ours alone: a training of another user runs, and the report says why it is blank."""
    folder = private_folder()
    try:
        os.chmod(folder, 0o755)
        text = "import time; time.sleep(1.2); print('done')"
        command = [
            "setpriv",
            "--reuid=65534",
            "--regid=65534",
            "--clear-groups",
            "/bin/sh",
            "-c",
            "sleep 1.2; echo done; exit 3",
        ]
        outcome = same_as_without(folder, command)
        assert outcome.status == 3, text
        detail = next(
            r["detail"] for r in outcome.run.rows("data_loss") if r["cause"] == "no_hooks"
        )
        assert "65534" in detail
    finally:
        shutil.rmtree(folder)


def test_processes_left_behind(tmp_path):
    """A script that ends before what it started: the launcher ends with it, the agent later."""
    trains = "for i in range(10): step(0.02)\n"
    trains += f"open({str(tmp_path / 'trains')!r}, 'w').close()\n"
    trains += "for i in range(140): step(0.02)\n"
    child = script(tmp_path, trains, name="child.py")
    line = f"{child[0]} {child[1]} >/dev/null 2>&1 & "
    line += f"while [ ! -e {tmp_path / 'trains'} ]; do sleep 0.05; done; exit 5"
    outcome = record(tmp_path, ["bash", "-c", line])
    assert outcome.status == 5
    assert b"still train" in outcome.stderr
    from fault_tools import wait_for

    wait_for(lambda: outcome.run.manifest()["status"] == "failed", timeout=60)
    assert len(outcome.run.rows("steps")) == 150


def test_trainings_without_ranks_are_numbered(tmp_path):
    child = script(tmp_path, "for i in range(10): step()\n", name="child.py")
    line = f"{child[0]} {child[1]}; {child[0]} {child[1]}"
    outcome = record(tmp_path, ["bash", "-c", line])
    assert sorted({row["rank"] for row in outcome.run.rows("steps")}) == [0, 1]
    facts = [
        row["json"] for row in outcome.run.rows("run_metadata") if "numbered" in str(row["json"])
    ]
    assert len(facts) == 1
