# SPDX-License-Identifier: Apache-2.0
"""Who else may use CUPTI in this process, as far as its modules show (src/probe/cupti_users.h).

Nothing is imported for that, and no function of CUPTI's is called: one that is refused may be logged
by CUPTI, and the first call of a family decides which one the process may use.
"""

import importlib.util
import os
import sys

NOBODY, KINETO, MONITOR, OTHER_MODULE = range(4)

# Modules that use CUPTI where they are loaded: NVIDIA's own (cupti-python), PyTorch's monitor, which
# needs it, and the straggler detection of NVIDIA's resiliency extension. Not `_cupti_monitor` of
# PyTorch 2.13, which every training loads: its user loads the first.
_USERS = ("cupti", "torch.profiler._cupti.monitor", "nvrx_cupti_module")

_kineto = False  # it has been used, by the script or by us


def note_kineto():
    global _kineto
    _kineto = True


def in_use():
    """Whether a module that uses CUPTI is loaded."""
    return any(sys.modules.get(name) is not None for name in _USERS)


def known():
    """What the probe needs to know at a window's begin."""
    if in_use():
        return OTHER_MODULE
    if _monitor_may_come():
        return MONITOR
    # It subscribes with the process's first profile, or at once where it has a daemon.
    return KINETO if _kineto or os.environ.get("KINETO_USE_DAEMON") else NOBODY


def _monitor_may_come():
    """Whether this PyTorch has a CUPTI monitor, and what it needs is installed."""
    profiler = sys.modules.get("torch.profiler")
    folder = os.path.dirname(getattr(profiler, "__file__", None) or "")
    if not os.path.exists(os.path.join(folder, "_cupti", "monitor.py")):
        return False
    try:
        return importlib.util.find_spec("cupti") is not None
    except Exception:  # a finder of the script's, or a module without a spec: it cannot be known
        return True
