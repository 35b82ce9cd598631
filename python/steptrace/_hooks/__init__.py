# SPDX-License-Identifier: Apache-2.0
"""The hooks: what makes a script's own frameworks tell Steptrace what they do.

One small module a hooked module. Nothing here raises into the script, prints, imports a framework
or changes what the script can see.
"""

import os

_registry = None
# Names in the folder of rings, so that a Python that imports no framework, and so leaves no ring, is
# told from one that the hooks did not reach. The agent reads them.
# begin of marks, by tools/generate.py
LOADED = "hooks"
OFF = "hooks_off"
NO_PROBE = "hooks_no_probe"
OTHER_BUILD = "hooks_other_build"
NO_RING = "hooks_no_ring"
ASIDE = "hooks_aside"
SLOTS = 1024
# end of marks


def install():
    """Starts to watch imports if this process runs under `steptrace run`; once a process."""
    global _registry
    if _registry is not None or not os.environ.get("STEPTRACE_RING_DIR"):
        return
    from .registry import Registry, words_of

    words = words_of(os.environ.get("STEPTRACE_HOOKS"))
    leave_mark(LOADED if words else OFF)
    if words:
        _registry = Registry(words)
        _registry.install()


def leave_mark(name):
    """Tells the agent one thing of this process, by a name alone: an empty file, made by one call."""
    try:
        folder = os.environ["STEPTRACE_RING_DIR"]
        os.mknod(os.path.join(folder, f"{name}.{os.getpid() % SLOTS}"), 0o600)
    except (AttributeError, KeyError, OSError, ValueError):
        pass  # it is there, or the folder is another user's: the agent tells that
