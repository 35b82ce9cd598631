# SPDX-License-Identifier: Apache-2.0
"""Operators by ITT: PyTorch says what it runs to the probe, which is its collector (probe/itt.h).

While that is on, the thread's profiler is ours, and torch would refuse the script its own: so it is
taken off before the script's begins. Nothing here changes what the script can see of the profiler
(torch.autograd.profiler._is_profiler_enabled stays False).
"""

import atexit
import os
import sys
import weakref
from _thread import RLock, _local, get_ident

from . import device_phases, interruption, windows
from .surround import Calls, nothing

_COLLECTOR = "INTEL_LIBITTNOTIFY64"

# Profilers of the script's that have been prepared and not ended: weak references.
_preparing = []
_MAX_PREPARING = 16

# Held while a profiler begins or ends, ours or the script's: Kineto is one for the process, and takes
# two that do so at once badly.
turn = RLock()
# Whoever has it ends a profile at most; a thread that an exception took from us may have kept it.
LONGEST_TURN_S = 10

_PROFILERS = "the script's profilers"  # they would tell of what device_phases calls

_armed = False  # the script's profilers are watched


def armed():
    """Whether the script's own profilers are watched: without that none of ours may begin."""
    return _armed


def why_not():
    """Why operators cannot be captured in this process; None: they can."""
    if not _armed:
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
    return script_prepares() or sys.modules["torch"].autograd._profiler_enabled()


def script_prepares():
    """Whether the script has a profiler that is on or about to be, in any thread."""
    _preparing[:] = [reference for reference in _preparing if reference() is not None]
    return bool(_preparing)


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
        remember(self)
        probe.operators(True)
        try:
            profiler._enable_profiler(config, set())
            _own.hold = _Hold()
        except BaseException:
            _on.clear()
            probe.operators(False)
            raise

    def is_full(self, limit):
        return limit and self._recorded() >= limit

    def end(self):
        if self._over:  # the process ends: by itself, and with its window
            return
        self._over = True
        forget()
        try:
            if self.thread == get_ident():
                self.leave()
        finally:
            # In another thread it cannot be taken off: it stays, and records nothing.
            self._operators(False)

    def leave(self):
        take_left()


_on = []  # what is on, for a child that is forked meanwhile and for the process's end
_registered = False


def remember(capture):
    """A child that is forked while the capture is on gets rid of it; the process's end ends it."""
    global _registered
    if not _registered:
        _registered = True
        os.register_at_fork(after_in_child=_leave_in_child)
        atexit.register(_leave_at_exit)
    _on[:] = [capture]


def forget():
    """The capture is off."""
    _on.clear()


def _leave_at_exit():
    try:
        while _on:
            _on[0].end()
    except Exception as error:
        if interruption.of_the_script(error):
            raise


def _leave_in_child():
    """The child has this thread's profiler and not our window: it gets rid of it."""
    try:
        while _on:
            capture = _on.pop()
            if capture.thread == get_ident():
                capture.leave()
        if windows.current is not None:
            windows.current.forget()
    except Exception as error:
        if interruption.of_the_script(error):
            raise


def patch(module, hook):
    """torch.autograd.profiler, and the older one: what the script's own profilers begin with."""
    global _armed

    def aside(self):
        try:
            had = turn.acquire(timeout=LONGEST_TURN_S)
            try:
                windows.step_aside()
                del _preparing[:-_MAX_PREPARING]
                _preparing.append(weakref.ref(self))
            finally:
                if had:
                    turn.release()
            device_phases.hold(_PROFILERS)
        except Exception as error:
            return hook.fail(error)
        return nothing

    def after(self):
        return lambda: _forget(self)

    begin = Calls(aside, ("self",))
    end = Calls(after, ("self",))
    first = "_prepare_trace" if hasattr(module.profile, "_prepare_trace") else "__enter__"
    hook.around(module.profile, first, begin)
    hook.around(module.profile, "__exit__", end)
    for other in ("emit_itt", "emit_nvtx"):
        if hasattr(module, other):
            hook.around(getattr(module, other), "__enter__", begin)
            hook.around(getattr(module, other), "__exit__", end)
    os.register_at_fork(after_in_child=_new_turn)
    _armed = True
    hook.on_undo(_disarm)


def _new_turn():
    """In a child that was forked: another thread of the parent's may have had it."""
    global turn
    turn = RLock()


def _disarm():
    global _armed
    _armed = False


def _forget(profiler):
    _preparing[:] = [one for one in _preparing if one() is not profiler]
    if not any(one() is not None for one in _preparing):
        device_phases.release(_PROFILERS)
