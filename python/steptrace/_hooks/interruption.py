# SPDX-License-Identifier: Apache-2.0
"""Whose exception it is: a signal handler or a tracer of the script's may raise while we run.

A time limit by signal.alarm() that strikes in a hook must reach the script as it would without us.
"""

import sys


def of_the_script(error):
    """Whether a handler or a tracer of the script's raised it inside code of ours."""
    codes = set(map(_code, _handlers()))
    frame = error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_code in codes:
            return True
        frame = frame.tb_next
    return False


def _handlers():
    yield sys.gettrace()
    yield sys.getprofile()
    signal = sys.modules.get("signal")
    if signal is not None:
        yield from map(signal.getsignal, signal.valid_signals())


def _code(handler):
    handler = getattr(handler, "func", handler)  # a partial
    function = getattr(handler, "__func__", handler)
    if not hasattr(function, "__code__"):
        function = getattr(type(handler), "__call__", None)  # noqa: B004 - for its code
    return getattr(function, "__code__", None)
