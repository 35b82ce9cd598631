# SPDX-License-Identifier: Apache-2.0
"""Profiles by Kineto: operators with their Python stacks, shapes and allocations, in a window.

PyTorch's own profiler is begun and ended at steps' boundaries, as operators are (operators.py), and its
trace lies in the run's folder when the window's end is recorded: the agent takes it from there.

Not by KINETO_USE_DAEMON, with which libkineto asks a daemon by itself from its start (`steptrace run
--kineto`, for processes without hooks): where nobody answers the process takes seconds to end, a forked
child that ends by sys.exit() waits for ever, and it asks once in 5 s, at no boundary of a step.
"""

import os
import sys
from _thread import get_ident
from time import monotonic_ns

from . import other_users, profilers

STACKS, SHAPES, MEMORY = 1 << 16, 1 << 17, 1 << 18

# Kineto keeps a window's events in this process's memory and writes them in one go: some 1 KiB an
# operator with its stack. Steps beyond these bounds are not captured (WINDOW_FULL).
_MOST_STEPS = 100
_MOST_NS = 20 * 10**9

# Kineto writes a line to stderr when a profile begins and ends, as of this level of its logger.
_LOG_LEVEL = "_ZN9libkineto6Logger14severityLevel_E"
_SILENT = 1 << 10

_number = 0  # of the process's traces


def why_not():
    """Why nothing can be profiled in this process; None: it can."""
    if not profilers.armed():
        return "profiles: the hook operators is off"
    autograd = sys.modules["torch"].autograd
    kineto_available = getattr(autograd, "kineto_available", None)
    if kineto_available is None or not kineto_available():
        return "profiles: this build of PyTorch has no Kineto"
    folder = os.environ.get("STEPTRACE_RUN_DIR")
    if not folder or not os.access(folder, os.W_OK | os.X_OK):
        return f"profiles: {folder}: this process cannot write there"
    return None


class Capture:
    """On from its making to end(), for the thread that made it and the backward of its graphs."""

    bound_to_thread = True  # elsewhere it cannot be taken off, and would go on gathering

    def __init__(self, kinds, hook):
        torch = sys.modules["torch"]
        self.thread = get_ident()
        self.cancelled = False  # the script's profiler, in another thread, has Kineto
        self._hook = hook
        self._steps = 0
        self._until_ns = monotonic_ns() + _MOST_NS
        stacks = bool(kinds & STACKS)
        if stacks and sys.getprofile() is not None:
            # Stacks come by sys.setprofile(), and somebody has it.
            hook.say("unavailable", "profiles: no stacks, for the script has a sys.setprofile()")
            stacks = False
        profiler = torch.autograd.profiler
        config = profiler.profile(
            use_kineto=True,
            record_shapes=bool(kinds & SHAPES),
            profile_memory=bool(kinds & MEMORY),
            with_stack=stacks,
        ).config()
        activities = set(torch.profiler.supported_activities())
        profilers.remember(self)
        other_users.note_kineto()
        try:
            _prepare_for_the_end(hook.probe)
            with _Silence():
                profiler._prepare_profiler(config, activities)
            with _Silence(), _Changing(hook.probe, now=_ON if stacks else _NOT_OURS):
                # The first preparing sets Kineto's level.
                profiler._enable_profiler(config, activities)
        except BaseException:
            profilers.forget()  # nobody has it to end it
            raise

    def begin_step(self, _most, _whole=False):
        return 0  # nothing is left out of a step

    def is_whole(self):
        return True

    def room(self, _most):
        return 0

    def is_full(self, _limit):
        self._steps += 1
        return self._steps >= _MOST_STEPS or monotonic_ns() >= self._until_ns

    def end(self):
        profilers.forget()
        if self.thread != get_ident():
            return
        if self.cancelled:
            return self._end_cancelled()
        torch = sys.modules["torch"]
        if torch.autograd._profiler_enabled() and torch.cuda.is_initialized():
            torch.cuda.synchronize()  # as torch's own does: what runs belongs to the window
        with _Silence():
            results = self.leave()
            if results is not None:
                self._save(results)

    def _end_cancelled(self):
        """Kineto has to have a trace when ours is taken off, and that may not be the script's."""
        if profilers.script_prepares():
            return  # the process ends
        torch = sys.modules["torch"]
        if torch.autograd._profiler_enabled():
            config = torch.autograd.profiler.profile(use_kineto=True).config()
            with _Silence():
                torch.autograd.profiler._prepare_profiler(
                    config, set(torch.profiler.supported_activities())
                )
        self.leave()

    def leave(self):
        """Takes it off; also in a child that was forked meanwhile, which has no device of its own."""
        autograd = sys.modules["torch"].autograd
        if not autograd._profiler_enabled():
            return None
        with _Silence(), _Changing(self._hook.probe, now=_NOT_OURS):
            return autograd._disable_profiler()

    def _save(self, results):
        """<run>/profiles/<pid>-<number>.json, which has that name when it is whole."""
        global _number
        _number += 1
        run = os.environ["STEPTRACE_RUN_DIR"]
        folder = os.path.join(run, "profiles")
        trace = os.path.join(folder, f"{os.getpid()}-{_number}.json")
        partial = trace + ".partial"
        try:
            # As the run may be read (base/inherited_mode.h).
            os.makedirs(folder, mode=os.stat(run).st_mode & 0o777, exist_ok=True)
            results.save(partial)
            os.rename(partial, trace)
        except OSError as error:
            self._hook.say("failed", f"profiles: {error}")


# As src/probe/python_tools.h numbers them.
_NOT_OURS, _ON, _CHANGING = range(3)


class _Changing:
    """Stacks come by sys.setprofile(): that is ours, and no tool of the script's (tools.py)."""

    def __init__(self, probe, now):
        self._own, self._now = probe.tools_own, now

    def __enter__(self):
        self._own(_CHANGING)

    def __exit__(self, kind, *_):
        self._own(self._now if kind is None else _NOT_OURS)


class _Silence:
    """Our profiles print nothing; the script's own do what they did before."""

    def __init__(self):
        self._level = None
        try:
            import ctypes

            torch_cpu = ctypes.CDLL("libtorch_cpu.so", mode=os.RTLD_NOLOAD | os.RTLD_LAZY)
            self._level = ctypes.c_int.in_dll(torch_cpu, _LOG_LEVEL)
        except (ImportError, OSError, ValueError):
            pass  # another build of PyTorch: it may say its line

    def __enter__(self):
        if self._level is not None:
            self._before, self._level.value = self._level.value, _SILENT

    def __exit__(self, *_):
        if self._level is not None and self._level.value == _SILENT:
            self._level.value = self._before


_prepared = False


def _prepare_for_the_end(probe):
    """A child that is forked from now on ends: once Kineto has been used, its destructor waits for a
    thread of its own, which a child does not have, and a child that ends by sys.exit() would wait
    for ever.
    """
    global _prepared
    if not _prepared:
        _prepared = True
        os.register_at_fork(after_in_child=probe.exit_plainly)
