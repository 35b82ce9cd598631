# SPDX-License-Identifier: Apache-2.0
"""torch.nn.parallel.distributed: how a DistributedDataParallel is set, its broadcast of buffers, and
which of its passes exchange gradients.

The broadcast is a call into C++ within forward, in which every rank waits for the first. So is the
exchange, within backward; forward decides whether there is one.
"""

import sys

from . import compiling, facts, vocabulary, world
from .numbering import Numbering
from .ranges import entering
from .surround import Calls, forget_sources, nothing

_BYTES_PER_MB = 1 << 20
# The reducer makes its buckets anew, in the order of the first backward, before the second.
_FIRST_REPORTED = 4


def patch(module, hook):
    world.once_several(hook, lambda: _patch_class(module.DistributedDataParallel, hook))


def _patch_class(data_parallel, hook):
    hook.around(data_parallel, "__init__", Calls(reporting(hook, _settings), ("self",)))
    hook.around(data_parallel, "register_comm_hook", Calls(_report_comm_hook, ("hook",)))
    broadcast = entering(hook, "broadcast_buffers", vocabulary.COMMUNICATION)
    hook.around(data_parallel, "_distributed_broadcast_coalesced", Calls(broadcast))
    passes = _Passes(hook)
    forward = "_pre_forward" if hasattr(data_parallel, "_pre_forward") else "forward"
    hook.around(data_parallel, forward, Calls(passes.enter, ("self",), leaves=False))
    forget_sources()


class _Passes:
    """Counts the passes whose backward exchanges gradients, and those that leave them where they
    are (no_sync). Told at the fourth, the eighth and so on."""

    def __init__(self, hook):
        self._hook = hook
        self._has_gradients = sys.modules["torch"].is_grad_enabled
        self._wrappers = Numbering()
        self._reported_at = _FIRST_REPORTED
        self._exchanging = self._withheld = 0

    def enter(self, model):
        if compiling.now():
            return
        try:
            if not self._has_gradients():
                return
            if model.require_backward_grad_sync:
                self._exchanging += 1
            else:
                self._withheld += 1
            if self._wrappers.get(id(model)) is None:
                self._wrappers.of(model)
            if self._exchanging + self._withheld >= self._reported_at:
                self._reported_at *= 2
                facts.report(vocabulary.FACT_GRADIENT_EXCHANGE, lambda: self._fact(model))
        except Exception as error:
            self._hook.fail(error)

    def _fact(self, model):
        return {
            "wrappers": len(self._wrappers.entries),
            "exchanging": self._exchanging,
            "withheld": self._withheld,
            **_buckets(model),
        }


def _buckets(model):
    """As the reducer has them; nothing where this version does not say."""
    try:
        said = model._get_ddp_logging_data()
        sizes = said.get("rebuilt_bucket_sizes") or said["bucket_sizes"]
        sizes = [int(size) for size in sizes.split(",")]
        return {"buckets": len(sizes), "gradient_bytes": sum(sizes)}
    except (AssertionError, AttributeError, KeyError, ValueError):
        return {}


def reporting(hook, settings):
    """An enter for the making of a model: says its settings at the end."""
    quiet = hook.probe.Quiet

    def enter(model):
        report = facts.report_once
        return quiet(lambda: report(vocabulary.FACT_DATA_PARALLEL, lambda: settings(model)))

    return enter


def _settings(model):
    """Of a model that is made: AttributeError, and so no fact, where making it failed."""
    return {
        "class": facts.name_of(type(model)),
        "find_unused_parameters": bool(model.find_unused_parameters),
        "static_graph": bool(model.static_graph),
        "gradient_as_bucket_view": bool(model.gradient_as_bucket_view),
        "bucket_cap_mb": int(model.bucket_bytes_cap) // _BYTES_PER_MB,
    }


def _report_comm_hook(function):
    facts.report_once(vocabulary.FACT_DATA_PARALLEL, lambda: {"comm_hook": facts.name_of(function)})
    return nothing
