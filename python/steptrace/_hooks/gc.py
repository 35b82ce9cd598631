# SPDX-License-Identifier: Apache-2.0
"""Garbage collection: the full ones only; the young generations are too cheap to tell."""


def patch(module, hook):
    # The probe's own function and none of ours: it says why (src/probe/python_module.cc).
    collection = hook.probe.collection
    module.callbacks.append(collection)
    hook.on_undo(lambda: module.callbacks.remove(collection))
