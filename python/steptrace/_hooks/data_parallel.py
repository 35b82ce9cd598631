# SPDX-License-Identifier: Apache-2.0
"""torch.nn.parallel.distributed: how a DistributedDataParallel is set, and its broadcast of buffers.

The broadcast is a call into C++ within forward, in which every rank waits for the first.
"""

from . import facts, vocabulary, world
from .ranges import entering
from .surround import Calls, forget_sources, nothing

_BYTES_PER_MB = 1 << 20


def patch(module, hook):
    world.once_several(hook, lambda: _patch_class(module.DistributedDataParallel, hook))


def _patch_class(data_parallel, hook):
    hook.around(data_parallel, "__init__", Calls(telling(hook, _settings), ("self",)))
    hook.around(data_parallel, "register_comm_hook", Calls(_tell_comm_hook, ("hook",)))
    broadcast = entering(hook, "broadcast_buffers", vocabulary.COMMUNICATION)
    hook.around(data_parallel, "_distributed_broadcast_coalesced", Calls(broadcast))
    forget_sources()


def telling(hook, settings):
    """An enter for the making of a model: says its settings at the end."""
    quiet = hook.probe.Quiet

    def enter(model):
        tell = facts.tell_once
        return quiet(lambda: tell(vocabulary.FACT_DATA_PARALLEL, lambda: settings(model)))

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


def _tell_comm_hook(function):
    facts.tell_once(vocabulary.FACT_DATA_PARALLEL, lambda: {"comm_hook": facts.name_of(function)})
    return nothing
