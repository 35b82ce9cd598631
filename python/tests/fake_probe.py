# SPDX-License-Identifier: Apache-2.0
"""A stand-in for steptrace._probe (_probe.pyi) with the rules of the real one, which writes its
calls to a file a process: $FAKE_PROBE_DIR/<pid>.jsonl, one record a line.

It is stricter than the real one: a name that was not interned, an end without a begin, an argument
that does not fit 64 bits or a fact that is not JSON raises AssertionError and leaves a `broken`
line, which `records()` turns into a failure of the test.

FAKE_PROBE_FAIL: names (with commas) whose records raise, to see hooks fail.
FAKE_PROBE_KERNELS: why kernels_begin() refuses; FAKE_PROBE_DRAINS: how often the last
kernels_drain() has not reported all; FAKE_PROBE_STAYS: why CUPTI does not leave;
FAKE_PROBE_PAST: how often kernels_past() says that the device is not past the window.
FAKE_PROBE_PHASES: why device_phases_begin() refuses; FAKE_PROBE_BORDERS: how many boundaries go well;
FAKE_PROBE_NO_EVENT: how many were left out, as device_phases_end() says.
FAKE_PROBE_NO_ROOM: the tensor that finds none.
$FAKE_PROBE_DIR/capture.json: what the agent asks for (a dict as capture_request() gives it).
"""

import ctypes
import json
import math
import os
import sys
import threading
import time

_CATEGORIES = (1, 2, 3, 4, 10, 16, 20, 24)
_MAX_NAME_BYTES = 4096
_MAX_FACT_BYTES = 64 << 10

_attached = False
_paused = False
_ids = {}
_texts = {}
_files = {}
_lock = threading.Lock()
_open = threading.local()


def _stack():
    # A fork child has the ranges of the thread that forked: the real probe starts it afresh.
    if getattr(_open, "pid", None) != os.getpid():
        _open.pid, _open.stack = os.getpid(), []
    return _open.stack


def _write(*record):
    pid = os.getpid()
    with _lock:
        if pid not in _files:
            path = os.path.join(os.environ["FAKE_PROBE_DIR"], f"{pid}.jsonl")
            _files[pid] = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        line = json.dumps([threading.get_native_id(), *record]) + "\n"
        os.write(_files[pid], line.encode())


def _check(good, what):
    if not good:
        _write("broken", what)
        raise AssertionError(what)


def _named(name_id, a=0, b=0):
    _check(_attached, "not attached")
    _check(name_id in _texts, f"unknown name {name_id!r}")
    for argument in (a, b):
        _check(isinstance(argument, int) and 0 <= argument < 1 << 64, f"argument {argument!r}")
    text, category = _texts[name_id]
    if text in os.environ.get("FAKE_PROBE_FAIL", "").split(","):
        raise RuntimeError("made to fail")
    return text, category


def attach():
    global _attached
    _attached = bool(os.environ.get("STEPTRACE_RING_DIR"))
    return _attached


def attached():
    return _attached


def disarm(reason):
    _write("disarm", reason)


def name(text, category):
    _check(
        0 < len(text.encode(errors="backslashreplace")) <= _MAX_NAME_BYTES,
        f"name of {len(text)} characters",
    )
    _check(category in _CATEGORIES, f"category {category!r}")
    name_id = _ids.setdefault((text, category), len(_ids) + 1)
    _texts[name_id] = (text, category)
    return name_id


def begin(name_id):
    begin_args(name_id, 0, 0)


def begin_args(name_id, a, b):
    text, category = _named(name_id, a, b)
    _stack().append((text, False))
    _write("begin", text, category, a, b)


def begin_cpu(name_id):
    begin_cpu_args(name_id, 0, 0)


def begin_cpu_args(name_id, a, b):
    text, category = _named(name_id, a, b)
    _stack().append((text, True))
    _write("begin", text, category, a, b)


def end(*_):
    end_args(0, 0)


_waiting = []


def tensor(name_id, role, element_type, step, address, sizes, strides):
    """Of float32 that lies in a row, how many are not finite; of others 0."""
    text, _ = _named(name_id)
    _check(type(sizes) is tuple and type(strides) is tuple, "a shape of no tuples")
    if os.environ.get("FAKE_PROBE_NO_ROOM") == text:
        return None
    count = math.prod(sizes)
    bad = 0
    if element_type == 2 and count == 1 + sum((n - 1) * s for n, s in zip(sizes, strides)):
        bad = sum(not math.isfinite(x) for x in (ctypes.c_float * count).from_address(address))
    _waiting.append(["tensor", text, role, step, [element_type, count, bad]])
    if step is not None:
        _write(*_waiting.pop())
    return bad


def tensors_step(step):
    while _waiting:
        record = _waiting.pop(0)
        record[3] = step
        _write(*record)


