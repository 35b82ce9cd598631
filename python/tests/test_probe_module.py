# SPDX-License-Identifier: Apache-2.0
"""The native module as Python sees it, and its ring file read by the bytes of the specification
(src/wire/ring_layout.h), not by our own reader."""

import os
import pathlib
import re
import shutil
import stat
import struct
import subprocess
import sys
import textwrap

import pytest

PACKAGE = pathlib.Path(__file__).resolve().parents[1] / "steptrace"
PROBE = PACKAGE / "_probe.abi3.so"
pytestmark = pytest.mark.skipif(not PROBE.exists(), reason="the probe is not built")

CONTROL, CONTROL_BYTES = 4096, 128
ARENA, ARENA_USED = 64 << 10, 256
RING0, RING0_RECORDS = (64 << 10) + (4 << 20), 1 << 16
BEGIN, END, INSTANT, COUNTER, PAYLOAD = 1, 2, 3, 4, 7


def run(code, folder, python=sys.executable, **environment):
    """A Python process with the probe importable; its output."""
    result = subprocess.run(
        [python, "-S", "-c", "import _probe as p\n" + textwrap.dedent(code)],
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(PACKAGE),
            "STEPTRACE_RING_DIR": str(folder),
            **environment,
        },
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert result.returncode == 0 and result.stderr == "", result.stderr
    return result.stdout


@pytest.fixture
def folder(tmp_path):
    tmp_path.chmod(0o700)
    return tmp_path


class Ring:
    def __init__(self, path):
        self.data = path.read_bytes()
        self.mode = stat.S_IMODE(path.stat().st_mode)
        self.pid, self.ppid = struct.unpack_from("<ii", self.data, 32)
        self.rank, self.local_rank, self.world_size = struct.unpack_from("<iii", self.data, 48)
        self.comm = self.data[80:96].rstrip(b"\0").decode()
        self.disarmed = self.data[100:248].rstrip(b"\0").decode()
        self.names = list(self._names())

    def _names(self):
        at, end = ARENA, ARENA + struct.unpack_from("<Q", self.data, ARENA_USED)[0]
        while at < end:
            size, category = struct.unpack_from("<IH", self.data, at)
            yield self.data[at + 8 : at + 8 + size].decode(), category
            at += 8 + (size + 7) // 8 * 8

    def records(self):
        """(kind, name, a, b) of the main thread's."""
        (head,) = struct.unpack_from("<Q", self.data, CONTROL)
        for slot in range(head):
            _, name, kind, _, _, a, b = struct.unpack_from("<QIBBHQQ", self.data, RING0 + 32 * slot)
            yield kind, self.names[name - 1][0], a, b


def rings(folder):
    return sorted((Ring(path) for path in folder.glob("*.ring")), key=lambda ring: ring.pid)


def test_recorded_calls_are_in_the_file(folder):
    run(
        """
        assert p.attached() is False
        assert p.attach() is True and p.attach() is True and p.attached() is True
        x, y = p.name("x", 2), p.name("y", 1)
        assert p.name("x", 2) == x and p.name("x", 1) not in (x, y)
        p.begin(x); p.begin_args(y, 5, -1); p.end_args(6, 7); p.end()
        p.instant(x, 1, 2**64 - 1); p.counter(y, 2.5); p.counter(y, 3)
        p.fact("loader", '{"workers": 2}')
        """,
        folder,
        RANK="1",
        WORLD_SIZE="2",
    )
    (ring,) = rings(folder)
    assert ring.mode == 0o600
    assert (ring.rank, ring.local_rank, ring.world_size) == (1, -1, 2)
    assert ring.names[:3] == [("x", 2), ("y", 1), ("x", 1)]
    assert list(ring.records()) == [
        (BEGIN, "x", 0, 0),
        (BEGIN, "y", 5, 2**64 - 1),
        (END, "y", 6, 7),
        (END, "x", 0, 0),
        (INSTANT, "x", 1, 2**64 - 1),
        (COUNTER, "y", struct.unpack("<Q", struct.pack("<d", 2.5))[0], 0),
        (COUNTER, "y", struct.unpack("<Q", struct.pack("<d", 3.0))[0], 0),
        (PAYLOAD, "loader", 5, 0),
    ]
    assert ring.names[4] == ('{"workers": 2}', 5)


def test_the_stub_names_what_there_is(folder):
    declared = set(re.findall(r"^(?:def|class) (\w+)", (PACKAGE / "_probe.pyi").read_text(), re.M))
    there = set(run("print(*[n for n in dir(p) if n[0] != '_'])", folder).split())
    assert there == declared


