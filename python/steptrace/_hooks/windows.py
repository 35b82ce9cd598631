# SPDX-License-Identifier: Apache-2.0
"""Windows: what the agent asks to be captured, begun and ended at the boundaries of steps.

    idle ── a request ──► waiting ── its first step ──► on ── its last step ──► idle
                             ▲                          │ ▲│
                             ├── the script's profiler ─┤ └┴─ another follows it at once
                             └── another follows it ────┘

A step of this process ends with the last optimizer step of a group; which optimizer that is shows
when a group repeats. The look at the agent's word costs one native call a step.
"""

import atexit
import os
from _thread import get_ident
from time import monotonic_ns

from . import captures, interruption, kernels, operators, profilers, stacks, tools, vocabulary

# More optimizers than this in a group: the boundary is where the first of them repeats all the same.
_MAX_GROUP = 1 << 14
# No number of an optimizer: none goes the short way.
_NONE = (1 << 64) - 1
# Operators of a step where the agent sets no bound: as many as the probe takes by itself (itt.h).
_MOST_OF_A_STEP = 1 << 20


class Boundaries:
    """Where the process's steps end, by the numbers of the optimizers that step."""

    def __init__(self):
        self.ended = 0  # steps that have ended before the group that goes on
        self.last = None  # the optimizer with which a group ends, once that is known
        self._group = set()
        self._previous = None
        # The optimizer that is a group by itself: with each of its steps one of the process's ends.
        self.alone = _NONE

    def step(self, number):
        """An optimizer steps. True: with its end a step ends. `alone` need only add to `ended`."""
        if number in self._group or len(self._group) >= _MAX_GROUP:
            self.ended += 1
            self.last = self._previous
            self._group.clear()
        self._group.add(number)
        self._previous = number
        ends = number == self.last
        self.alone = number if ends and len(self._group) == 1 else _NONE
        return ends