class Range:
    """A name to be begun again and again."""

    def __init__(self, name_id, leave=None):
        self.id = name_id
        self._leave = leave

    def __enter__(self):
        begin(self.id)

    def enter(self):
        begin(self.id)
        return self._leave


class Quiet:
    """With no tool of the script's ever on."""

    def __init__(self, function, ends_range=False):
        self._function = function

    def __call__(self, *arguments):
        return self._function(*arguments)

    def make_up(self):
        pass


def tools_watch(aside, back, finder):
    return False


def tools_record(aside, back):
    _check(aside and back, f"names {aside!r}, {back!r}")


def tools_uncaught(report):
    """By the audit event that comes before sys.excepthook is called, whatever that is then."""

    def hear(event, arguments):
        if event == "sys.excepthook":
            report(*arguments[1:4])

    sys.addaudithook(hear)


def tools_audited():
    return False


def tools_expect(tool):
    _check(isinstance(tool, str), f"tool {tool!r}")


def tools_hurry(urgent):
    _check(isinstance(urgent, bool), f"urgent {urgent!r}")


def tools_own(own):
    _check(own in (0, 1, 2), f"own {own!r}")


def tools_aside():
    return False


class Phase:
    """Goes its short way where the real one does; it is unusual too that the range's begin raises."""

    _LONG_NS = 2_000_000

    def __init__(self, name_id, ask, end, end_cpu, known=None, outer=None):
        _check(outer is None or isinstance(outer, Phase), f"outer {outer!r}")
        self.id, self._ask, self._known, self._outer = name_id, ask, known, outer
        self._leaves = end, end_cpu
        self.measures = self._was_long = False
        self.border = -1
        self.question = None
        self.only = self.taken = self._began_ns = 0
        self.due_ns = 2**63 - 1
        self.left = 2**64 - 1

    def enter(self, *subject):
        _check(len(subject) == (self._known is not None), f"subject {subject!r}")
        try:
            if self._is_usual(*subject):
                leave = self._begin(*map(self._number, subject))
                self.taken += 1
                self.left -= self.left < 2**64 - 1
                return leave
        except RuntimeError:
            pass  # made to fail
        return self._ask(*subject)

    def _number(self, subject):
        return self._known.get(id(subject))

    def _is_usual(self, *subject):
        for number in map(self._number, subject):
            if not isinstance(number, int) or self.only not in (0, number):
                return False
        is_due = self.left == 0 or time.monotonic_ns() >= self.due_ns
        return (
            not stacks_due() and not is_due and (self.question is None or self.question() is False)
        )

    def begin(self):
        return self._begin()

    def _begin(self, number=0):
        if self.border >= 0:
            device_border(self.border)
        if self._outer is not None:
            taken_ns = time.monotonic_ns() - self._outer._began_ns
            self._outer._was_long = taken_ns > self._LONG_NS
        measures = self.measures or self._was_long
        (begin_cpu_args if measures else begin_args)(self.id, number, 0)
        self._began_ns = time.monotonic_ns()
        leave = self._leaves[measures]
        return leave if self.border < 0 else lambda: self._end_at_border(leave)

    def _end_at_border(self, leave):
        try:
            if self.border >= 0:
                device_border(self.border + 1)
        finally:
            leave()


def end_args(a, b):
    _check(bool(_stack()), "end without begin")
    text, _ = _stack().pop()
    _write("end", text, 0, a, b)


def end_cpu():
    _check(bool(_stack()), "end_cpu without begin")
    _check(_stack()[-1][1], "end_cpu of a range without readings")
    text, _ = _stack().pop()
    _write("end", text, 0, 1, 1)


def instant(name_id, a, b):
    text, category = _named(name_id, a, b)
    _write("instant", text, category, a, b)


def counter(name_id, value):
    text, category = _named(name_id)
    _write("counter", text, category, value, 0)


def fact(kind, json_text):
    _check(len(json_text.encode()) <= _MAX_FACT_BYTES, f"fact of {len(json_text)} characters")
    _write("fact", kind, 0, json.loads(json_text), 0)


def collection(phase, info):
    if info["generation"] != 2:
        return
    if phase == "start":
        begin_args(name("gc", 2), 2, 0)
    else:
        end()


def pause(on):
    global _paused
    _paused = on


def stats():
    return {"records": 0}


_seen_request = 0


def _capture():
    try:
        with open(os.path.join(os.environ["FAKE_PROBE_DIR"], "capture.json")) as file:
            return json.load(file)
    except FileNotFoundError:
        return {"request": 0}


def capture_changed():
    return _capture()["request"] != _seen_request


def asked():
    return capture_changed() or stacks_due()


# Asked for by a file $FAKE_PROBE_DIR/stacks: idle, claimed, on, "to be" one of the others, off.
_stacks = "idle"


def stacks_due():
    return _stacks == "idle" and os.path.exists(
        os.path.join(os.environ["FAKE_PROBE_DIR"], "stacks")
    )


def stacks_claim():
    global _stacks
    if not stacks_due():
        return False
    _stacks = "claimed"
    return True