def test_a_kept_range_begins_without_a_frame(folder):
    out = run(
        """
        import gc, sys, weakref
        p.attach()
        class Range(p.Range):
            __slots__ = ("__weakref__",)
            __exit__ = p.end
        x = Range(p.name("x", 1))
        with x as nothing, x: p.instant(x.id, 1, 0)
        leave = p.Range(p.name("y", 2), p.end).enter()
        leave()
        print(nothing, leave is p.end, x.id, p.Range(0).enter())
        try: x.id = 2
        except AttributeError: print("fixed")
        # Nothing is left behind by many, nor by what they hold.
        def end(): pass
        before = sys.getrefcount(end), sys.getrefcount(Range), sys.getrefcount(p.Range)
        kept = [Range(1, end) for _ in range(1000)] + [p.Range(1, end) for _ in range(1000)]
        gone = weakref.ref(kept[0])
        del kept; gc.collect()
        print(gone(), (sys.getrefcount(end), sys.getrefcount(Range), sys.getrefcount(p.Range)) == before)
        """,
        folder,
    )
    assert out == "None True 1 None\nfixed\nNone True\n"
    assert list(rings(folder)[0].records()) == [
        *[(BEGIN, "x", 0, 0)] * 2,
        (INSTANT, "x", 1, 0),
        *[(END, "x", 0, 0)] * 2,
        (BEGIN, "y", 0, 0),
        (END, "y", 0, 0),
    ]


PHASE = """
import time
p.attach()
asked = []
def ask(*subject):
    asked.append(subject)
    return "asked"
def phase(text, known=None, outer=None):
    return p.Phase(p.name(text, 2), ask, p.end, p.end_cpu, known, outer)
"""


def begun(folder):
    (ring,) = rings(folder)
    return [record for record in ring.records() if record[0] == BEGIN]


def test_a_phase_begins_by_itself_as_long_as_all_is_usual(folder):
    out = run(
        PHASE
        + """
class Thing: pass
one, other, odd, new = things = [Thing() for _ in range(4)]
known = {id(one): 7 | 0xFFFFFFFF << 32, id(other): 8, id(odd): [9]}
x, y = phase("x", known), phase("y")
assert x.id == p.name("x", 2) and x.enter(one) is p.end and y.enter() is p.end
p.end(); p.end()
x.enter(other)(); print(x.taken, y.taken, asked)
for unusual in (odd, new, None, 7):  # what is no int, or not known
    assert x.enter(unusual) == "asked"
assert asked == [(odd,), (new,), (None,), (7,)], asked
del asked[:]
def usual(): print(x.enter(other) is p.end); p.end()
def not_usual(): print(x.enter(other))
x.only = 8; usual(); x.only = 9; not_usual(); x.only = 2**64 - 1; not_usual(); x.only = 0
x.due_ns = time.monotonic_ns() + 10**12; usual()
x.due_ns = time.monotonic_ns(); not_usual(); x.due_ns = 0; not_usual(); x.due_ns = 2**63 - 1; usual()
for answer in (True, None, 0): x.question = lambda: answer; not_usual()
x.question = lambda: 1 / 0; not_usual()
x.question = lambda: False; usual(); x.question = None; usual()
print(x.taken, asked == [(other,)] * 8)
""",
        folder,
    )
    assert out.split("\n") == [
        "2 1 []",
        *["True", "asked", "asked"],
        *["True", "asked", "asked", "True"],
        *["asked"] * 4,
        *["True", "True"],
        "7 True",
        "",
    ]
    assert [record[1:3] for record in begun(folder)] == [
        ("x", 7 | 0xFFFFFFFF << 32),
        ("y", 0),
        *[("x", 8)] * 6,
    ]


def test_a_phase_with_borders_ends_as_one_without_where_no_device_is_used(folder):
    out = run(
        PHASE
        + """
x = phase("x"); assert x.border == -1
x.border = 2; end = x.enter(); print(end is p.end, end.__name__); end()
assert x.begin() is end; x.border = -1; end()  # it lost them since it began
x.measures = True; x.border = 2; end = x.enter(); print(end is p.end_cpu, end.__name__); end()
print(x.taken, asked, p.stats()["records"])
""",
        folder,
    )
    assert out.splitlines() == ["False end_at_border", "False end_cpu_at_border", "2 [] 6"]


