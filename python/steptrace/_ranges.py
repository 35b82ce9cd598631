# SPDX-License-Identifier: Apache-2.0
"""Ranges of the user's own, steps and pauses: what a script tells of itself.

Whether there is a run is decided once, at import, by the environment that `steptrace run` set.
Without one everything here does nothing, and as little of that as Python allows.
"""

import os

__all__ = ["annotate", "annotation_begin", "annotation_end", "start", "step", "stop"]

# begin of the hooks' values, by tools/generate.py: importing the package loads as little as it can
USER = 1
PHASE = 2
NO_ARGUMENT = (1 << 64) - 1
# end of values

# A script that makes up names without end (one a step) costs the table of names, not its memory.
_MAX_CACHED_NAMES = 4096


def _load_probe():
    """The native half if this process is recorded, else None."""
    if not os.environ.get("STEPTRACE_RING_DIR"):
        return None
    try:
        from ._hooks import native

        probe = native.load()
        # One of another version, which a script that has its own Steptrace may meet: no run for it.
        known = hasattr(probe, "Range")
        return probe if known and probe.attach() else None
    except Exception:
        return None


_probe = _load_probe()


class _NoRange:
    """Every range where there is no run."""

    __slots__ = ()
    # Built-in methods that do nothing and return None: a `with` calls them in half the time that it
    # needs for functions of ours.
    __enter__ = [].clear
    __exit__ = memoryview(b"").__exit__

    def __call__(self, function):
        return function


class _Range(object if _probe is None else _probe.Range):
    """A name that can be entered: again, by many threads and inside itself."""

    __slots__ = ()
    if _probe is not None:
        # A built-in function is no method: a `with` calls it as it is, without a frame of ours.
        __exit__ = _probe.end

    def __call__(self, function):
        from ._decorate import decorate

        return decorate(self, function)


_no_range = _NoRange()
_cached = {}


def _range_of(name):
    if name.__class__ is not str:
        name = str.__str__(name)  # of a class of the script's: its text alone is kept
    found = _cached.get(name)
    if found is None:
        if len(_cached) >= _MAX_CACHED_NAMES:
            _cached.clear()
        found = _cached[name] = _Range(_probe.name(name, USER))
    return found


def _bare(function):
    """`@annotate` without a name: the function's own."""
    if isinstance(function, (staticmethod, classmethod)) or callable(function):
        inner = getattr(function, "__func__", function)
        name = getattr(inner, "__qualname__", type(inner).__name__)
        return annotate(name)(function)
    return annotate(str(function))


def _annotate_nothing(name):
    if name.__class__ is str:
        return _no_range
    return _bare(name)


def _annotate(name):
    try:
        return _cached[name]
    except (KeyError, TypeError):
        return _range_of(name) if isinstance(name, str) else _bare(name)


def _as_word(number):
    """A step's number as 64 bits; what is no such number is as if none were given."""
    try:
        number = int(number)
    except Exception:  # a tensor's, an array's, any
        return NO_ARGUMENT
    return number if 0 <= number < NO_ARGUMENT else NO_ARGUMENT


def _step(number=None):
    _probe.instant(_step_name, NO_ARGUMENT if number is None else _as_word(number), 0)


def _start():
    _probe.pause(False)


def _stop():
    _probe.pause(True)


def codes():
    """Of what torch.compile is to leave as it is (_hooks/own.py)."""
    functions = (_annotate, _range_of, _step, _start, _stop, annotation_begin, annotation_end)
    return [f.__code__ for f in functions]


def _nothing(number=None):
    pass


def _begin_nothing(name):
    return 0


if _probe is None:
    annotate = _annotate_nothing
    annotation_begin = _begin_nothing
    annotation_end = _nothing
    step = _nothing
    start = stop = lambda: None
else:
    from . import _open_ranges
    from ._open_ranges import annotation_begin, annotation_end

    _open_ranges.use(_probe, _range_of)
    _step_name = _probe.name("step", PHASE)
    annotate, step, start, stop = _annotate, _step, _start, _stop
