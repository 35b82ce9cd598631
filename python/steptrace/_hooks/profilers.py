# SPDX-License-Identifier: Apache-2.0
"""Whose torch's profilers are: the script's own go first, and of ours one is on at a time.

What begins a profiler of ours asks here; script_profilers.py tells of the script's.
"""

import atexit
import os
import sys
import weakref
from _thread import RLock, get_ident

from . import interruption, tools

# Held while a profiler begins or ends, ours or the script's: Kineto is one for the process, and takes
# two that do so at once badly.
turn = RLock()
# Whoever has it ends a profile at most; a thread that an exception took from us may have kept it.
LONGEST_TURN_S = 10

# Profilers of the script's that have been prepared and not ended: weak references.
_preparing = []
_MAX_PREPARING = 16

_armed = False  # the script's profilers are watched

_on = []  # ours that is on, for a child that is forked meanwhile and for the process's end
_registered = False


def arm():
    """The script's profilers are watched from now on."""
    global _armed
    os.register_at_fork(after_in_child=tools.quiet(_new_turn))
    tools.add(tools.Part(back=_forget_ended))
    _armed = True


def disarm():
    global _armed
    _armed = False


def armed():
    """Whether the script's own profilers are watched: without that none of ours may begin."""
    return _armed


def _new_turn():
    """In a child that was forked: another thread of the parent's may have had it."""
    global turn
    turn = RLock()


def _forget_ended():
    """While the hooks are aside, a profiler of the script's ends unseen."""
    if not sys.modules["torch"].autograd._profiler_enabled():
        here = get_ident()
        _preparing[:] = [one for one in _preparing if one.thread != here]


class _Prepared(weakref.ref):
    """A profiler, and the thread that prepared it."""

    def __init__(self, profiler):
        super().__init__(profiler)
        self.thread = get_ident()


def script_begins(profiler):
    del _preparing[:-_MAX_PREPARING]
    _preparing.append(_Prepared(profiler))


def script_ends(profiler):
    _preparing[:] = [one for one in _preparing if one() is not profiler]


def script_prepares():
    """Whether the script has a profiler that is on or about to be, in any thread."""
    _preparing[:] = [reference for reference in _preparing if reference() is not None]
    return bool(_preparing)


def remember(capture):
    """A child that is forked while the capture is on gets rid of it; the process's end ends it."""
    global _registered
    if not _registered:
        _registered = True
        os.register_at_fork(after_in_child=tools.quiet(_leave_in_child, made_up=False))
        atexit.register(tools.quiet(_leave_at_exit, made_up=False))
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
    except Exception as error:
        if interruption.of_the_script(error):
            raise
