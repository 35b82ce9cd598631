# SPDX-License-Identifier: Apache-2.0
"""Windows of one word that follow each other in the training process, with the fake probe."""

import pytest
from windowed import ASIDE, DONE, MISSED, REPLACED, UNAVAILABLE, marks, run


@pytest.mark.parametrize(
    ("word", "on", "told"),
    [
        pytest.param(
            "first_step=3, steps=1, next=[5, 1, 1, 7, 2, 1]",
            [3, 5, 7, 8],
            [
                "begin 1",
                f"end 1 1 {DONE}",
                "begin 2",
                f"end 2 1 {DONE}",
                "begin 3",
                f"end 3 2 {DONE}",
            ],
            id="with steps between",
        ),
        pytest.param(
            "first_step=3, steps=2, next=[5, 1, 1, 6, 2, 1]",
            [3, 4, 5, 6, 7],
            [
                "begin 1",
                "begin 2",
                f"end 1 2 {DONE}",
                "begin 3",
                f"end 2 1 {DONE}",
                f"end 3 2 {DONE}",
            ],
            id="right behind: each begins before the one before has ended",
        ),
        pytest.param(
            "steps=2, next=[3, 1, 1, 6, 1, 1]",
            [2, 3, 6],
            ["begin 1", f"end 1 2 {DONE}", f"end 2 0 {MISSED}", "begin 3", f"end 3 1 {DONE}"],
            id="the first that can be had took the second's steps",
        ),
        pytest.param(
            "first_step=3, steps=1, next=[4, 1, 2, 5, 1, 1, 9, 3, 1]",
            [3, 5, 9, 10, 11],
            [
                "begin 1",
                f"end 1 1 {DONE}",
                f"end 2 0 {UNAVAILABLE}",
                "begin 3",
                f"end 3 1 {DONE}",
                "begin 4",
                f"end 4 3 {DONE}",
            ],
            id="what cannot be had holds up nothing",
        ),
    ],
)
def test_windows_follow_each_other_by_themselves(tmp_path, word, on, told):
    """The agent's word comes too late for the next of short steps."""
    done = run(tmp_path, f"ask({word})\nfor _ in range(12): step()\nsay()")
    assert done.said == {"enabled": on, "left": False, "flag": False}
    assert marks(done) == told


def test_another_word_takes_the_place_of_all_that_would_follow(tmp_path):
    done = run(
        tmp_path,
        """
ask(first_step=3, steps=2, next=[6, 1, 1])
for _ in range(5): step()
ask(request=3, first_step=8, steps=1)
for _ in range(7): step()
say()
""",
    )
    assert done.said["enabled"] == [3, 4, 8]
    assert marks(done) == [
        "begin 1",
        f"end 1 2 {DONE}",
        f"end 2 0 {REPLACED}",
        "begin 3",
        f"end 3 1 {DONE}",
    ]


THEIRS = """
import threading
from torch.profiler import profile, ProfilerActivity
go, done, seen = threading.Event(), threading.Event(), []
def theirs():
    with profile(activities=[ProfilerActivity.CPU]) as profiler:
        torch.ones(8) @ torch.ones(8)
        go.set()
        done.wait()
        torch.ones(8) @ torch.ones(8)
    seen.append(sum(event.name == "aten::dot" for event in profiler.events()))
thread = threading.Thread(target=theirs)
"""


@pytest.mark.parametrize(
    ("word", "before", "told"),
    [
        pytest.param(
            "first_step=3, steps=2, next=[5, 3, 4]",
            4,
            ["begin 1", f"end 1 2 {DONE}", "begin 2", f"end 2 1 {DONE}"],
            id="a profile right behind operators waits for it",
        ),
        pytest.param(
            "first_step=3, steps=6, kinds=4",
            5,
            ["begin 1", f"end 1 2 {ASIDE}", f"end 1 2 {DONE}"],
            id="a profile that is on leaves when it has ended",
        ),
    ],
)
def test_the_scripts_profiler_in_another_thread_is_whole(tmp_path, word, before, told):
    """Kineto is one for the process, and two who begin it at once end the process."""
    (tmp_path / "run").mkdir()
    done = run(
        tmp_path,
        f"""{THEIRS}
ask({word})
for _ in range({before}): step()
thread.start()
go.wait()
for _ in range(2): step()
done.set()
thread.join()
for _ in range(5): step()
say(seen=seen)
""",
        STEPTRACE_RUN_DIR=str(tmp_path / "run"),
    )
    assert done.said["seen"] == [2] and done.said["left"] is False
    assert marks(done) == told


def test_a_child_of_a_fork_beside_a_beginning_profiler_begins_its_own(tmp_path):
    """Another thread is just between two of the hook's lines: the child has its lock, and not it."""
    done = run(
        tmp_path,
        """
import threading
(profilers,) = [module for name, module in sys.modules.items() if name.endswith("_hooks.profilers")]
step()
has, done = threading.Event(), threading.Event()
def holds():
    with profilers.turn:
        has.set()
        done.wait()
thread = threading.Thread(target=holds)
thread.start()
has.wait()
pid = os.fork()
if pid == 0:
    os._exit(0 if profilers.turn.acquire(timeout=0) else 3)
done.set()
thread.join()
say(child=os.waitpid(pid, 0)[1])
""",
    )
    assert done.said["child"] == 0


def test_a_child_that_is_forked_while_a_window_waits_has_none(tmp_path):
    done = run(
        tmp_path,
        """
ask(first_step=6, steps=1, next=[8, 1, 1])
for _ in range(3): step()
pid = os.fork()
if pid == 0:
    os.unlink(os.path.join(os.environ["FAKE_PROBE_DIR"], "capture.json"))  # of the parent's ring
    for _ in range(8): step()
    os._exit(3 if any(enabled[3:]) else 0)
say(child=os.waitpid(pid, 0)[1])
""",
    )
    assert done.said["child"] == 0
