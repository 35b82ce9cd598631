# SPDX-License-Identifier: Apache-2.0
"""Steptrace: where the time of a training goes, and what to do about it.

In a script, and nothing at all unless it runs under `steptrace run`:

    with steptrace.annotate("augment"): ...     # also as a decorator
    steptrace.step()                            # the step ends here; only where it is not seen

After it, or while it runs:

    run = steptrace.open()                      # the newest; or a path, a name, an id
    run.report().verdict.headline
    run.table("steps", where="dur_ns > 100000000")
    steptrace.compare(run, "fixed")            # two runs side by side
"""

from ._ranges import annotate, annotation_begin, annotation_end, start, step, stop

__version__ = "0.2.0"
__all__ = [
    "Comparison",
    "Report",
    "Run",
    "SteptraceError",
    "SteptraceWarning",
    "annotate",
    "annotation_begin",
    "annotation_end",
    "compare",
    "get_include",
    "inert",
    "open",
    "runs",
    "start",
    "step",
    "stop",
]


def open(run=None, folder=None):
    """A run, to be read: by path, name or id; without it the newest in `folder`."""
    from . import _run

    return _run.open_run(run, folder)


def runs(folder=None):
    """The runs in a folder (./steptrace-runs), newest first."""
    from . import _run

    return _run.list_runs(folder)


def compare(a, b, folder=None):
    """Two runs side by side, part by part; each a Run, or a path, a name or an id."""
    from . import _run

    return _run.compare_runs(a, b, folder)


def inert(text):
    """A name of a trace, or any other text of a run, as it may be printed: what is hidden in it as an escape."""
    from . import _inert

    return _inert.inert(text)


def get_include():
    """The folder of the C and C++ header: #include <steptrace/steptrace.h>."""
    import os

    here = os.path.dirname(os.path.realpath(__file__))
    installed = os.path.join(here, "include")
    in_tree = os.path.join(os.path.dirname(os.path.dirname(here)), "include")
    return installed if os.path.isdir(installed) else in_tree


def __getattr__(name):
    # Loaded when asked for: a training that imports us for annotate() must not wait for it.
    if name in ("Comparison", "Report", "Run", "SteptraceError", "SteptraceWarning"):
        from . import _run

        return getattr(_run, name)
    raise AttributeError(f"module 'steptrace' has no attribute {name!r}")


def __dir__():
    return sorted(set(globals()) | set(__all__))
