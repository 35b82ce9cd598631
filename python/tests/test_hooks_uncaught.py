# SPDX-License-Identifier: Apache-2.0
"""Exceptions that nobody caught: what is told of them, and that the script notices nothing."""

import subprocess
import sys
import threading
import traceback

import hooked
import pytest

from steptrace._hooks import uncaught


class OwnText(ValueError):
    """Its text is the script's code, which nobody runs a second time."""

    def __str__(self):
        raise AssertionError("called")


class Shouts:
    def __repr__(self):
        raise AssertionError("called")


def with_reason(reason):
    error = UnicodeEncodeError("ascii", "ä", 0, 1, "ordinal not in range(128)")
    error.reason = reason
    return error


def raised(error):
    """What is told of it as it comes out of a function."""
    try:
        raise error
    except BaseException as caught:
        return uncaught.describe(type(caught), caught, caught.__traceback__)


@pytest.mark.parametrize(
    ("error", "name", "message"),
    [
        (RuntimeError("CUDA out of memory"), "RuntimeError", "CUDA out of memory"),
        (KeyError("label"), "KeyError", "'label'"),
        (ValueError("a", 3), "ValueError", "('a', 3)"),
        (ValueError("two\n ======\n  lines\t here"), "ValueError", "two lines here"),
        (
            FileNotFoundError(2, "No such file", "x"),
            "FileNotFoundError",
            "[Errno 2] No such file: 'x'",
        ),
        (
            subprocess.CalledProcessError(3, ["make", "data"]),
            "subprocess.CalledProcessError",
            "Command '['make', 'data']' returned non-zero exit status 3.",
        ),
        (OwnText("plain"), f"{__name__}.OwnText", "plain"),
        (OwnText("first of two", 1), f"{__name__}.OwnText", None),
        (KeyError(b"label"), "KeyError", "b'label'"),
        (
            UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
            "UnicodeDecodeError",
            "'utf-8' codec can't decode byte 0xff in position 0: invalid start byte",
        ),
        (
            UnicodeDecodeError("utf-8", bytearray(b"\xff"), 0, 1, "invalid start byte"),
            "UnicodeDecodeError",
            None,
        ),
        (with_reason(Shouts()), "UnicodeEncodeError", None),
        (OwnText(1), f"{__name__}.OwnText", None),
        (ValueError(Shouts()), "ValueError", None),
        (ValueError("x" * 5000), "ValueError", "x" * 599 + "…" + "x" * 400),
        (ValueError("\udcff"), "ValueError", "\\udcff"),
        (KeyboardInterrupt(), "KeyboardInterrupt", ""),
    ],
)
def test_type_and_message_are_the_interpreters(error, name, message):
    told = raised(error)
    assert (told["type"], told["message"]) == (name, message)
    assert [frame[2] for frame in told["frames"]] == ["raised"]


def test_an_exception_of_another_process_is_told_with_its_place():
    try:
        raise KeyError("label")
    except KeyError:
        text = traceback.format_exc()
    told = raised(RuntimeError(f"Caught KeyError in DataLoader worker process 0.\nOriginal {text}"))
    assert told["message"] == "Caught KeyError in DataLoader worker process 0. KeyError: 'label'"
    file, line, function = told["frames"][0]
    assert (file, function) == (
        __file__,
        "test_an_exception_of_another_process_is_told_with_its_place",
    )
    assert line == text_line(text)


def text_line(text):
    return int(text.split(", line ")[1].split(",")[0])


def test_of_a_deep_stack_both_ends_are_told():
    def dive(left):
        return 1 // left if left == 0 else dive(left - 1)

    try:
        dive(500)
    except ZeroDivisionError as error:
        told = uncaught.describe(type(error), error, error.__traceback__)
    assert len(told["frames"]) == 32
    assert told["frames"][-1][2] == "test_of_a_deep_stack_both_ends_are_told"


def test_the_place_of_a_syntax_error_is_in_the_source():
    with pytest.raises(SyntaxError) as caught:
        compile("ok = 1\nx = = 2\n", "made.py", "exec")
    told = uncaught.describe(caught.type, caught.value, None)
    assert told["frames"] == [["made.py", 2, None]]


def test_one_that_cannot_be_told_is_dropped(monkeypatch):
    def fails(*error):
        raise MemoryError

    monkeypatch.setattr(uncaught, "describe", fails)
    uncaught.report(ValueError, ValueError("x"), None)


def test_failing_threads_leave_room_for_the_main_thread(monkeypatch):
    told = []
    monkeypatch.setattr(uncaught, "_reported", [0, 0])
    monkeypatch.setattr(uncaught.facts, "say", lambda kind, fact: told.append(fact["thread"]))
    for number in range(40):
        uncaught.report(RuntimeError, RuntimeError("x"), None, f"loads {number}")
    uncaught.report(RuntimeError, RuntimeError("x"), None)
    assert (len(told), told[-1]) == (33, None)


class OwnName(threading.Thread):
    """Its name is the script's code."""

    @property
    def name(self):
        raise AssertionError("called")

    @property
    def __dict__(self):
        raise AssertionError("called")


@pytest.mark.parametrize(
    ("thread", "name"),
    [
        (threading.Thread(name="loads"), "loads"),
        (OwnName(name="loads"), "loads"),
        (None, "?"),
        (object(), "?"),
    ],
)
def test_the_name_of_a_thread_runs_nothing_of_the_scripts(monkeypatch, thread, name):
    told = []
    monkeypatch.setattr(uncaught, "_reported", [0, 0])
    monkeypatch.setattr(uncaught.facts, "say", lambda kind, fact: told.append(fact["thread"]))
    error = RuntimeError("x")
    arguments = threading.ExceptHookArgs((RuntimeError, error, None, thread))
    uncaught._report_thread(threading, arguments)
    assert told == [name]


SCRIPT = """
import sys, threading
try: import steptrace  # a reason to attach
except ImportError: pass
def fails(): raise RuntimeError("in " + threading.current_thread().name)
thread = threading.Thread(target=fails, name="loads")
thread.start(); thread.join()
{ends}
"""


def run(folder, ends):
    script = folder / "train.py"
    script.write_text(SCRIPT.replace("{ends}", ends))
    return hooked.run(folder / "ring", script), subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=600
    )


@pytest.mark.parametrize(
    ("ends", "told"),
    [
        (
            "fails()",
            [("RuntimeError", "in loads", "loads"), ("RuntimeError", "in MainThread", None)],
        ),
        (
            "sys.excepthook = lambda *error: print('mine'); fails()",
            [("RuntimeError", "in loads", "loads"), ("RuntimeError", "in MainThread", None)],
        ),
        ("sys.exit(3)", [("RuntimeError", "in loads", "loads")]),
        (
            "raise KeyboardInterrupt",
            [("RuntimeError", "in loads", "loads"), ("KeyboardInterrupt", "", None)],
        ),
    ],
)
def test_a_failing_script_says_why_and_fails_as_without(tmp_path, ends, told):
    recorded, plain = run(tmp_path, ends)
    exceptions = recorded.facts("exception")
    assert [(e["type"], e["message"], e["thread"]) for e in exceptions] == told
    assert recorded.returncode == plain.returncode
    assert (recorded.stdout, recorded.stderr) == (plain.stdout, plain.stderr)
