# SPDX-License-Identifier: Apache-2.0
"""Garbage collection: the full ones only; the young generations are too cheap to tell."""

from . import vocabulary

_FULL = 2


def patch(module, hook):
    probe = hook.probe
    name = probe.name(vocabulary.GC, vocabulary.PHASE)
    begin_args, end = probe.begin_args, probe.end
    begun = []  # collections do not nest and end in the thread that began them

    def collection(phase, info):
        if info["generation"] != _FULL:
            return
        try:
            if phase == "start":
                begin_args(name, _FULL, 0)
                begun.append(True)
            elif begun:
                begun.pop()
                end()
        except Exception as error:
            hook.fail(error)

    module.callbacks.append(collection)
    hook.on_undo(lambda: module.callbacks.remove(collection))
