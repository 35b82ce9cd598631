# SPDX-License-Identifier: Apache-2.0
"""The hooks: what makes a script's own frameworks tell Steptrace what they do.

One small module a hooked module. Nothing here raises into the script, prints, imports a framework
or changes what the script can see.
"""

import os

_registry = None


def install():
    """Starts to watch imports if this process runs under `steptrace run`; once a process."""
    global _registry
    if _registry is not None or not os.environ.get("STEPTRACE_RING_DIR"):
        return
    from .registry import Registry, words_of

    words = words_of(os.environ.get("STEPTRACE_HOOKS"))
    if words:
        _registry = Registry(words)
        _registry.install()
