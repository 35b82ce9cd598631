# SPDX-License-Identifier: Apache-2.0
"""Operators by ITT: PyTorch says what it runs to the probe, which is its collector (probe/itt.h).

While that is on, the thread's profiler is ours, and torch would refuse the script its own: so it is
taken off before the script's begins. Nothing here changes what the script can see of the profiler
(torch.autograd.profiler._is_profiler_enabled stays False).
"""

import os
import sys
import weakref
from _thread import get_ident

from . import interruption, windows
from .surround import Calls, nothing

_COLLECTOR = "INTEL_LIBITTNOTIFY64"

# Profilers of the script's that have been prepared and not ended: weak references.
_preparing = []
_MAX_PREPARING = 16

_armed = False  # the script's profilers are watched


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


def watched():
    """Whether the script's profilers are seen when they begin."""
    return _armed


def script_profiles():
    """Whether a profiler is on in this thread, or about to be."""
    _preparing[:] = [reference for reference in _preparing if reference() is not None]
    return bool(_preparing) or sys.modules["torch"].autograd._profiler_enabled()


class Capture:
    """On from its making to end(), for the thread that made it and the backward of its graphs."""

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
        self.recorded = probe.operators_recorded
        self._operators = probe.operators
        _after_fork(self)
        probe.operators(True)
        try:
            profiler._enable_profiler(config, set())
        except BaseException:
            probe.operators(False)
            raise

    def end(self):
        _on.clear()
        if self.thread == get_ident():
            self._disable()
        # In another thread it cannot be taken off: it stays, and records nothing.
        self._operators(False)

    def _disable(self):
        autograd = sys.modules["torch"].autograd
        if autograd._profiler_enabled():
            autograd._disable_profiler()


_on = []  # what is on, for a child that is forked meanwhile
_registered = False


def _after_fork(capture):
    global _registered
    if not _registered:
        _registered = True
        os.register_at_fork(after_in_child=_leave_in_child)
    _on[:] = [capture]


def _leave_in_child():
    """The child has this thread's profiler and not our window: it gets rid of it."""
    try:
        while _on:
            capture = _on.pop()
            if capture.thread == get_ident():
                capture._disable()
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
            windows.step_aside()
            del _preparing[:-_MAX_PREPARING]
            _preparing.append(weakref.ref(self))
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
    _armed = True
    hook.on_undo(_disarm)


def _disarm():
    global _armed
    _armed = False


def _forget(profiler):
    _preparing[:] = [one for one in _preparing if one() is not profiler]
