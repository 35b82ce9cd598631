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
        self.begin_step = probe.operators_step
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

    def room(self, most):
        return max(1, most - self._recorded()) if most else 0

    def is_full(self, limit):
        return limit and self._recorded() >= limit

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
