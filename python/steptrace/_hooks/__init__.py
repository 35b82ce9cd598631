# SPDX-License-Identifier: Apache-2.0
"""The hooks: what makes a script's own frameworks tell Steptrace what they do.

One small module a hooked module. Nothing here raises into the script, prints, imports a framework
or changes what the script can see.
"""

import os

_registry = None
# Left in the folder of rings, so that a Python that imports no framework, and so leaves no ring, is
# not taken for one that the hooks did not reach. src/agent/ring_folder.h knows the names.
_LOADED_MARK = "hooks"
_OFF_MARK = "hooks_off"


def install():
    """Starts to watch imports if this process runs under `steptrace run`; once a process."""
    global _registry
    if _registry is not None or not os.environ.get("STEPTRACE_RING_DIR"):
        return
    from .registry import Registry, words_of

    words = words_of(os.environ.get("STEPTRACE_HOOKS"))
    _mark(_LOADED_MARK if words else _OFF_MARK)
    if words:
        _registry = Registry(words)
        _registry.install()


def _mark(name):
    """One empty file for all processes of the run: it is there already for all but the first."""
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        os.close(os.open(os.path.join(os.environ["STEPTRACE_RING_DIR"], name), flags, 0o600))
    except OSError:
        pass  # it is there, or the folder is another user's: the agent tells that