def stacks_take(tools):
    global _stacks
    if _stacks != "claimed":
        return  # it was stopped before it began
    _check(len(tools) == 9 and threading.get_ident() in tools[0](), "the frames of this thread")
    _check("__init__" in tools[4](json.JSONEncoder), "the names of a class")
    _stacks = "on"
    _write("stacks", "take", 0, 0, 0)
    while _stacks == "on":
        time.sleep(0.001)
    _write("stacks", "end", 0, 0, 0)
    _stacks = _stacks[len("to be ") :]


def stacks_stop(for_good):
    global _stacks
    _check(not _stacks.startswith("to be"), "stopped by two at a time")
    if _stacks == "on":
        _stacks = "to be off" if for_good else "to be idle"
        while _stacks.startswith("to be"):
            time.sleep(0.001)
    elif _stacks != "off":
        _stacks = "off" if for_good else "idle"


def capture_request():
    global _seen_request
    word = _capture()
    _seen_request = word["request"]
    return {"next": [], **word} if word["request"] else None


def operators(on):
    _write("operators", "on" if on else "off", 0, 0, 0)


def operators_step(most):
    _write("operators_step", "", 0, most, 0)
    return int(os.environ.get("FAKE_PROBE_LEFT_OUT", "0"))


def exit_plainly():
    _check(_attached, "not attached")
    _write("exit_plainly", "")


def kernels_begin(known_users):
    _check(known_users in range(4), f"known users {known_users!r}")
    _write("kernels", "on", 0, known_users, 0)
    return os.environ.get("FAKE_PROBE_KERNELS") or None


def kernels_taken():
    return "is taken" in os.environ.get("FAKE_PROBE_KERNELS", "")


def kernels_end():
    _write("kernels", "off", 0, 0, 0)


_drains_left = int(os.environ.get("FAKE_PROBE_DRAINS", "0"))


def kernels_drain(last):
    global _drains_left
    _check(isinstance(last, bool), "last is a bool")
    if last:
        _drains_left -= 1
    done = last and _drains_left < 0
    _write("kernels", "told" if done else "drain", 0, 0, 0)
    return done


_pasts_left = int(os.environ.get("FAKE_PROBE_PAST", "0"))


def kernels_past():
    global _pasts_left
    _pasts_left -= 1
    return _pasts_left < 0


def kernels_detach():
    _write("kernels", "detach", 0, 0, 0)
    return os.environ.get("FAKE_PROBE_STAYS") or None


def kernels_stay():
    _write("kernels", "stay", 0, 0, 0)
    return False


def device_phases_begin(stream, device, failed):
    _write("phases", "begin", 0, 0, 0)
    _boundaries.update(stream=stream, device=device, failed=failed)
    return os.environ.get("FAKE_PROBE_PHASES") or None


def device_border(border):
    """As in the real one, what torch raises is for `failed` to judge."""
    _check(border in range(6), f"border {border!r}")
    try:
        stream = _boundaries["stream"](_boundaries["device"]())
        _check(isinstance(stream, int) and 0 <= stream < 1 << 64, f"stream {stream!r}")
        _write("border", _BORDERS[border], 0, stream, 0)
        if _BORDERS[border] in os.environ.get("FAKE_PROBE_FAIL", "").split(","):
            raise RuntimeError("made to fail")
    except Exception as error:
        return _boundaries["failed"](error)
    left = int(os.environ.get("FAKE_PROBE_BORDERS", "1000000")) - len(_reported)
    _reported.append(border)
    if left <= 0:
        _boundaries["failed"]("cuEventRecord fails with CUDA error 719")


_BORDERS = ("data_begin", "data_end", "backward_begin", "backward_end", "step_begin", "step_end")
_reported = []
_boundaries = {}


def device_phases_pause(on):
    _check(isinstance(on, bool), "on is a bool")
    _write("phases", "pause" if on else "go on", 0, 0, 0)


def device_phases_end():
    _write("phases", "end", 0, 0, 0)
    return int(os.environ.get("FAKE_PROBE_NO_EVENT", "0"))


def operators_recorded():
    return int(os.environ.get("FAKE_PROBE_OPERATORS", "0"))


def operators_fit(operators):
    """FAKE_PROBE_FIT: of the steps that ask, by a digit each; the last holds on."""
    answers = os.environ.get("FAKE_PROBE_FIT", "1")
    _asked_to_fit.append(operators)
    _write("operators_fit", "", 0, operators, 0)
    return answers[min(len(_asked_to_fit), len(answers)) - 1] == "1"


_asked_to_fit = []


def records_lost():
    """FAKE_PROBE_LOST: at which calls one more had been lost, by a digit each."""
    marks = os.environ.get("FAKE_PROBE_LOST", "")
    _asked_of_losses.append(1)
    return marks[: len(_asked_of_losses)].count("1")


_asked_of_losses = []
