# SPDX-License-Identifier: Apache-2.0
"""torch.distributed.fsdp: who shards parameters, and whether they are gathered again in backward.

Its collectives are functions of torch.distributed, which are hooked themselves.
"""

from . import facts, vocabulary
from .data_parallel import reporting
from .surround import Calls, nothing

# Within a node as FULL_SHARD; the other strategies keep parameters from forward to backward.
_GATHERS_TWICE = ("FULL_SHARD", "HYBRID_SHARD")


def patch(module, hook):
    if hasattr(module, "FullyShardedDataParallel"):
        hook.around(
            module.FullyShardedDataParallel,
            "__init__",
            Calls(reporting(hook, _settings), ("self",)),
        )
    else:
        hook.around(module, "fully_shard", Calls(_report_call, ("reshard_after_forward",)))


def _settings(model):
    """Of a model that is made: AttributeError, and so no fact, where making it failed."""
    twice = model.sharding_strategy.name in _GATHERS_TWICE
    return {"class": facts.name_of(type(model)), "reshard_after_forward": twice}


def _report_call(reshard_after_forward):
    fact = {"class": "torch.distributed.fsdp.fully_shard"}
    # None: all but the outermost do.
    fact["reshard_after_forward"] = reshard_after_forward is not False
    facts.report_once(vocabulary.FACT_DATA_PARALLEL, lambda: fact)
    return nothing
