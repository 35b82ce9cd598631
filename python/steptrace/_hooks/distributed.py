# SPDX-License-Identifier: Apache-2.0
"""torch.distributed.distributed_c10d: the collectives that a script calls itself, and the job.

What DDP's reducer does is not seen from Python: it shows as time in backward without CPU time. An
asynchronous collective's range is its start alone; its wait is a range `wait` of its own.
"""

import functools
import inspect
import sys

from . import compiling, facts, vocabulary, world
from .surround import Calls, forget_sources, nothing

# Function -> the argument that this rank gives (a tensor or a list of tensors), if it is one.
# The deprecated spellings call the others and stand here for the versions that lack those.
COLLECTIVES = {
    "all_reduce": "tensor",
    "all_reduce_coalesced": "tensors",
    "broadcast": "tensor",
    "reduce": "tensor",
    "all_gather": "tensor",
    "all_gather_single": "input_tensor",
    "all_gather_object": None,
    "gather": "tensor",
    "gather_object": None,
    "scatter": "tensor",
    "scatter_object_list": None,
    "reduce_scatter": "input_list",
    "reduce_scatter_single": "input",
    "all_to_all": "input_tensor_list",
    "all_to_all_single": "input",
    "broadcast_object_list": None,
    "send": "tensor",
    "recv": "tensor",
    "batch_isend_irecv": None,
    "barrier": None,
    "monitored_barrier": None,
}
FORMER_NAMES = {
    "all_gather_into_tensor": "all_gather_single",
    "reduce_scatter_tensor": "reduce_scatter_single",
}


def patch(module, hook):
    """Patches the start of the job alone: most processes that import this have no process group."""
    state = {"patched": False}

    def look():
        try:
            _look_at_job(module)
            if world.size > 1 and not state["patched"]:
                state["patched"] = True
                _patch_collectives(module, hook)
        except Exception as error:
            hook.fail(error)

    for change in ("init_process_group", "destroy_process_group"):
        hook.around(module, change, Calls(lambda: look))
    if module.is_initialized():
        look()


def _look_at_job(module):
    if not module.is_initialized():
        world.size = 1
        return
    size = module.get_world_size()
    if size == world.size:
        return
    world.size = size
    fact = facts.job_from_environment()
    fact.update(rank=module.get_rank(), world_size=size, backend=str(module.get_backend()))
    facts.say(vocabulary.FACT_JOB, fact)


def _patch_collectives(module, hook):
    names = dict(COLLECTIVES)
    for former, present in FORMER_NAMES.items():
        if not hasattr(module, present):
            names[former] = names[present]
    for name, argument in names.items():
        if hasattr(module, name):
            given = (argument,) if _takes(getattr(module, name), argument) else ()
            hook.around(module, name, Calls(_entering(hook, name, bool(given)), given))
    _patch_wait(module, hook)
    forget_sources()


def _takes(function, argument):
    """Its name changed from version to version: without it, there are no bytes to tell."""
    return argument is not None and argument in inspect.signature(function).parameters


def _entering(hook, text, has_bytes):
    name = hook.probe.name(text, vocabulary.COMMUNICATION)
    begin_args, end = hook.probe.begin_args, hook.probe.end

    def enter_collective(given=None):
        if compiling.now():
            return nothing
        try:
            begin_args(name, _bytes(given) if has_bytes else 0, 0)
            return end
        except Exception as error:
            return hook.fail(error)

    return enter_collective


def _bytes(given):
    """0 for what is not a tensor: the function itself will say what is wrong with it."""
    if isinstance(given, (list, tuple)):
        return sum(_bytes(part) for part in given)
    return getattr(given, "nbytes", 0)


def _patch_wait(module, hook):
    """Work.wait as a script calls it; a collective's own wait is part of the collective."""
    work = module.Work
    original = work.wait
    inside = vars(module)
    begin, end = hook.probe.begin, hook.probe.end
    name = hook.probe.name("wait", vocabulary.COMMUNICATION)
    state = {"off": False}

    @functools.wraps(original)
    def wait(*args, **kwargs):
        if state["off"] or compiling.now():
            return original(*args, **kwargs)
        leave = nothing
        try:
            caller = sys._getframe().f_back  # None: a thread that does nothing else
            if caller is None or caller.f_globals is not inside:
                begin(name)
                leave = end
        except Exception as error:
            hook.fail(error)
        try:
            return original(*args, **kwargs)
        finally:
            leave()

    def undo():
        state["off"] = True
        if work.wait is wait:
            work.wait = original

    work.wait = wait
    hook.on_undo(undo)
