# SPDX-License-Identifier: Apache-2.0
"""Loads the native half (_probe.pyi) that `steptrace run` named, once a process."""

import os
import sys

_NAME = "steptrace._probe"


def _lays_objects_out_otherwise():
    """Free-threaded, or one that traces references: the stable ABI is not theirs."""
    return "t" in getattr(sys, "abiflags", "") or hasattr(sys, "getobjects")


def load():
    """The native module, or None: not under a run, or not for this Python."""
    module = sys.modules.get(_NAME)
    if module is not None:
        return module
    path = os.environ.get("STEPTRACE_PROBE")
    if not path or _lays_objects_out_otherwise():
        return None
    from importlib import machinery, util

    try:
        loader = machinery.ExtensionFileLoader(_NAME, path)
        spec = util.spec_from_file_location(_NAME, path, loader=loader)
        module = util.module_from_spec(spec)
        loader.exec_module(module)
    except ImportError:
        return None
    sys.modules[_NAME] = module
    return module


def why_not():
    """The mark for the agent (hooks_marks.h) of a process for which load() had nothing."""
    from . import NO_PROBE, OTHER_BUILD

    return OTHER_BUILD if _lays_objects_out_otherwise() else NO_PROBE
