# SPDX-License-Identifier: Apache-2.0
"""Device time of forward, backward and the optimizer in every step: the probe records an event on the
current stream at each boundary of a phase (src/probe/device_phases.h); this says where the boundaries are.

Nothing of it runs before an optimizer has stepped in a process that has initialized its device. A
phase that goes its short way tells its boundaries itself (_probe.pyi, Phase.boundary); other hooks ask `on`
first. A boundary never raises but what is the script's.
"""

import atexit
import functools
import os
import sys

from . import interruption, tools

# As src/probe/device_phases.h numbers them.
DATA_BEGIN = 0
DATA_END = 1
BACKWARD_BEGIN = 2
BACKWARD_END = 3
OPTIMIZER_BEGIN = 4
OPTIMIZER_END = 5

on = False

_hook = None  # None: its word is off, or it has failed
_report = None
_phases = []  # that have boundaries, and the first of each
_NONE = -1  # no boundary
_holding = set()  # those who watch the driver's calls themselves meanwhile


def patch(module, hook):
    """torch.cuda."""
    global _hook
    _hook = hook
    hook.on_undo(_stop)


def has_boundaries(phase, first):
    """The phase lies between that boundary and the next."""
    phase.border = first if on else _NONE
    _phases.append((phase, first))


def begin():
    """At an optimizer's first step: a script that uses CUDA has initialized it by then."""
    global on, _report
    if on or _hook is None:
        return
    try:
        torch = sys.modules["torch"]
        if not torch.cuda.is_initialized():
            return
        stream = getattr(torch._C, "_cuda_getCurrentRawStream", None)
        if stream is None:
            return  # a build without CUDA: what it has is no such device
        _report = _hook.probe.device_border
        reason = _hook.probe.device_phases_begin(stream, torch._C._cuda_getDevice, _failed)
        if reason is not None:
            return _unavailable(reason)
        _hide_from_compiler()
        atexit.register(tools.quiet(_end, made_up=False))
        os.register_at_fork(after_in_child=tools.quiet(_stop))
        on = True
        _report_boundaries(True)
        if _holding:
            _hook.probe.device_phases_pause(True)
    except Exception as error:
        if interruption.of_the_script(error):
            raise
        _unavailable(f"{type(error).__name__}: {error}")


def _hide_from_compiler():
    """Called in a frame that torch.compile runs, these must not become code of its own."""
    frames = sys.modules.get("torch._dynamo.eval_frame")
    if frames is not None:
        for function in (border, _leave):
            frames.skip_code(function.__code__)


def border(number):
    """The thread is at that boundary, if this is on."""
    if on:
        _report(number)


def leaving(number, leave):
    """What an enter returns instead of `leave`: the boundary at the end of its phase comes first."""
    if _hook is None:  # the boundary at the begin of the phase has failed
        return leave
    return _hook.probe.Quiet(functools.partial(_leave, number, leave), True)


def _leave(number, leave):
    try:
        border(number)
    finally:
        leave()


def hold(who):
    """No call of ours from now on: `who` watches the driver's calls."""
    _holding.add(who)
    if on:
        _hook.probe.device_phases_pause(True)


def release(who):
    _holding.discard(who)
    if on and not _holding:
        _hook.probe.device_phases_pause(False)


def _failed(why):
    """There are no more boundaries: a text, or what torch raised."""
    if isinstance(why, BaseException):
        if not isinstance(why, Exception) or interruption.of_the_script(why):
            raise why
        why = f"{type(why).__name__}: {why}"
    _unavailable(why)


def _unavailable(reason):
    hook = _hook
    _stop()
    if hook is not None:
        hook.say("unavailable", f"device phases: {reason}")


def _end():
    hook = _hook
    if on and hook is not None:
        _stop()
        left_out = hook.probe.device_phases_end()
        if left_out:
            hook.say("limited", f"device phases: {left_out} boundaries found no free event")


def _stop():
    """For good, also in a forked child."""
    global on, _hook
    on = False
    _report_boundaries(False)
    _hook = None


def _report_boundaries(reported):
    for phase, first in _phases:
        phase.border = first if reported else _NONE