class Request:
    """One window of a word of the agent's (src/wire/ring_layout.h, CaptureControl)."""

    __slots__ = (
        "dur_ns",
        "enough",
        "first_step",
        "kinds",
        "max_operators",
        "number",
        "steps",
        "until_ns",
    )

    def __init__(
        self, number, first_step, steps, kinds, until_ns=0, max_operators=0, enough=(0, 0), dur_ns=0
    ):
        self.number = number
        self.first_step = first_step
        self.steps = steps
        self.kinds = kinds
        self.until_ns = until_ns
        self.max_operators = max_operators
        self.enough = enough  # operators, once it has so many steps
        self.dur_ns = dur_ns

    @property
    def splits(self):
        """Whether it separates computing from dispatch overhead: only whole steps do."""
        return self.enough[0] > 0

    def begins(self, border):
        return border >= self.first_step

    def begin(self):
        """Its time counts from its first begin."""
        if self.dur_ns and not self.until_ns:
            self.until_ns = monotonic_ns() + self.dur_ns

    def is_full(self, capture, captured):
        """Whether it has what it may have, as far as operators go: one step more would be too much, or no more
        is wanted."""
        most = self.max_operators
        if capture.is_full(max(1, most * captured // (captured + 1)) if most else 0):
            return True  # a profile by a bound of its own
        operators, steps = self.enough
        return operators > 0 and captured >= steps and capture.is_full(operators)

    def is_over(self, border, captured):
        """Whether no step that begins at this boundary belongs to it."""
        if self.until_ns and monotonic_ns() >= self.until_ns:
            return True
        if not self.steps:
            return False
        if self.first_step:
            return border >= self.first_step + self.steps
        return captured >= self.steps


def _requests(word):
    """What a word asks for: a window, and those that follow it."""
    number = word["request"]
    enough = word["enough_operators"], word["steps_of_enough"]
    bounds = word["until_ns"], word["max_operators"], enough, word["dur_ns"]
    first = Request(number, word["first_step"], word["steps"], word["kinds"], *bounds)
    windows = zip(*[iter(word["next"])] * 3)
    return first, [Request(number + 1 + i, *window) for i, window in enumerate(windows)]


class Windows:
    """The state of the process's window. Called by the thread that steps the optimizer: but for the
    steps that go the short way of `phase`, which it opens where nothing is to be done at them."""

    def __init__(self, probe, hook, phase):
        self.idle = True
        self.changed = probe.capture_changed
        self.asked = probe.asked
        self._probe = probe
        self._end = probe.end
        self._leave = probe.Quiet(self._leave_step, True)
        self._hook = hook
        self._begin_name = probe.name(vocabulary.WINDOW_BEGIN, vocabulary.WINDOW)
        self._capture_name = probe.name(vocabulary.CAPTURE, vocabulary.PHASE)
        self._end_name = probe.name(vocabulary.WINDOW_END, vocabulary.WINDOW)
        self._done_name = probe.name(vocabulary.DEVICE_DONE, vocabulary.WINDOW)
        self._boundaries = Boundaries()
        self._phase = phase
        phase.question = self.changed
        self._close_short_way()
        self._request = None
        self._next = []  # requests that follow it
        self._announced = None  # the first of them and its kinds: told already, it begins at once
        self._capture = None  # what is on
        self._ended = None  # devices of a window that is over, and its number: not yet all told
        self._captured = 0  # steps of this request

    @property
    def number(self):
        """Of the process's step that goes on, behind enter_step()."""
        return self._boundaries.ended

    def enter_step(self, number):
        """What ends the range of this optimizer step."""
        boundaries = self._boundaries
        boundaries.ended += self._phase.taken
        self._close_short_way()
        if not boundaries.step(number):
            return self._end
        if self.idle and not self.asked():
            self._phase.only = boundaries.alone
            return self._end
        return self._leave

    def _close_short_way(self):
        self._phase.only, self._phase.taken = _NONE, 0

    def _leave_step(self):
        """Begins before the end of the last step before the window; ends after that of its last."""
        try:
            self._guarded(self._before_boundary)
        finally:
            self._probe.end()
        self._guarded(self._after_boundary)

    def _guarded(self, action):
        try:
            action()
        except Exception as error:
            if interruption.of_the_script(error):
                raise
            self._fail(error)

    def _fail(self, error):
        request, self._request = self._request, None
        self._next, self._announced = [], None
        self.changed = _never
        self.asked = self._probe.stacks_due
        self._phase.question = None
        try:
            self._take_off(request)
        except Exception as another:  # what failed is said below, once
            if interruption.of_the_script(another):
                raise
        if request is not None:
            self._record_end(request, self._captured, vocabulary.WINDOW_FAILED)
        self._hook.say("failed", f"windows: {type(error).__name__}: {error}")

    def _before_boundary(self):
        stacks.look(self._probe, self._hook)
        if self._is_elsewhere() or self._is_cancelled():
            return
        if self.changed():
            self._take()
        border = self._boundaries.ended + 1
        if self._capture is not None:
            return self._announce_next(border)
        request = self._request
        while request is not None and request.is_over(border, self._captured):
            self._finish_over()
            request = self._request  # the one that follows
        if request is None or not request.begins(border):
            return
        kinds = captures.possible(request.kinds, self._hook)
        with self._own_work():
            self._begin(request, kinds)

    def _begin(self, request, kinds):
        if kinds and operators.script_profiles():
            return  # again at the next boundary
        if kinds and self._ended is not None and not self._report(kernels.NOW):
            return
        capture = self._capture = captures.Capture(self._probe, self._hook)
        kinds = capture.begin_devices(kinds)
        if not kinds:
            return self._finish(vocabulary.WINDOW_UNAVAILABLE)
        request.begin()
        self._record_begin(request, kinds)
        self._begin_host(kinds)

    def _begin_host(self, kinds):
        self._capture.begin_host(kinds)
        if kinds & captures.PROFILE:
            _watch_the_end(captures.PROFILE)

    def _own_work(self):
        return _OwnWork(self._probe, self._capture_name)

    def _announce_next(self, border):
        """At the boundary at which what is on ends, and at which another window begins: nothing of the
        script runs between the two. Not where devices still have to tell: the next begins a step later.
        """
        request = self._request
        if not self._next or not request.first_step or not request.is_over(border, self._captured):
            return
        following = self._next[0]
        if not following.begins(border) or self._capture.devices is not None:
            return
        if profilers.script_prepares():
            return  # it begins where any other does, when that has ended
        kinds = captures.possible(following.kinds, self._hook)
        if not kinds:
            following.kinds = 0
        elif not kinds & captures.KERNELS:
            self._announced = following, kinds
            self._record_begin(following, kinds)

    def _is_cancelled(self):
        return self._capture is not None and self._capture.cancelled

    def _is_elsewhere(self):
        """Whether what is on can be ended by another thread alone: its next boundary does."""
        capture = self._capture
        return capture is not None and capture.bound_to_thread and capture.thread != get_ident()

    def _after_boundary(self):
        if self._ended is not None and self._capture is None:
            self._report()
        request = self._request
        if request is None or self._is_elsewhere():
            return
        if self._is_cancelled():
            return self._leave_cancelled()
        border = self._boundaries.ended + 1
        capture = self._capture
        whole = capture is not None and capture.began_at_boundary
        if whole and request.splits:
            whole = capture.is_whole()
        self._captured += whole
        if request.is_over(border, self._captured):
            self._finish_over()
            self._begin_announced()
        elif capture is not None:
            room = capture.room(request.max_operators) or _MOST_OF_A_STEP
            left_out = capture.begin_step(room, request.splits)
            if left_out and whole:
                self._captured -= 1  # it is not all there: nothing can be split by it
            full = whole and request.is_full(capture, self._captured)
            capture.began_at_boundary = True
            if left_out or full:
                self._finish(vocabulary.WINDOW_FULL)

    def _leave_cancelled(self):
        """The script's profiler in another thread goes first: ours comes off when that has ended."""
        with self._own_work():
            if not profilers.script_prepares():
                self._remove_and_report(self._request, vocabulary.WINDOW_ASIDE)

    def _begin_announced(self):
        if self._announced is None:
            return
        (request, kinds), self._announced = self._announced, None
        if request is not self._request:
            return
        with self._own_work():
            if profilers.script_prepares():
                return self._record_end(request, 0, vocabulary.WINDOW_ASIDE)
            capture = self._capture = captures.Capture(self._probe, self._hook)
            self._begin_host(kinds)
        capture.begin_step(_MOST_OF_A_STEP)
        capture.began_at_boundary = True

    def _take(self):
        word = self._probe.capture_request()
        if word is None:
            return
        self._next = []
        if self._request is not None:
            self._finish(vocabulary.WINDOW_REPLACED)
        request, following = _requests(word)
        if request.kinds:
            _watch_the_end(captures.OPERATORS)
            self._request, self._next = request, following
            self._captured, self.idle = 0, False

    def _finish_over(self):
        missed = not self._captured
        self._finish(vocabulary.WINDOW_MISSED if missed else vocabulary.WINDOW_DONE)

    def _finish(self, reason):
        request, self._request = self._request, None
        try:
            self._remove_and_report(request, reason)
        finally:
            self._follow()

    def _follow(self):
        while self._next and self._request is None:
            request = self._next.pop(0)
            if request.kinds:
                self._request, self._captured, self.idle = request, 0, False
            else:
                self._record_end(request, 0, vocabulary.WINDOW_UNAVAILABLE)

    def _remove_and_report(self, request, reason):
        try:
            self._take_off(request)
        finally:  # nothing is recorded from here on, whatever became of torch's side
            self._record_end(request, self._captured, reason)

    def _take_off(self, request):
        try:
            if self._capture is not None:
                with self._own_work():
                    self._end_capture(request)
        finally:
            self.idle = self._request is None and self._ended is None

    def _end_capture(self, request):
        capture, self._capture = self._capture, None
        try:
            capture.end()
        finally:
            if capture.devices is not None:
                self._ended = (capture.devices, request.number if request else 0)

    def _report(self, when=kernels.LATER):
        """What devices did in a window that is over. True: all has been told."""
        ended, self._ended = self._ended, None
        devices, number = ended
        if not devices.reported(when):
            self._ended = ended
            return False
        self.idle = self._request is None
        self._probe.instant(self._done_name, number, 0)
        return True

    def _record_begin(self, request, kinds):
        step = min(self._boundaries.ended + 1, 0xFFFFFFFF)
        self._probe.instant(self._begin_name, request.number, kinds | step << 32)

    def _record_end(self, request, captured, reason):
        steps = min(captured, 0xFFFFFFFF)
        self._probe.instant(self._end_name, request.number, steps | reason << 32)

    def forget(self):
        """In a forked child: the window is its parent's, and so are the steps; the agent counts
        anew."""
        self._boundaries = Boundaries()
        self._close_short_way()
        self._request = self._capture = self._ended = self._announced = None
        self._next = []
        self.idle = True
        kernels.forget()

    def end_at_exit(self):
        if self._request is not None and self._capture is not None:
            self._next = []
            self._finish(vocabulary.WINDOW_DONE)

    def step_aside(self):
        """The script's own profiler begins: after it we go on, if it is in this thread."""
        kernels.stay(self._probe)
        capture = self._capture
        if capture is None:
            operators.take_left()
        elif capture.thread == get_ident():
            self._remove_and_report(self._request, vocabulary.WINDOW_ASIDE)
        else:
            capture.cancel()
            if capture.devices is not None:
                devices, capture.devices = capture.devices, None
                devices.end()
                self._ended = (devices, self._request.number)
        if self._ended is not None:
            self._report(kernels.NOW_OR_SOON)  # CUPTI is one for all threads


class _OwnWork:
    """A window begins or ends: a range of its own, for it is none of the script's time, and the
    process's turn with profilers."""

    def __init__(self, probe, name):
        self._probe = probe
        self._name = name

    def __enter__(self):
        self._turn = profilers.turn
        self._had = self._turn.acquire(timeout=profilers.LONGEST_TURN_S)
        self._probe.begin(self._name)

    def __exit__(self, *_):
        self._probe.end()
        if self._had:
            self._turn.release()


_watched = set()


def _watch_the_end(kind):
    """A process that ends in a window says how many steps it holds. And one that profiles writes what
    it has before its profiler is taken off (profilers.py): registered later, it runs earlier."""
    if kind not in _watched:
        _watched.add(kind)
        atexit.register(tools.quiet(end_at_exit, made_up=False))


def _forget_in_child():
    if current is not None:
        current.forget()


def _never():
    return False


# The process's windows; None before the optimizers' hook is in.
current = None


def begin(probe, hook, phase):
    global current
    if current is None:  # whoever forks may do so before any request
        os.register_at_fork(after_in_child=tools.quiet(_forget_in_child))
        # No boundary of a window would be seen any more.
        tools.add(tools.Part(aside=step_aside))
    current = Windows(probe, hook, phase)
    return current


def step_aside():
    """For the hooks around the script's profilers. Never raises."""
    if current is not None:
        current._guarded(current.step_aside)


def end_at_exit():
    """The interpreter ends. Never raises."""
    if current is not None:
        current._guarded(current.end_at_exit)
