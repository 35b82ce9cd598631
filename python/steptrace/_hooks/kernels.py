# SPDX-License-Identifier: Apache-2.0
"""Device activity by CUPTI: the probe collects it (probe/kernels.h), this says when.

CUPTI is one for the process: what it tells goes to whoever asked last. So ours is off, and all of
it handed over, before the script's profiler begins, in whatever thread that is, and stays off where
others use CUPTI (other_users.py). While it is in the process calls of CUDA take longer, so it is
asked to leave after a window, but not where graphs or others are (probe/cupti_detach.h).
"""

import atexit
import sys
from _thread import allocate_lock
from time import monotonic_ns, sleep

from . import other_users, profilers, tools

# What the device has not done when a window ends is told at the first boundary after so long at which
# the device has ended what was launched behind the window; no later than the second.
_LINGER_NS = 20_000_000
_LONGEST_LINGER_NS = 1_000_000_000

# When all has to be told: when devices have had their time, now if it can be, or now and waited for.
LATER, NOW, NOW_OR_SOON = range(3)
# A thread of CUPTI's that is about to hand over what it saw is waited for a millisecond so often.
_TRIES_SOON = 20

_STAYS = "CUPTI stays in the process, and calls of CUDA take longer until it ends: "

# Held while CUPTI is asked to leave, and while the capture of a graph takes that back. Not the
# turn of profilers: who begins one may have that for long, and a training's capture is not to wait.
_detaching = allocate_lock()
# Whoever has it waits for a CUPTI that is on its way out so long at most (probe/cupti_detach.cc).
_LONGEST_DETACH_S = 0.05

_graphs_watched = False
_graphs = False  # the process has captured one
_left = False  # CUPTI has left, or is about to
_detach_probe = None  # the probe that it was asked by, for the interpreter's end
_exit_watched = False
_on = None  # the capture that has to end before the process does


def why_not():
    """Why device activity cannot be captured in this process; None: it may be."""
    if not profilers.armed():
        return "kernels: the hook that sees the script's own profiler begin (operators) is off"
    torch = sys.modules.get("torch")
    cuda = getattr(torch, "cuda", None)
    if cuda is None or not cuda.is_initialized():
        return "kernels: CUDA is not initialized in this process (torch.cuda.is_initialized())"
    return None


class Capture:
    """On from begin() to end(); what is under way then comes until reported() is true."""

    def __init__(self, probe, hook):
        self._probe = probe
        self._hook = hook
        self._ended_ns = None

    def begin(self):
        """Whether it is on; else it is said why not."""
        global _left, _on
        stay(self._probe)
        if _left and _graphs:
            return self._refused("CUDA graphs were captured since CUPTI has left the process")
        reason = self._probe.kernels_begin(other_users.known())
        if reason is not None:
            taken = (
                {"cause": "cupti_taken", "detail": reason} if self._probe.kernels_taken() else {}
            )
            return self._refused(reason, **taken)
        _left = False
        _watch_exit()
        _on = self
        return True

    def _refused(self, reason, **more):
        self._hook.say("unavailable", f"kernels: {reason}", **more)
        return False

    def end(self):
        if self._ended_ns is None:
            self._ended_ns = monotonic_ns()
            self._probe.kernels_end()
            self._probe.kernels_drain(False)

    def reported(self, when):
        """Hands over what there is. True: all has been, and CUPTI is free for others."""
        global _on
        if when == LATER and not self._is_time():
            return False
        tries = _TRIES_SOON if when == NOW_OR_SOON else 1
        while not self._probe.kernels_drain(True):
            tries -= 1
            if tries == 0:
                return False
            sleep(0.001)
        if _on is self:
            _on = None
        if when != NOW_OR_SOON and profilers.turn.acquire(blocking=False):
            # Else somebody's profiler begins, and needs it.
            try:
                if not profilers.script_prepares():
                    self._leave()
            finally:
                profilers.turn.release()
        return True

    def _is_time(self):
        """Hands over what there is; whether what is left may be given up."""
        self._probe.kernels_drain(False)
        waited_ns = monotonic_ns() - self._ended_ns
        if waited_ns < _LINGER_NS:
            return False
        return waited_ns >= _LONGEST_LINGER_NS or self._probe.kernels_past()

    def _leave(self):
        global _detach_probe, _left
        if not _graphs_watched:
            reason = "whether there are CUDA graphs is not seen (hook device)"
        elif other_users.in_use():
            reason = "another tool that uses it is loaded"
        elif not (detaching := _detaching).acquire(blocking=False):
            reason = "there are CUDA graphs"  # the first is about to be captured
        else:
            try:
                reason = "there are CUDA graphs" if _graphs else self._probe.kernels_detach()
                if reason is None:
                    _left = True
                    _detach_probe = self._probe
            finally:
                detaching.release()
        if reason is not None:
            detail = _STAYS + reason
            self._hook.say("limited", "kernels: " + detail, cause="cupti_stays", detail=detail)


def watch_graphs(on):
    global _graphs_watched
    _graphs_watched = on


def note_graph(probe):
    """A CUDA graph is about to be captured."""
    global _graphs
    detaching = _detaching  # a handler of a signal may fork meanwhile, which makes a new one
    had = detaching.acquire(timeout=_LONGEST_DETACH_S)
    try:
        _graphs = True
        stay(probe)
    finally:
        if had:
            detaching.release()


def stay(probe):
    """Somebody is about to use CUPTI: it does not leave any more."""
    global _left
    if _left:
        _left = not probe.kernels_stay()


def _watch_exit():
    global _exit_watched
    if not _exit_watched:
        _exit_watched = True
        atexit.register(tools.quiet(_at_exit, made_up=False))


def _at_exit():
    capture = _on
    if capture is not None:
        capture.end()
        capture.reported(NOW_OR_SOON)
    if _detach_probe is not None:
        stay(_detach_probe)


def forget():
    """In a forked child, where CUPTI cannot be used."""
    global _detaching, _on
    _on = None
    _detaching = allocate_lock()  # another thread of the parent's may have had it
