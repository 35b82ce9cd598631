# SPDX-License-Identifier: Apache-2.0
"""Garbage collection: the full ones only; the young generations are too cheap to tell."""

from . import facts, vocabulary

_collector = None
_before = None


def patch(module, hook):
    global _collector, _before
    # The probe's own function and none of ours: it says why (src/probe/python_module.cc).
    collection = hook.probe.collection
    module.callbacks.append(collection)
    hook.on_undo(lambda: module.callbacks.remove(collection))
    _collector, _before = module, module.get_threshold()


def report_settings():
    """What the script set, if it did: it has by the first step of an optimizer."""
    if _collector is None:
        return
    now, enabled = _collector.get_threshold(), _collector.isenabled()
    if now == _before and enabled:
        return
    fact = {"thresholds": _text(now), "before": _text(_before), "enabled": enabled}
    facts.report_once(vocabulary.FACT_COLLECTOR, lambda: fact)


def _text(thresholds):
    return ", ".join(map(str, thresholds))
