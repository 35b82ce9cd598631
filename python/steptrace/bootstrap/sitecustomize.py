# SPDX-License-Identifier: Apache-2.0
"""Runs at the start of every Python under `steptrace run`, which puts this folder on PYTHONPATH.

Starts the hooks, takes itself off sys.path and makes way for the sitecustomize that would have run
without it. Any Python may meet this file: what needs 3.8 or CPython is behind a check.

What the other one raises must show no line of this: its code is the import system's by name, whose frames
Python takes out of tracebacks.
"""

import os
import sys


def _leave_path(here):
    sys.path[:] = [p for p in sys.path if _absolute(p) != here]


def _absolute(path):
    try:
        return os.path.abspath(path or os.curdir)
    except OSError:  # a relative entry, and the current folder is gone
        return path


def _start(here):
    if sys.version_info < (3, 8) or sys.implementation.name != "cpython":
        return
    if not os.environ.get("STEPTRACE_RING_DIR"):
        return
    # By place, not as modules of steptrace: the environment may have no steptrace, or another.
    package = os.path.dirname(here)
    for name, place in (("_steptrace_drop_in", "_drop_in.py"), ("_steptrace_hooks", "_hooks")):
        try:
            if name not in sys.modules:
                _load(name, os.path.join(package, place))
            sys.modules[name].install()
        except Exception:
            pass  # each alone; the training goes on as it would without us


def _load(name, place):
    from importlib import machinery  # not importlib.util: 3 ms in every Python of the job

    is_package = not place.endswith(".py")
    file = os.path.join(place, "__init__.py") if is_package else place
    loader = machinery.SourceFileLoader(name, file)
    module = type(sys)(name)
    module.__spec__ = machinery.ModuleSpec(name, loader, origin=file, is_package=is_package)
    module.__loader__, module.__package__, module.__file__ = loader, "", file
    if is_package:
        module.__package__, module.__path__ = name, [place]
    sys.modules[name] = module
    loader.exec_module(module)


def _make_way():
    """Runs the script's own sitecustomize in our place; what it raises, site handles as ever."""
    try:
        from importlib import machinery
    except ImportError:  # Python 2
        del sys.modules["sitecustomize"]
        __import__("sitecustomize")
        return

    spec = machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if spec is None or spec.loader is None:
        # As it would be without us: site passes over this very error.
        missing = ImportError if sys.version_info < (3, 6) else ModuleNotFoundError
        raise missing("No module named 'sitecustomize'", name="sitecustomize")
    from importlib import util

    module = util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


def _hide():
    try:
        from _imp import _fix_co_filename
    except ImportError:  # another Python
        return
    _fix_co_filename(sys._getframe(1).f_code, "<frozen importlib._bootstrap>")


_here = os.path.dirname(os.path.abspath(__file__))
try:
    _hide()
    _leave_path(_here)
    _start(_here)
except Exception:
    pass  # the training goes on as it would without us
if __name__ == "sitecustomize":  # else: run by the .pth file of steptrace.pth
    _make_way()
