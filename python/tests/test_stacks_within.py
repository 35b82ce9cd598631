# SPDX-License-Identifier: Apache-2.0
"""Stacks that a process samples itself (src/probe/stacks.h), in every Python that is found here: the
hooks' part and the probe's are real, the agent's word is written by the bytes of the specification
(src/wire/stack_control.h), and what was told is read by them."""

import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys

import pytest

PACKAGE = pathlib.Path(__file__).resolve().parents[1] / "steptrace"
PROBE = PACKAGE / "_probe.abi3.so"
pytestmark = pytest.mark.skipif(not PROBE.exists(), reason="the probe is not built")

WORD_AT = 1488  # kStackControlOffset of src/wire/stack_control.h
CONTROL, CONTROL_BYTES, RINGS, LARGE_RINGS = 4096, 128, 12, 4
ARENA, ARENA_USED = 64 << 10, 256
RING0 = ARENA + (4 << 20)
LARGE_RING_BYTES, RING_BYTES = 2 << 20, 128 << 10
PAYLOAD, STACK = 7, 22
RUNS = 1 << 32
MINORS = range(8, 15)


def python_of(minor):
    name = f"python3.{minor}"
    pyenv = sorted(pathlib.Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/{name}"))
    ask = "import sys; print(sys.version_info[1])"
    for path in filter(None, [*map(str, pyenv), shutil.which(name)]):
        done = subprocess.run([path, "-c", ask], capture_output=True, text=True, check=False)
        if done.returncode == 0 and done.stdout.strip() == str(minor):
            return path
    pytest.skip(f"no Python 3.{minor} on PATH or in ~/.pyenv/versions")


# `ask(ms)` is the agent, `look()` a boundary of the hooks; `told()` counts the records.
PRELUDE = """
import glob, importlib, os, struct, sys, threading, time
import _probe as p
p.attach()
hooks = type(sys)("hooks"); hooks.__path__ = [os.environ["HOOKS"]]; sys.modules["hooks"] = hooks
stacks = importlib.import_module("hooks.stacks")
class Hook:
    @staticmethod
    def say(state, reason): said.append((state, reason))
said = []
def ask(period_ns):
    (path,) = glob.glob(os.environ["STEPTRACE_RING_DIR"] + "/%d.*.ring" % os.getpid())
    file = os.open(path, os.O_WRONLY)
    os.pwrite(file, struct.pack("<QQ", period_ns, period_ns ^ 2**64 - 1), WORD_AT)
    os.close(file)
def look(): stacks.look(p, Hook)
def told(): return p.stats()["records"]
def comm(task):
    try:
        with open("/proc/self/task/%s/comm" % task) as file: return file.read().strip()
    except OSError: return "gone"  # meanwhile
def threads(): return sorted(set(map(comm, os.listdir("/proc/self/task"))) - {"gone"})
def until(what):
    end = time.monotonic() + 60
    while not what():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.001)
def begin(period_ns=2_000_000):
    ask(period_ns); look()
""".replace("WORD_AT", str(WORD_AT))


def run(folder, code, python=sys.executable, *options):
    path = folder / "program.py"
    path.write_text(PRELUDE + code)
    done = subprocess.run(
        [python, "-S", *options, str(path)],
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(PACKAGE),
            "PYTHONDONTWRITEBYTECODE": "1",
            "HOOKS": str(PACKAGE / "_hooks"),
            "STEPTRACE_RING_DIR": str(folder),
        },
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture
def folder(tmp_path):
    tmp_path.chmod(0o700)
    return tmp_path


def records_of(data):
    """(tsc, name, kind, _, _, a, b) of each record in a ring file, thread by thread."""
    for ring in range(RINGS):
        (head,) = struct.unpack_from("<Q", data, CONTROL + ring * CONTROL_BYTES)
        large = min(ring, LARGE_RINGS)
        start = RING0 + large * LARGE_RING_BYTES + (ring - large) * RING_BYTES
        for slot in range(head):
            yield struct.unpack_from("<QIBBHQQ", data, start + 32 * slot)


class Told:
    """What one ring file tells of stacks."""

    def __init__(self, path):
        self.data = path.read_bytes()
        self.texts = [json.loads(text) for text, kind in self._names() if text != "stack"]
        (self.pid,) = struct.unpack_from("<i", self.data, 32)

    def _names(self):
        at, end = ARENA, ARENA + struct.unpack_from("<Q", self.data, ARENA_USED)[0]
        self.by_id = [None]
        while at < end:
            size, kind = struct.unpack_from("<IH", self.data, at)
            text = self.data[at + 8 : at + 8 + size].decode()
            self.by_id.append(text)
            assert kind in (STACK, 5)
            if kind == STACK:
                yield text, kind
            at += 8 + (size + 7) // 8 * 8

    def records(self):
        """(text, tid, running) of all threads'."""
        for values in records_of(self.data):
            if values[2] == PAYLOAD and self.by_id[values[1]] == "stack":
                yield json.loads(self.by_id[values[5]]), values[6] & ~RUNS, values[6] >= RUNS

    def samples(self):
        """(frames, tid, running): frames are (function, file, line), outermost first."""
        for text, tid, running in self.records():
            if not tid:
                assert set(text) >= {"period_ns"}
                continue
            frames = []
            while text is not None:
                caller, code, line = text
                frames.append((*json.loads(self.by_id[code]), line))
                text = json.loads(self.by_id[caller]) if caller else None
            yield frames[::-1], tid, running


def told_in(folder):
    return sorted((Told(path) for path in folder.glob("*.ring")), key=lambda told: told.pid)


# Each line that calls names what it calls.
CALLS = """
class Work:
    def direct(self, n): return self.by_c(n)
    def by_c(self, n): return list(map(self.each, range(n)))
    @staticmethod
    def each(n): return Work.maker(n)
    @classmethod
    def maker(cls, n): return [one for one in cls.generator(n)]
    @staticmethod
    def generator(n):
        for _ in range(n): yield leaf(n)
def leaf(n): return sum(range(n))
def sleeper():
    while not done: time.sleep(0.001)
done = []
begin()
thread = threading.Thread(target=sleeper); thread.start()
def rounds():
    while told() < 120: Work().direct(40)
rounds()
done.append(1); thread.join()
p.stacks_stop(True)
print(threads(), said)
"""

CALLED = {
    "rounds": "rounds()",
    "Work.direct": "Work().direct(40)",
    "Work.by_c": "self.by_c(n)",
    "Work.each": "self.each,",
    "Work.maker": "Work.maker(n)",
    "Work.generator": "cls.generator(n)",
    "Work.maker.<locals>.<listcomp>": "[one for one in",
    "leaf": "leaf(n)",
}


@pytest.mark.parametrize("minor", MINORS)
def test_function_file_and_line_of_each_thread(folder, minor):
    out = run(folder, CALLS, python_of(minor))
    assert "steptrace-stack" not in out.split("]")[0], "it has ended"
    assert "('active', 'stacks: sampled by a thread of ours, steptrace-stack')" in out
    lines = (folder / "program.py").read_text().splitlines()
    (told,) = told_in(folder)
    samples = list(told.samples())
    assert len(samples) >= 100
    seen, sleeping = set(), 0
    for frames, tid, running in samples:
        if tid != told.pid:
            assert frames[-1][0] in ("sleeper", "Thread._bootstrap_inner") or frames[-1][1] != (
                str(folder / "program.py")
            )
            sleeping += not running
            continue
        assert frames[0][0] == "<module>" and frames[0][1] == str(folder / "program.py")
        for (_, _, line), (function, file, _) in zip(frames, frames[1:]):
            if file != str(folder / "program.py") or function not in CALLED:
                continue
            assert CALLED[function] in lines[line - 1], (function, lines[line - 1])
            seen.add(function)
    assert {"rounds", "Work.direct", "Work.by_c", "Work.each", "Work.maker"} <= seen
    assert sleeping > 0
    assert any(running for _, tid, running in samples if tid == told.pid)


@pytest.mark.parametrize("minor", MINORS)
def test_it_is_not_there_while_the_process_forks(folder, minor):
    """Since 3.12 a fork with threads is warned of: there is none."""
    code = """
begin()
assert said and not p.stacks_due()
for _ in range(3):
    until(lambda: "steptrace-stack" in threads())
    before = told()
    until(lambda: told() > before + 4)
    child = os.fork()
    if child == 0:
        assert len(os.listdir("/proc/self/task")) == 1
        assert not p.stacks_due(), "the child's agent has said nothing"
        p.name("child", 5)
        look()
        assert len(os.listdir("/proc/self/task")) == 1
        begin()
        until(lambda: told() > 4)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert p.stacks_due()
    look()
"""
    run(folder, code, python_of(minor), "-W", "error::DeprecationWarning")
    told = told_in(folder)
    assert len(told) == 4
    for process in told:
        samples = list(process.samples())
        assert samples and all(tid == process.pid for _, tid, _ in samples)


@pytest.mark.parametrize(
    "end",
    [
        "pass",
        "sys.exit(0)",
        "os._exit(0)",
        "thread = threading.Thread(target=lambda: until(lambda: told() > 40)); thread.start()",
        "import atexit; atexit.register(lambda: until(lambda: told() > 30))",
        "threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()",
        # With the interpreter's lock.
        "import ctypes; keep = lambda: [ctypes.PyDLL(None).usleep(120000) for _ in range(9)]\n"
        "threading.Thread(target=keep, daemon=True).start()",
    ],
)
@pytest.mark.parametrize("minor", [8, 12])
def test_however_the_script_ends(folder, minor, end):
    run(folder, f"begin()\nuntil(lambda: told() > 20)\n{end}\n", python_of(minor))


def test_the_agent_ends_it_and_begins_it_again(folder):
    run(
        folder,
        """
begin()
until(lambda: "steptrace-stack" in threads() and told())
ask(0)
until(lambda: "steptrace-stack" not in threads())
assert not p.stacks_due() and not p.asked()
before = told()
ask(3_000_000)
assert p.stacks_due() and p.asked()
look(); look()
until(lambda: "steptrace-stack" in threads() and told() > before)
assert len(os.listdir("/proc/self/task")) == 2
for senseless in (1, 10**12):
    ask(senseless)
    until(lambda: "steptrace-stack" not in threads())
    assert not p.stacks_due()
""",
    )
    (told,) = told_in(folder)
    periods = [text["period_ns"] for text, tid, _ in told.records() if not tid]
    assert periods[0] == 2_000_000 and 3_000_000 in periods


def test_no_finalizer_of_the_scripts_runs_in_it(folder):
    """Making a container may collect garbage, in whatever thread that is."""
    for minor in (8, 11):
        run(
            folder,
            """
idents = set()
class Garbage:
    def __init__(self): self.me = self
    def __del__(self): idents.add(threading.get_ident())
import gc; gc.set_threshold(3)
begin(1_000_000)
while told() < 60: Garbage()
assert idents == {threading.get_ident()}, idents
assert gc.isenabled()
""",
            python_of(minor),
        )


def test_deep_stacks_and_odd_names(folder):
    run(
        folder,
        """
def deep(n):
    if n: return deep(n - 1)
    until(lambda: told() > 20)
def odd():
    before = told()
    until(lambda: told() > before + 20)
sys.setrecursionlimit(3000)
begin()
deep(400)
exec(compile("odd()", '"\\\\\\n\\x01\\u00e9\\udcff' + "x" * 5000, "exec"))
""",
    )
    (told,) = told_in(folder)
    samples = list(told.samples())
    deepest = max((frames for frames, _, _ in samples), key=len)
    assert deepest[0][:2] == ("(outer frames)", "") and len(deepest) == 257
    files = {file for frames, _, _ in samples for _, file, _ in frames}
    (odd,) = [file for file in files if file.startswith('"')]
    assert odd.startswith('"\\\n\x01\u00e9\\udcff' + "x" * 900) and len(odd) < 1024


def test_what_is_distinct_without_end_is_bounded(folder):
    run(
        folder,
        """
begin(1_000_000)
def calls():
    for n in range(6000):
        scope = {"told": told}
        exec(compile("def made_%d():\\n  return told()" % n, "<made>", "exec"), scope)
        yield scope["made_%d" % n]
    while True: yield told
made = calls()
until(lambda: next(made)() > 200)
stats = p.stats()
assert stats["dropped_names"] == 0, stats
assert stats["name_bytes"] < 2 << 20
""",
    )


def test_no_thread_to_be_had_is_said_once(folder):
    out = run(
        folder,
        """
def refused(*arguments): raise RuntimeError("can't start new thread")
stacks.start_new_thread = refused
begin(); look(); ask(5_000_000); look()
print(said, p.stacks_due(), threads())
""",
    )
    assert out.startswith(
        "[('unavailable', \"stacks: RuntimeError: can't start new thread\")] False"
    )
    assert "steptrace-stack" not in out


def test_where_no_name_has_room_no_thread_is_begun_twice(folder):
    run(
        folder,
        """
def started(function, arguments):
    def run():
        function(*arguments)
        ended.append(1)
    threading.Thread(target=run).start()
stacks.start_new_thread = started
ended = []
made = 0
for size in (4000, 1):
    while p.name("x" * size + str(made), 5): made += 1
begin()
until(lambda: ended)
assert not p.stacks_due() and not p.asked()
""",
    )


def test_a_handler_of_the_scripts_is_not_run_in_a_fork_of_its(folder):
    """What it raises there would be printed, and lost."""
    out = run(
        folder,
        """
import ctypes, functools, signal
class Alarm(Exception): pass
def ring(*_): raise Alarm
signal.signal(signal.SIGUSR1, ring)
begin()
raise_now = ctypes.CDLL(None)["raise"]  # and no look at signals
os.register_at_fork(before=functools.partial(raise_now, int(signal.SIGUSR1)))
child = None
try:
    child = os.fork()
    if child == 0: os._exit(0)
    print("lost", flush=True)
except Alarm:
    print("raised")
if child == 0: os._exit(0)
""",
    )
    assert out == "raised\n"
