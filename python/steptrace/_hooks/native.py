# SPDX-License-Identifier: Apache-2.0
"""Loads the native half (_probe.pyi) that `steptrace run` named, once a process."""

import os
import sys

_NAME = "steptrace._probe"


def _lays_objects_out_otherwise():
    """Free-threaded, or one that traces references: the stable ABI is not theirs."""
    return "t" in getattr(sys, "abiflags", "") or hasattr(sys, "getobjects")


# Before there is anything to record, Python is not to list it where a process dies of its start.
_unlisted = None


def load(listed=True):
    """The native module, or None: not under a run, or not for this Python."""
    global _unlisted
    module = sys.modules.get(_NAME)
    if module is None:
        # Of the hooks, which are not steptrace's: the script may import that too.
        hooks = sys.modules.get("_steptrace_hooks.native")
        module = getattr(hooks, "_unlisted", None) or _load()
    if listed and module is not None:
        sys.modules[_NAME] = module
    elif module is not None:
        _unlisted = module
    return module


def _load():
    path = os.environ.get("STEPTRACE_PROBE")
    if not path or _lays_objects_out_otherwise():
        return None
    from importlib import machinery  # not importlib.util: 3 ms in every Python of the job

    try:
        loader = machinery.ExtensionFileLoader(_NAME, path)
        spec = machinery.ModuleSpec(_NAME, loader, origin=path)
        module = loader.create_module(spec)
        module.__spec__, module.__loader__, module.__file__ = spec, loader, path
        loader.exec_module(module)
    except ImportError:
        return None
    return module


def why_not():
    """The mark for the agent (hooks_marks.h) of a process for which load() had nothing."""
    from . import NO_PROBE, OTHER_BUILD

    return OTHER_BUILD if _lays_objects_out_otherwise() else NO_PROBE
