# SPDX-License-Identifier: Apache-2.0
"""Operators by ITT: PyTorch says what it runs to the probe, which is its collector (probe/itt.h).

While that is on, the thread's profiler is ours, and torch would refuse the script its own: so it is
taken off before the script's begins. Nothing here changes what the script can see of the profiler
(torch.autograd.profiler._is_profiler_enabled stays False).
"""

import os
import sys
from _thread import _local, get_ident

from . import profilers

_COLLECTOR = "INTEL_LIBITTNOTIFY64"


def why_not():
    """Why operators cannot be captured in this process; None: they can."""
    if not profilers.armed():
        return "operators: its hook is off"
    torch = sys.modules["torch"]
    itt = getattr(torch.profiler, "itt", None)
    if itt is None or not itt.is_available():
        return "operators: this build of PyTorch has no ITT (torch.profiler.itt.is_available())"
    collector = os.environ.get(_COLLECTOR)
    if collector != os.environ.get("STEPTRACE_PROBE"):
        return f"operators: {_COLLECTOR} is not ours but {collector}: another tool collects"
    return None


class _Hold:
    """The profiler of a thread is ours. It goes with the thread: torch warns of one that stays."""

    def __init__(self):
        self._thread = get_ident()
        self._on = True

    def leave(self):
        if not self._on or self._thread != get_ident():
            return
        self._on = False
        autograd = sys.modules["torch"].autograd
        if autograd._profiler_enabled():
            autograd._disable_profiler()

    def __del__(self):
        try:
            self.leave()
        except Exception:
            pass


_own = _local()  # `hold`: this thread's


def take_left():
    """Takes ours off this thread. With no window on: one that ended in another thread, which could
    not."""
    hold = getattr(_own, "hold", None)
    if hold is not None:
        _own.hold = None
        hold.leave()


def script_profiles():
    """Whether a profiler is on in this thread, or about to be. With no window on."""
    take_left()
    return profilers.script_prepares() or sys.modules["torch"].autograd._profiler_enabled()


# Steps in a row that are left out because the ring is full: a reader that is as late as that is none.
_MOST_LEFT_OUT = 8


class Capture:
    """On from its making to end(), for the thread that made it and the backward of its graphs."""

    bound_to_thread = False  # elsewhere it is left on, and records nothing

    def __init__(self, probe):
        autograd = sys.modules["torch"].autograd
        profiler = autograd.profiler
        config = profiler.ProfilerConfig(
            profiler.ProfilerState.ITT,
            False,
            False,
            False,
            False,
            False,
            profiler._ExperimentalConfig(),
        )
        self.thread = get_ident()
        self.pid = os.getpid()
        self._recorded = probe.operators_recorded
        self._step = probe.operators_step
        self._fit = probe.operators_fit
        self._lost = probe.records_lost
        self._begun = 0  # operators before this step, and the most that one had
        self._most = 0
        self._waits = 0  # steps that have been left out as a whole, in a row
        self._left_out = 0  # operators of those
        self._lost_before = 0
        self._operators = probe.operators
        self._over = False
        profilers.remember(self)
        probe.operators(True)
        try:
            profiler._enable_profiler(config, set())
            _own.hold = _Hold()
        except BaseException:
            profilers.forget()
            probe.operators(False)
            raise

    def begin_step(self, most, whole=False):
        """A step may record `most` operators. Returns what of the one before was left out for that. `whole`: of
        steps that are not all there nothing is to be had. One for which the ring has no room, as far as the
        steps before tell, is left out as a whole then, and the next is there: a step that is recorded needs no
        reader that keeps up with it."""
        begun = self._recorded()
        self._most, self._begun = max(self._most, begun - self._begun), begun
        waited = self._waits > 0
        fits = not whole or self._waits >= _MOST_LEFT_OUT or self._fit(self._most)
        self._waits = 0 if fits else self._waits + 1
        left_out = self._step(most if fits else 0)
        self._lost_before = self._lost()
        if not waited:
            return left_out
        self._left_out += left_out
        return 0

    def is_whole(self):
        """Whether the step since begin_step() is all there."""
        return self._waits == 0 and self._lost() == self._lost_before

    def _taken(self):
        return self._recorded() - self._left_out

    def room(self, most):
        return max(1, most - self._taken()) if most else 0

    def is_full(self, limit):
        return limit and self._taken() >= limit

    def end(self):
        if self._over:  # the process ends: by itself, and with its window
            return
        self._over = True
        profilers.forget()
        try:
            if self.thread == get_ident():
                self.leave()
        finally:
            # In another thread it cannot be taken off: it stays, and records nothing.
            self._operators(False)

    def leave(self):
        take_left()
