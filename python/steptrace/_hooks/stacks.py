# SPDX-License-Identifier: Apache-2.0
"""Stacks that the process samples itself: where the agent may not, or cannot, read its memory.

The agent asks for it (src/wire/stack_control.h); the look at its word is at boundaries of steps and
batches. The thread is native (src/probe/stacks.h), named "steptrace-stack", and the only one of ours
in a training. It is not there while the process forks, and begins anew at the next boundary, in the
child too if the agent asks there.
"""

import atexit
import functools
import gc
import os
import sys
from _thread import start_new_thread
from types import FunctionType

from . import interruption

_watched = False

_TOOLS = (
    getattr(sys, "_current_frames", None),
    gc.isenabled,
    gc.disable,
    gc.enable,
    type.__dict__["__dict__"].__get__,
    FunctionType,
    classmethod,
    staticmethod,
    property,
)


def look(probe, hook):
    """Starts the thread if the agent asks for it. Never raises."""
    try:
        if probe.stacks_claim():
            _start(probe, hook)
    except Exception as error:
        if interruption.of_the_script(error):
            raise


def _start(probe, hook):
    try:
        _watch(probe)
        start_new_thread(probe.stacks_take, (_TOOLS,))
    except Exception as error:  # no thread to be had: not asked for again
        probe.stacks_stop(True)
        if interruption.of_the_script(error):
            raise
        hook.say("unavailable", f"stacks: {type(error).__name__}: {error}")
    else:
        hook.say("active", "stacks: sampled by a thread of ours, steptrace-stack")


def _watch(probe):
    global _watched
    if _watched:
        return
    _watched = True
    # A fork of a process with threads is warned of since Python 3.12, and ours is none of its. No
    # function of Python's: a signal's handler would run in it, and what that raises be lost.
    os.register_at_fork(before=functools.partial(probe.stacks_stop, False))
    atexit.register(probe.stacks_stop, True)