def test_a_phase_measures_when_told_and_after_one_that_was_long(folder):
    """Long is over 2 ms; a busy machine may make any batch that."""
    out = run(
        PHASE
        + """
fetch = phase("fetch"); collate = phase("collate", None, fetch)
now = time.monotonic_ns
was_long, seen = False, []  # None: cannot be told
def batch(seconds):
    global was_long
    first = now(); leave = fetch.enter(); begun = now()
    time.sleep(seconds)
    due = now(); inner = collate.enter(); last = now()
    inner(); leave()
    measured = leave is p.end_cpu
    assert inner is p.end and (was_long is None or measured is (was_long or fetch.measures))
    seen.append(measured)
    was_long = True if due - begun > 2e6 else False if last - first < 2e6 else None
batch(0.01); batch(0)
assert seen == [False, True]
while seen[-1]: batch(0)  # measured no more
fetch.measures = True; batch(0); assert seen[-1]
fetch.measures = False; batch(0)
while seen[-1]: batch(0)
assert fetch.begin() in (p.end, p.end_cpu) and collate.begin() is p.end
print(fetch.taken == collate.taken == len(seen), asked); print(*seen)
""",
        folder,
    )
    counted, seen = out.splitlines()
    assert counted == "True []"
    ends = [record for record in rings(folder)[0].records() if record[0] == END]
    told = [cpu_ns > 0 for _, name, cpu_ns, _ in ends if name == "fetch"]
    assert " ".join(map(str, told)) == seen


def test_a_phase_passes_on_what_the_hooks_function_raises_and_keeps_nothing(folder):
    out = run(
        PHASE
        + """
import gc, sys
def late(*_): raise TimeoutError("the script's")
x = p.Phase(p.name("x", 2), late, p.end, p.end_cpu, {})
try: x.enter(1)
except TimeoutError as error: print(error)
for odd in (p.Phase(), p.Phase(None, None, None, None, 7, 8), p.Phase("no id", ask, p.end, p.end_cpu)):
    odd.begin(); p.end(); print(odd.enter(1) is p.end)
for name, bad in (("due_ns", "text"), ("only", None), ("measures", 2), ("id", 3)):
    try: setattr(x, name, bad)
    except (TypeError, AttributeError): print(name)
def question(): return False
def counts(): return [sys.getrefcount(thing) for thing in (ask, p.end, p.end_cpu, question, p.Phase, p.name)]
known = {}
before, size = counts(), sys.getrefcount(known)
for _ in range(1000):
    outer = p.Phase(1, ask, p.end, p.end_cpu, known)
    inner = p.Phase(1, ask, p.end, p.end_cpu, known, outer)
    inner.question = question; known[id(inner)] = 5; inner.enter(inner)(); inner.enter(7); known.clear()
del inner, outer, asked[:]; gc.collect()
print(counts() == before, sys.getrefcount(known) == size)
""",
        folder,
    )
    assert out.split() == [
        *["the", "script's", "False", "False", "True"],
        *["due_ns", "only", "measures", "id", "True", "True"],
    ]
    assert {record[1] for record in begun(folder)} <= {"x"}


def test_wrong_arguments_raise_nothing_and_record_nothing(folder):
    out = run(
        """
        p.attach()
        x = p.name("x", 1)
        for bad in (None, "text", 1.5, object(), [], float("nan")):
            p.begin(bad); p.end()
            p.begin_args(bad, bad, bad); p.end_args(bad, bad)
            p.begin_cpu(bad); p.end_cpu()
            with_it = p.Range(bad); with_it.__enter__(); p.end(bad, bad, bad); with_it.enter(); p.end()
            p.instant(bad, bad, bad); p.counter(bad, 1); p.fact(bad, 7); p.name(bad, bad)
        for bad in (None, "text", object(), []):
            p.counter(x, bad)
        p.begin_args(); p.end_args(); p.instant(); p.counter(); p.counter(x); p.fact(); p.name()
        p.end(); p.end_cpu(); p.Range().enter(); p.Range().__enter__()
        class Bad:
            def __bool__(self): raise ValueError
        p.pause(Bad())
        print(p.name("lone \\ud800 surrogate", 1) > 0, p.name(7, 1), p.name())
        print(p.name("", 1) == p.name("(no name)", 1) > 0)
        """,
        folder,
    )
    assert out == "True 0 0\nTrue\n"
    (ring,) = rings(folder)
    assert list(ring.records()) == []
    assert ("lone \\ud800 surrogate", 1) in ring.names


