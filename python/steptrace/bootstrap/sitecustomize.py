# SPDX-License-Identifier: Apache-2.0
"""Runs at the start of every Python under `steptrace run`, which puts this folder on PYTHONPATH.

Starts the hooks, takes itself off sys.path and makes way for the sitecustomize that would have run
without it. Any Python may meet this file: what needs 3.8 or CPython is behind a check.
"""

import os
import sys


def _leave_path(here):
    sys.path[:] = [p for p in sys.path if os.path.abspath(p or os.curdir) != here]


def _start(here):
    if sys.version_info < (3, 8) or sys.implementation.name != "cpython":
        return
    if not os.environ.get("STEPTRACE_RING_DIR"):
        return
    # By place, not as steptrace._hooks: the environment may have no steptrace, or another.
    name = "_steptrace_hooks"
    if name not in sys.modules:
        _load_package(name, os.path.join(os.path.dirname(here), "_hooks"))
    sys.modules[name].install()


def _load_package(name, folder):
    from importlib import machinery  # not importlib.util: 3 ms in every Python of the job

    init = os.path.join(folder, "__init__.py")
    loader = machinery.SourceFileLoader(name, init)
    module = type(sys)(name)
    module.__spec__ = machinery.ModuleSpec(name, loader, origin=init, is_package=True)
    module.__loader__, module.__package__ = loader, name
    module.__file__, module.__path__ = init, [folder]
    sys.modules[name] = module
    loader.exec_module(module)


def _make_way():
    """Runs the script's own sitecustomize in our place; what it raises, site handles as ever."""
    from importlib import machinery

    spec = machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if spec is None or spec.loader is None:
        # As it would be without us: site passes over this very error.
        raise ImportError("No module named 'sitecustomize'", name="sitecustomize")
    from importlib import util

    module = util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


_here = os.path.dirname(os.path.abspath(__file__))
try:
    _leave_path(_here)
    _start(_here)
except Exception:
    pass  # the training goes on as it would without us
if __name__ == "sitecustomize":  # else: run by the .pth file of steptrace.pth
    _make_way()