def test_an_id_that_overflows_is_no_crash(folder):
    run("p.attach(); p.begin(-1); p.end(); p.begin(2**70); p.end()", folder)


def test_disarm_leaves_its_reason(folder):
    run("p.attach(); p.disarm('hook failed: ünknown'); assert not p.attached()", folder)
    (ring,) = rings(folder)
    assert ring.disarmed == "hook failed: ünknown"


def test_a_forked_child_has_a_file_of_its_own_under_the_same_ids(folder):
    run(
        """
        import os
        p.attach()
        x = p.name("inherited", 1)
        p.begin(x)
        child = os.fork()
        if child == 0:
            p.begin(x); p.end(); p.end()
            p.instant(p.name("own", 1), 0, 0)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        p.end()
        """,
        folder,
    )
    first, second = rings(folder)
    parent, child = (first, second) if second.ppid == first.pid else (second, first)
    assert list(parent.records()) == [(BEGIN, "inherited", 0, 0), (END, "inherited", 0, 0)]
    assert list(child.records()) == [
        (BEGIN, "inherited", 0, 0),
        (END, "inherited", 0, 0),
        (INSTANT, "own", 0, 0),
    ]


def test_paused_ranges_leave_no_half(folder):
    run(
        """
        p.attach(); x = p.name("x", 1); y = p.name("y", 1)
        p.begin(x); p.pause(True); p.begin(y); p.pause(False); p.end(); p.end()
        """,
        folder,
    )
    (ring,) = rings(folder)
    assert [record[:2] for record in ring.records()] == [(BEGIN, "x"), (END, "x")]


def test_stats_count_what_is_lost(folder):
    out = run(
        """
        assert p.stats()["records"] == 0
        p.attach(); x = p.name("x", 1)
        for _ in range(40_000): p.begin(x); p.end()
        s = p.stats(); print(s["records"], s["dropped_full"], s["threads"], s["names"])
        """,
        folder,
    )
    assert out == "65536 14464 1 1\n"


def test_cpu_time_of_a_range(folder):
    run(
        """
        import time
        p.attach(); x = p.name("x", 1)
        p.begin_cpu(x)
        end = time.thread_time_ns() + 20_000_000
        while time.thread_time_ns() < end: pass
        time.sleep(0.05)
        p.end_cpu()
        """,
        folder,
    )
    _, (_, _, cpu_ns, wait_ns) = rings(folder)[0].records()
    assert 20e6 <= cpu_ns < 60e6
    assert wait_ns < 60e9


def test_without_the_variable_it_is_inert(tmp_path):
    code = (
        "assert not p.attach(); p.begin(1); p.end(); assert p.name('x', 1) == 0; print(p.stats())"
    )
    result = subprocess.run(
        [sys.executable, "-S", "-c", f"import _probe as p; {code}"],
        env={"PYTHONPATH": str(PACKAGE)}, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert set(eval(result.stdout).values()) == {0}


def other_pythons():
    """One of each version on PATH or of pyenv's, but ours."""
    candidates = [shutil.which(f"python3.{minor}") for minor in range(8, 15)]
    candidates += map(str, sorted(pathlib.Path.home().glob(".pyenv/versions/3.*/bin/python3")))
    ask = "import sys; print(*sys.version_info[:2])"
    found = {}
    for path in filter(None, candidates):
        answer = subprocess.run([path, "-c", ask], capture_output=True, text=True)
        version = tuple(map(int, answer.stdout.split())) if answer.returncode == 0 else (0, 0)
        if version >= (3, 8) and version != sys.version_info[:2]:
            found[version] = path
    return list(found.values())


def test_one_build_serves_every_python(folder):
    pythons = other_pythons()
    if not pythons:
        pytest.skip("no other Python on PATH")
    for python in pythons:
        run(
            """
            p.attach(); x = p.name("x", 1)
            for _ in range(1000): p.begin(x); p.begin_args(x, 1, 2); p.end_args(3, 4); p.end()
            ask, known = (lambda subject: p.stats), {id(x): 7}
            outer = p.Phase(x, ask, p.end, p.end_cpu)
            phase = p.Phase(x, ask, p.end, p.end_cpu, known, outer)
            phase.question, phase.only, phase.due_ns = (lambda: False), 7, 2**63 - 2
            for _ in range(1000): phase.enter(x)()
            assert phase.enter(p) is p.stats and phase.taken == 1000
            assert p.stats()["records"] == 6000
            """,
            folder,
            python=python,
        )
    assert len(rings(folder)) == len(pythons)
